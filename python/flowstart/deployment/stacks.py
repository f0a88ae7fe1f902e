"""What hosts run, which other settings their stack offers, and how each is set: `stacks.toml`."""

import dataclasses
import functools
import importlib.resources
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest
from flowstart.model.variants import Variant

Kind: TypeAlias = Literal["startup", "cc", "setting"]


@dataclass(frozen=True)
class Knob:
    """One option of one stack."""

    stack: str
    write: str
    """What to write where; a name in braces stands for the variant's value."""
    source: str
    """The text that tells of it, with its version."""
    by_network: str = ""
    """The same for one network only; empty where it holds for a whole host."""
    revert: str = ""
    """What undoes it; empty where that is the option of what was there before."""

    def filled(self, value: object) -> str:
        """What to write where, with the variant's value."""
        return self.write.replace("{iw}", str(value))

    def limited(self, network: str, value: object) -> str:
        """What to write for one network."""
        return self.by_network.replace("{network}", network).replace("{iw}", str(value))


@dataclass(frozen=True)
class Offer:
    """What the stacks offer for one algorithm or setting."""

    knobs: tuple[Knob, ...]
    none: str
    """What is known of stacks that do not offer it; empty where nothing is."""

    @property
    def lines(self) -> list[str]:
        """A line for each knob, then what is known otherwise."""
        told = [f"{knob.stack}: {knob.write} ({knob.source})" for knob in self.knobs]
        return told + ([self.none] if self.none else [])


def offer(kind: Kind, name: str) -> Offer | None:
    """What the stacks offer; None for a name that the table does not have, as one's own has not."""
    entry = _knob_table().get(kind, {}).get(name.partition(":")[0].strip())
    if entry is None:
        return None
    return Offer(tuple(Knob(**knob) for knob in entry.get("knobs", ())), entry.get("none", ""))


@functools.cache
def _knob_table() -> dict[str, Any]:
    file = importlib.resources.files("flowstart.deployment").joinpath("knobs.toml")
    return tomllib.loads(file.read_text("utf-8"))


FIELDS = {"iw": "iw", "pacing": "pacing", "restart": "idle"}
"""Fields of a stack for which the table of options has a setting."""
UNKNOWN = "startup=slow-start cc=reno"
"""What a preset runs that stands for no stack in use: RFC 5681."""


@dataclass(frozen=True)
class Commands:
    """What to write on a host of one stack."""

    stack: str
    set: tuple[str, ...]
    revert: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """They in words."""
        return [
            f"Set ({self.stack}): {'; '.join(self.set)}",
            f"Revert ({self.stack}): {'; '.join(self.revert)}",
        ]


