"""Types for editors and mypy, written from the Rust definitions.

Of what a startup is told (`signals.pyi`), and of the parts of a scenario (`fields.pyi`).
"""

import re
import textwrap

from flowstart._native import EVENTS, SIGNALS
from flowstart.model.definitions import Field, Part, parts, python_name
from flowstart.model.quantities import Kind

SIGNALS_HEAD = '''"""What a startup is told: the signals of `crates/control/src/signals.rs`.

Written by `make docs`. Frozen classes: sizes are bytes, sequence positions too, windows
segments, times whole nanoseconds, rates bits per second.
"""

from typing import final

from flowstart._native import Window
from flowstart.model.startup import Reason

class Events:
    """The hooks that are told of one event and may edit the window.

    They do nothing unless they are written.
    """

'''
FIELDS_HEAD = '''"""The parts of a scenario as frozen classes, by the definitions in `sim/src/spec`.

Written by `make docs`. What is left out is left to the simulator. A plain number is in bits per
second for a `Rate`, in seconds for a `Time` and in bytes for a `Size`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.model.custom import StartupLike
from flowstart.model.quantities import Rate, Size, Time
'''
TYPES = {
    "bool": "bool",
    "u32": "int",
    "u64": "int",
    "f64": "float",
    "Probability": "str | float",
    "BurstLength": "str | float",
    "Delays": "Mapping[int, Time]",
    "DrawnText": "str | float",
    "EcnMode": "str | bool",
    "InitialWindow": "str | int",
    "Startup": "StartupLike",
}
"""What Python gives for the types of Rust; all others are text."""
NUMBERS: dict[Kind | None, str] = {Kind.RATE: "Rate", Kind.TIME: "Time", Kind.SIZE: "Size"}
"""The types of quantities that may be plain numbers."""
WIDTH = 100


def fields() -> str:
    """The file `fields.pyi`."""
    return FIELDS_HEAD + "".join(_part(part) for part in parts().values())


def _part(part: Part) -> str:
    """A part of a scenario."""
    told = "".join(f"    {_declared(field)}\n{_paragraphs(_told(field))}" for field in part.fields)
    # What makes text of numbers.
    told += "    def __post_init__(self) -> None: ...\n"
    head = f"\n@dataclass(frozen=True, kw_only=True)\nclass {part.name}:\n"
    return f"{head}{_paragraphs(part.about)}\n{told}"


def _declared(field: Field) -> str:
    kind = TYPES.get(field.value) or NUMBERS.get(field.measures, "str")
    if python_name(field.value) in parts():
        kind = python_name(field.value)
        kind = kind if field.is_list else f"{kind} | Mapping[str, Any]"
    kind = f"Sequence[{kind}]" if field.is_list else kind
    return f"{field.name}: {kind}" if field.required else f"{field.name}: {kind} | None = None"


def _told(field: Field) -> str:
    usual = field.unless_given
    return field.doc if usual is None else f"{field.doc}\n\nUnless given: {usual}."


def _paragraphs(words: str) -> str:
    """A docstring of several paragraphs."""
    first, *others = words.split("\n\n")
    if not others:
        return _doc(first, 4)
    told = [
        *_wrapped(f'"""{first}'),
        *(line for words in others for line in ["", *_wrapped(words)]),
    ]
    return "".join(f"    {line}".rstrip() + "\n" for line in [*told, '"""'])


def _wrapped(words: str) -> list[str]:
    return textwrap.wrap(words, WIDTH - 4, break_on_hyphens=False)


def signals() -> str:
    """The file `signals.pyi`."""
    hooks = [
        f"    def {hook}(self, w: Window, {argument}: {signal}) -> {answer}:\n{_doc(doc, 8)}"
        for hook, doc, argument, signal, answer in EVENTS
    ]
    classes = [
        f"@final\nclass {name}:\n{_doc(doc, 4)}\n"
        + "".join(f"    {field}: {kind}\n{_doc(words, 4)}" for field, kind, words in fields)
        for name, doc, fields in SIGNALS
    ]
    return SIGNALS_HEAD + "".join(hooks) + "\n" + "\n".join(classes)


def _doc(words: str, indent: int) -> str:
    """A docstring; links of Rust's are names here."""
    plain = re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", words)
    margin = " " * indent
    lines = textwrap.wrap(f'"""{plain}"""', WIDTH - indent, break_on_hyphens=False)
    if len(lines) > 1:
        lines = [*textwrap.wrap(f'"""{plain}', WIDTH - indent, break_on_hyphens=False), '"""']
    return "".join(f"{margin}{line}\n" for line in lines)
