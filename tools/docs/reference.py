"""The page of all fields of a scenario, from their definitions."""

from collections.abc import Callable
from typing import Any

import flowstart as fs
from flowstart import _native
from flowstart.model import document
from flowstart.model.definitions import Field, Part, parts

HEAD = """<!-- Written by `make docs` from the definitions of the fields; changes here are lost. -->

# Fields of a scenario

The fields of a scenario file, `fs.NetworkPath`, `fs.Flow`, `fs.Endpoint` and the others. Fields
with a mark (▸) have a flag of `flowstart compare`: `reverse_rate` is `--reverse-rate`. A stack is
`--stack linux:ack_every=4` there. `flowstart schema` prints a JSON Schema for editors.
"""
TITLES = {
    "NetworkPath": ("path", "A path"),
    "Hop": ("path.hops", "A hop"),
    "RateStep": ("path.rate_steps", "A step of the rate"),
    "QuickStart": ("path.quick_start", "Quick-Start's routers"),
    "Endpoint": ("stack", "A stack"),
    "Flow": ("flows", "A flow"),
    "Write": ("flows.writes", "A write"),
    "After": ("flows.writes.after", "A write's condition"),
    "AfterFlow": ("flows.start_after` and `end_after", "A time relative to a flow"),
    "WebTraffic": ("web", "Web sessions"),
}
"""Where a part stands in a scenario, and what its table is called."""


def page() -> str:
    """The whole page."""
    sections = [HEAD]
    for part in parts().values():
        place, title = TITLES[part.name]
        public = f"fs.{part.name}" if part.name in fs.__all__ else f"fs.spec.{part.name}"
        rows = presets(part) if part.name == "Endpoint" else table(part.fields, name)
        sections.append(f"## {title}\n\n`{place}`, `{public}`. {told(part.about)}\n\n{rows}\n")
    return "\n".join(sections)


def plain_name(field: Field) -> str:
    """How a field is called."""
    return f"`{field.name}`"


def table(fields: tuple[Field, ...], name: Callable[[Field], str] = plain_name) -> str:
    """What fields are, and what holds where they are not given."""
    rows = ["| field | what it is | unless given |", "| --- | --- | --- |"]
    for field in fields:
        usual = "must be given" if field.required else field.unless_given or "–"
        rows.append(f"| {name(field)} | {told(field.doc)} | {cell(usual)} |")
    return "\n".join(rows)


def presets(stack: Part) -> str:
    """What the fields of a stack are, and what each preset makes of them."""
    known = {preset: resolved(preset) for preset in _native.STACKS}
    heads = [f"`{preset}`" for preset in known]
    rows = [f"| field | what it is | {' | '.join(heads)} |", f"|{' --- |' * (2 + len(heads))}"]
    for field in stack.fields:
        values = [shown(given.get(field.name)) for given in known.values()]
        rows.append(f"| {name(field)} | {told(field.doc)} | {' | '.join(values)} |")
    return "\n".join(rows) + "\n\n– is a field that is not set, or means nothing there."


def resolved(preset: str) -> dict[str, Any]:
    """The fields of a preset."""
    path = {"rate": "10Mbps", "rtt": "50ms"}
    asked = {"path": path, "flows": [{"size": "1kB"}], "stack": {"preset": preset}}
    stack: dict[str, Any] = document.resolve(asked)["stack"]
    return stack


def name(field: Field) -> str:
    """How a field is called, with a mark where it has a flag."""
    return plain_name(field) + (" ▸" if field.flag is not None else "")


def told(words: str) -> str:
    """A text of several paragraphs in one cell."""
    return cell(" ".join(words.split()))


def shown(value: object) -> str:
    """A value as a scenario file has it."""
    if value is None:
        return "–"
    return str(value).lower() if isinstance(value, bool) else cell(str(value))


def cell(words: str) -> str:
    """Text within a table, whose columns a bar would end."""
    return words.replace("|", "\\|")
