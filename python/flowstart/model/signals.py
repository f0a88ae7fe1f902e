"""What a startup is told: the signals of `crates/control/src/signals.rs`.

Types and texts stand in `signals.pyi`, which `make docs` writes. Frozen classes: sizes are
bytes, sequence positions too, windows segments, times whole nanoseconds, rates bits per second.
"""

from collections.abc import Callable

from flowstart import _native


class Events:
    """The hooks that are told of one event and may edit the window.

    They do nothing unless they are written.
    """


def _hook(name: str, doc: str) -> Callable[[Events, object, object], None]:
    """A hook that does nothing."""

    def hook(self: Events, w: object, signal: object) -> None:
        return None

    hook.__name__, hook.__qualname__, hook.__doc__ = name, f"Events.{name}", doc
    return hook


for _name, _doc, *_ in _native.EVENTS:
    setattr(Events, _name, _hook(_name, _doc))
for _name, *_ in _native.SIGNALS:
    globals()[_name] = getattr(_native, _name)
