"""What hosts run, which other settings their stack offers, and how each is set: `stacks.toml`."""

import dataclasses
import functools
import importlib.resources
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from flowstart.errors import RequestError
from flowstart.model import quantities
from flowstart.model.catalog import suggest
from flowstart.model.stack import WindowInUse
from flowstart.model.variants import Variant

Kind: TypeAlias = Literal["startup", "cc", "setting"]


@dataclass(frozen=True)
class Knob:
    """One option of one stack."""

    stack: str
    write: str
    """What to write where; a name in braces stands for the variant's value."""
    source: str
    """The text that documents it, with its version."""
    revert: str = ""
    """What undoes it; empty where that is the option of what was there before."""
    step: str = ""
    """The same as a step of a script (`script.py`); empty where no script of a host can do it."""
    network_step: str = ""
    """The step for one network only; empty where it holds for a whole host."""

    def filled(self, **values: object) -> "Knob":
        """The option with the variant's value and the network in the place of their names."""
        new = dataclasses.asdict(self)
        for name, value in values.items():
            new = {key: text.replace(f"{{{name}}}", str(value)) for key, text in new.items()}
        return Knob(**new)


@dataclass(frozen=True)
class Offer:
    """What the stacks offer for one algorithm or setting."""

    knobs: tuple[Knob, ...]
    none: str
    """What is known of stacks that do not offer it; empty where nothing is."""

    @property
    def lines(self) -> list[str]:
        """A line for each knob, then what is known otherwise."""
        knobs = [f"{knob.stack}: {knob.write} ({knob.source})" for knob in self.knobs]
        return [*knobs, *filter(None, [self.none])]


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


FIELDS = {"iw": "iw", "pacing": "pacing", "restart": "idle", "window": "window"}
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
    steps: tuple[str, ...] = ()
    """The same as steps of a script, which saves and restores; empty where no script can do it."""

    def lines(self, setting: str, network: str = "") -> list[str]:
        """How a setting is set and reverted; DIR is the folder of the replay's results."""
        if self.steps:
            when = f" --when network={network}" if network else ""
            return [f"Deploy: flowstart deploy {shlex.quote(setting)} --from DIR{when}"]
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
    facts: Mapping[str, str] = field(default_factory=dict)
    """What a capture shows of them: fields of a stack, and `cc`."""
    windows: tuple[WindowInUse, ...] = ()
    """The initial windows that a capture shows of them, those of most connections first."""

    @classmethod
    def named(cls, name: str) -> "HostStack":
        """A stack of the table. Raises RequestError where there is none of this name."""
        if name not in (table := _table()):
            raise RequestError(
                f"`{name}` is not a stack{suggest(name, list(table))}", ("recorded",)
            )
        entry = table[name]
        return cls(
            name,
            tuple(entry["options"]),
            Variant.parse(f"recorded: {entry['recorded']} stack={entry['preset']}"),
            tuple(map(Variant.parse, entry["candidates"])),
            tuple(map(Variant.parse, entry["research"])),
            entry["source"],
        )

    @classmethod
    def of_preset(cls, preset: str) -> "HostStack":
        """The stack that a preset stands for; any where it stands for none."""
        if preset in _table():
            return cls.named(preset)
        recorded = Variant.parse(f"recorded: {UNKNOWN} stack={preset}")
        return cls(preset, (), recorded, (), (), "RFC 5681")

    def measured(self, facts: Mapping[str, str]) -> "HostStack":
        """The same with facts that were measured: fields of a stack, and `cc`.

        A candidate that changes nothing is left out, and one with a smaller window as a step back.
        """
        fields = {name: value for name, value in facts.items() if name != "cc"}
        cc = facts.get("cc", self.recorded.cc)
        startup = self.recorded.startup if cc == self.recorded.cc else "slow-start"
        recorded = dataclasses.replace(
            self.recorded, startup=startup, cc=cc, stack=self.recorded.fields | fields
        )
        window = int(fields.get("iw", 0))
        new = (
            variant
            for variant in self.candidates
            if _window(variant, window + 1) > window and _changes(variant, recorded)
        )
        return dataclasses.replace(self, recorded=recorded, candidates=tuple(new))

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return self.options[0] if len(self.options) == 1 else f"a {self.name.upper()} stack"

    def step_back(self, variant: Variant) -> WindowInUse | None:
        """The largest window in use that a variant's own does not exceed, if senders differ.

        A setting is for whole hosts, and reduces the window of those that have more.
        """
        if len(self.windows) < 2:
            return None
        largest = max(self.windows, key=lambda window: window.segments)
        return largest if _window(variant, largest.segments + 1) <= largest.segments else None

    def commands(
        self, variant: Variant, baseline: Variant, network: str | None = None
    ) -> list[Commands]:
        """How hosts change from the baseline to a variant and back; empty where they cannot.

        With `network` for this network only.
        """
        parts = _differences(variant, baseline)
        if parts is None:
            return []
        offered = [{knob.stack: knob for knob in _options(*part, network)} for part in parts]
        names = self.options or tuple(dict.fromkeys(n for knobs in offered for n in knobs))
        whole = [n for n in names if all(n in knobs for knobs in offered)]
        commands = [_commands(name, [knobs[name] for knobs in offered]) for name in whole]
        # A second step would write the network's route anew.
        return [command for command in commands if network is None or len(command.steps) == 1]

    def offers(self, variant: Variant, baseline: Variant) -> bool:
        """Whether hosts can be changed to a variant."""
        return not _differences(variant, baseline) or bool(self.commands(variant, baseline))


