"""The names that a shell completes."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

Complete: TypeAlias = Callable[[str], list[str]]
"""What a word may become of which a beginning is there."""


def startups(incomplete: str) -> list[str]:
    """Startups, the last of a list that is joined with commas."""
    return _of_a_list([*_algorithms("startup"), "all", "unaided"], incomplete)


def startup(incomplete: str) -> list[str]:
    """A single startup."""
    return _beginning(_algorithms("startup"), incomplete)


def avoidances(incomplete: str) -> list[str]:
    """Congestion avoidances."""
    return _beginning(_algorithms("cc"), incomplete)


def queues(incomplete: str) -> list[str]:
    """Queue disciplines."""
    return _beginning(_algorithms("queue"), incomplete)


def algorithms(incomplete: str) -> list[str]:
    """Everything in the catalog."""
    return _beginning(_algorithms(), incomplete)


def paths(incomplete: str) -> list[str]:
    """Paths known by name."""
    from flowstart.model.path import named_paths

    return _beginning(named_paths(), incomplete)


def stacks(incomplete: str) -> list[str]:
    """Presets of endpoints."""
    from flowstart.model import stack

    return _beginning(stack.PRESETS, incomplete)


def live_stacks(incomplete: str) -> list[str]:
    """Real QUIC stacks."""
    from flowstart import _native

    return _beginning(_native.BUILT_LIVE_STACKS, incomplete)


def sweeps(incomplete: str) -> list[str]:
    """Sweeps that ship with flowstart, and folders and files."""
    from flowstart.sweeps.language import named

    return _beginning(named.names(), incomplete)


BY_FLAG: dict[str, Complete] = {
    "startup": startups,
    "baseline": startup,
    "path": paths,
    "stack": stacks,
    "cc": avoidances,
    "queue": queues,
    "reverse_queue": queues,
}
"""What completes the value of a flag, by its name."""


def _algorithms(kind: str | None = None) -> list[str]:
    from flowstart.model import catalog

    return [one.name for one in catalog.list_algorithms() if kind in (None, one.kind)]


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _of_a_list(names: Iterable[str], incomplete: str) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _beginning(names, last)]