@dataclass(frozen=True)
class HostStack:
    """What hosts run."""

    name: str
    options: tuple[str, ...]
    """Its names in the table of options; empty for any stack in use."""
    recorded: Variant
    """What it does unless it is changed."""
    candidates: tuple[Variant, ...]
    research: tuple[Variant, ...]
    source: str
    measured_window: int | None = None
    """Initial window that a capture shows, in segments."""

    @classmethod
    def named(cls, name: str) -> "HostStack":
        """A stack of the table. Raises RequestError where there is none of this name."""
        if name not in (table := _table()):
            right = suggest(name, list(table))
            raise RequestError(
                f"`{name}` is no stack; one of {', '.join(table)}{right}", ("recorded",)
            )
        one = table[name]
        return cls(
            name,
            tuple(one["options"]),
            Variant.parse(f"recorded: {one['recorded']} stack={one['preset']}"),
            tuple(map(Variant.parse, one["candidates"])),
            tuple(map(Variant.parse, one["research"])),
            one["source"],
        )

    @classmethod
    def of_preset(cls, preset: str) -> "HostStack":
        """The stack that a preset stands for; any where it stands for none."""
        if preset in _table():
            return cls.named(preset)
        recorded = Variant.parse(f"recorded: {UNKNOWN} stack={preset}")
        return cls(preset, (), recorded, (), (), "RFC 5681")

    def measured(self, initial_window: int) -> "HostStack":
        """The same with an initial window that was measured, in segments.

        A candidate with the same window or a smaller one would change nothing or be a step back.
        """
        recorded = dataclasses.replace(
            self.recorded, stack=self.recorded.fields | {"iw": str(initial_window)}
        )
        larger = (v for v in self.candidates if _window(v, initial_window + 1) > initial_window)
        return dataclasses.replace(
            self,
            recorded=recorded,
            candidates=tuple(larger),
            measured_window=initial_window,
        )

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return self.options[0] if len(self.options) == 1 else f"a {self.name.upper()} stack"

    def commands(self, variant: Variant, baseline: Variant) -> list[Commands]:
        """How hosts change from the baseline to a variant and back; empty where they cannot."""
        parts = _differences(variant, baseline)
        if parts is None:
            return []
        offered = [{k.stack: (k, back) for k, back in _options(*part)} for part in parts]
        names = self.options or tuple(dict.fromkeys(n for one in offered for n in one))
        found = []
        for name in names:
            if not all(name in one for one in offered):
                continue
            knobs = [one[name] for one in offered]
            revert = tuple(back for _, back in knobs)
            sources = tuple(dict.fromkeys(knob.source for knob, _ in knobs))
            found.append(Commands(name, tuple(knob.write for knob, _ in knobs), revert, sources))
        return found

    def by_network(self, variant: Variant, baseline: Variant, network: str) -> list[Commands]:
        """How hosts change to a variant for one network only; empty where they cannot."""
        found = []
        for kind, name, value, _ in _differences(variant, baseline) or ():
            one = offer(kind, name)
            knobs = [k for k in one.knobs if k.by_network] if one else []
            known = [k for k in knobs if not self.options or k.stack in self.options]
            if not known:
                return []
            revert = f"ip route del {network}"
            found += [
                Commands(k.stack, (k.limited(network, value),), (revert,), (k.source,))
                for k in known
            ]
        return found

    def offers(self, variant: Variant, baseline: Variant) -> bool:
        """Whether hosts can be changed to a variant."""
        return not _differences(variant, baseline) or bool(self.commands(variant, baseline))


def _window(variant: Variant, otherwise: int) -> int:
    """A variant's initial window in segments, where it has one of its own."""
    return int(str(variant.fields.get("iw", otherwise)).removesuffix("pkt"))


_Part = tuple[Kind, str, str | None, str]
"""A kind of option, its name, the value that is set, and what the baseline has."""


def _differences(variant: Variant, baseline: Variant) -> list[_Part] | None:
    """What has to be changed; None where something has no option in any stack."""
    parts: list[_Part] = []
    pairs = ((str(variant.begins), str(baseline.begins)), (variant.cc, baseline.cc))
    for kind, (new, old) in zip(("startup", "cc"), pairs, strict=True):
        if new != old and new is not None:
            if ":" in new:
                return None  # with parameters of its own
            parts.append((kind, new, None, old or ""))  # type: ignore[arg-type]
    old_fields = baseline.fields
    for field, value in variant.fields.items():
        if field == "preset" or old_fields.get(field) == value:
            continue
        if field not in FIELDS:
            return None
        parts.append(("setting", FIELDS[field], str(value).removesuffix("pkt"), ""))
    if ("startup", "bbr-startup") in {(kind, name) for kind, name, *_ in parts}:
        # One setting of a stack has both halves.
        parts = [part for part in parts if part[:2] != ("startup", "bbr-startup")]
    return parts


def _options(kind: Kind, name: str, value: str | None, old: str) -> list[tuple[Knob, str]]:
    """The options of all stacks, each with what undoes it."""
    found = offer(kind, name)
    before = offer(kind, old) if old else None
    undone = {knob.stack: knob.write for knob in before.knobs} if before else {}
    options = []
    for knob in found.knobs if found else ():
        filled = Knob(knob.stack, knob.filled(value), knob.source, knob.revert)
        back = knob.revert or undone.get(knob.stack) or f"remove it: {filled.write}"
        options.append((filled, back))
    return options


def default_of(capture_format: str) -> str:
    """The stack whose hosts a kind of capture usually shows: a qlog is one of QUIC."""
    return "quic" if capture_format == "qlog" else "linux"


def names() -> Sequence[str]:
    """The stacks of the table."""
    return tuple(_table())


@functools.cache
def _table() -> dict[str, Any]:
    file = importlib.resources.files("flowstart.deployment").joinpath("stacks.toml")
    return tomllib.loads(file.read_text("utf-8"))