def _window(variant: Variant, otherwise: int) -> int:
    """A variant's initial window in segments, where it has one of its own."""
    return int(str(variant.fields.get("iw", otherwise)).removesuffix("pkt"))


def _changes(variant: Variant, recorded: Variant) -> bool:
    """Whether a variant has a field, or else an algorithm, that hosts do not have already."""
    if variant.fields:
        return not variant.fields.items() <= recorded.fields.items()
    return (str(variant.begins), variant.cc) != (str(recorded.begins), recorded.cc)


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
    for name, value in variant.fields.items():
        if name == "preset" or old_fields.get(name) == value:
            continue
        if name not in FIELDS:
            return None
        parts.append(("setting", FIELDS[name], _number(value), ""))
    if ("startup", "bbr-startup") in {(kind, name) for kind, name, *_ in parts}:
        # One setting of a stack has both halves.
        parts = [part for part in parts if part[:2] != ("startup", "bbr-startup")]
    return parts


def _number(value: object) -> str:
    """A field's value as an option takes it: packets or bytes without a unit."""
    size = quantities.read(value)
    is_size = size is not None and size.kind is quantities.Kind.SIZE
    return f"{size.base:.0f}" if size and is_size else str(value)


RESTORED = "the value that the script of `flowstart deploy` has saved"


def _options(kind: Kind, name: str, value: str | None, old: str, network: str | None) -> list[Knob]:
    """The options of all stacks, each with what undoes it; those that a network can have."""
    now = offer(kind, name)
    before = offer(kind, old) if old else None
    undone = {knob.stack: knob.write for knob in before.knobs} if before else {}
    options = []
    for knob in now.knobs if now else ():
        step, write = knob.step, knob.write
        if network is not None:
            step = knob.network_step
            write = f"{step.removeprefix('route {network} ')} on the route to {{network}}"
            if not step:
                continue
        filled = dataclasses.replace(knob, step=step, write=write).filled(
            iw=value, window=value, network=network
        )
        back = RESTORED if step else undone.get(knob.stack) or f"remove it: {filled.write}"
        options.append(dataclasses.replace(filled, revert=filled.revert or back))
    return options


def _commands(stack: str, knobs: Sequence[Knob]) -> Commands:
    """The options of one stack together."""
    steps = tuple(dict.fromkeys(knob.step for knob in knobs))
    return Commands(
        stack,
        tuple(knob.write for knob in knobs),
        tuple(knob.revert for knob in knobs),
        tuple(dict.fromkeys(knob.source for knob in knobs)),
        steps if all(steps) else (),
    )


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
