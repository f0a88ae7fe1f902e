"""Where a value stands in a sweep's file, and which values are right there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.errors import RequestError
from flowstart.model import definitions
from flowstart.model.catalog import suggest
from flowstart.model.document import resolve
from flowstart.model.units import Kind
from flowstart.sweeps.language.expressions import MSS, PACKET, Names

KINDS = {
    **dict.fromkeys(("Probability", "BurstLength", "f64", "u32", "u64"), Kind.NUMBER),
    "Rate": Kind.RATE,
    "Duration": Kind.TIME,
    "Amount": Kind.SIZE,
    "Bytes": Kind.SIZE,
}
"""What fields measure, by their types in Rust."""
TABLES = ("QuickStartSpec", "Delays")
"""Types whose values are tables in themselves."""


@dataclass(frozen=True)
class Slot:
    """A field of a path or a flow, in a cell with other fields."""

    part: str
    """`path` or `flow`."""
    field: definitions.Field
    names: Names
    """What expressions may name here."""

    @property
    def place(self) -> str:
        """What errors call it."""
        return f"{self.part}.{self.field.name}"

    @property
    def kind(self) -> Kind | None:
        """What it measures; None where its values are no quantities."""
        return None if self.field.is_list else KINDS.get(self.field.value)

    @property
    def is_table(self) -> bool:
        """Whether a table is a value of its, and no law."""
        return self.field.value in TABLES

    @property
    def packet(self) -> str:
        """Which packets it counts: those of a size carry so much payload."""
        return MSS if (self.part, self.field.name) == ("flow", "size") else PACKET

    def refusal(self, value: Any) -> RequestError:
        """That a value is wrong here, in the simulator's words."""
        path: dict[str, Any] = {"rate": "1Mbps", "rtt": "1ms"}
        flow: dict[str, Any] = {"size": "1kB"}
        (path if self.part == "path" else flow)[self.field.name] = value
        try:
            if "." not in self.field.name:
                resolve({"path": path, "flows": [flow]})
        except RequestError as error:
            return RequestError(in_words_of_sweeps(str(error)))
        right = self.kind.value if self.kind else "another value"
        return RequestError(f"{self.place}: `{value}` is not what it takes; {right} is needed")


def in_words_of_sweeps(message: str) -> str:
    """A complaint of the simulator's about the only flow of a scenario."""
    if message.startswith("flows[0]: "):
        return message.removeprefix("flows[0]: ")
    return message.replace("flows[0].", "flow.", 1)


def check_keys(place: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuses keys of a table that mean nothing."""
    for key in given:
        if key not in known:
            at = f"{place}.{key}" if place else str(key)
            raise RequestError(f"{at}: `{key}` is unknown{suggest(str(key), list(known))}")
