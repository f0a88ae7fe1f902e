"""A stack as people write it: `ns2:recovery=newreno,iw=3`, a preset and fields of its own."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import specs
from flowstart.model.document import Document, plain, resolve
from flowstart.model.fields import Endpoint

if TYPE_CHECKING:
    import polars as pl

PRESETS = _native.STACKS
"""The presets of endpoints by name, each with what it is."""
DEFAULT = _native.DEFAULT_STACK
"""The preset of endpoints that name none: most servers run Linux, with CUBIC."""


@dataclass(frozen=True)
class WindowInUse:
    """An initial window of some senders of a direction."""

    segments: int
    share: float
    """Of the connections whose initial window was measured."""
    addresses: tuple[str, ...]
    """The senders with such connections."""


@dataclass(frozen=True)
class Omissions:
    """Rules of stacks that their presets leave out."""

    all: tuple[str, ...]
    """Each in a sentence."""
    decisive: tuple[str, ...]
    """A note for each preset of those that can decide the startup."""


def omissions(resolved: Iterable[Document]) -> Omissions:
    """What the presets of scenarios with every default leave out; each rule counts once."""
    every, decisive = _native.omissions(json.dumps([*resolved]))
    return Omissions(tuple(every), tuple(decisive))


def omissions_of_rows(rows: "pl.LazyFrame") -> Omissions:
    """The same of a sweep's rows, by `stack`, `startup`, `cc` and the largest `size_bytes`."""
    kinds = rows.group_by("stack", "startup", "cc", maintain_order=True).max().collect()
    return omissions(
        {
            "flows": [
                {
                    "stack": of_scenario(parse(row["stack"]) if row["stack"] else None),
                    "startup": row["startup"],
                    "cc": row["cc"],
                    "size": f"{row['size_bytes']}B",
                }
            ]
        }
        for row in kinds.iter_rows(named=True)
    )


def preset_omissions(name: str) -> list[dict[str, str]]:
    """The rules that a preset leaves out: what of a result each decides, the rule, its source."""
    keys = ("touches", "rule", "source")
    return [dict(zip(keys, rule, strict=True)) for rule in _native.preset_omissions(name)]


def preset(name: str) -> dict[str, Any]:
    """Every field of a preset with its value."""
    return {key: value for key, value in _resolved(name)["stack"].items() if key != "preset"}


def usual_cc(name: str) -> str:
    """The congestion control of a flow on a preset that names none."""
    cc: str = _resolved(name)["flows"][0]["cc"]
    return cc


def _resolved(name: str) -> dict[str, Any]:
    """A scenario with a preset, on a path that no field of a stack depends on."""
    path = {"rate": "1Mbps", "rtt": "100ms"}
    try:
        return resolve({"path": path, "stack": parse(name), "flows": [{"size": "1kB"}]})
    except RequestError as error:
        raise error.at(()) from None


def parse(text: str) -> dict[str, Any]:
    """`ns2:recovery=newreno,iw=3` as the fields of a scenario's stack."""
    return dict(json.loads(_native.stack_fields(text)))


def fields(stack: object) -> dict[str, Any] | None:
    """The fields of a preset's name, with overrides or without, or of a table."""
    if not isinstance(stack, str | Endpoint | Mapping | None):
        raise RequestError("a name or a table of fields is needed", ("stack",), repr(stack))
    fields: dict[str, Any] | None = parse(stack) if isinstance(stack, str) else plain(stack)
    return fields


def of_scenario(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """The stack of a scenario with its preset, which is `DEFAULT` where none is named."""
    return {"preset": DEFAULT} | dict(fields or {})


def typed(field: str, value: Any) -> Any:
    """`value` as a number or a truth value where the field has one; else as it is."""
    return json.loads(_native.stack_value(field, value)) if isinstance(value, str) else value


def written(fields: Mapping[str, Any] | None) -> str | None:
    """The stack as one word of a command line, the opposite of `parse`."""
    return _native.stack_word(specs.pairs(fields)) if fields else None
