"""What the user of a replay decides: variants, stacks, and what is given of paths."""

import dataclasses
import fnmatch
import functools
import ipaddress
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, cast, get_args

from flowstart import _native
from flowstart.captures.contents import Capture
from flowstart.captures.senders import SenderFacts, windows_in_use
from flowstart.comparison import larger_window
from flowstart.deployment.stacks import Commands, HostStack, default_of
from flowstart.errors import RequestError
from flowstart.inference.gates import Limits
from flowstart.model import specs
from flowstart.model import stack as stacks
from flowstart.model import variants as named
from flowstart.model.catalog import listed, suggest
from flowstart.model.custom import CustomStartups, StartupLike
from flowstart.model.document import Document, initial_window
from flowstart.model.stack import WindowInUse
from flowstart.model.variants import Variant, VariantLike

FIELDS = ("rate", "reverse_rate", "buffer", "reverse_buffer")
FORM = re.compile(r"(?P<pattern>.+):(?P<fields>[a-z_-]+=.+)")


@dataclass(frozen=True)
class GivenNetwork:
    """Fields of the paths to some networks."""

    pattern: str
    """A prefix that holds them, a name, or a pattern of names such as `*`."""
    fields: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises RequestError where the text is not of this form."""
        if not (match := FORM.fullmatch(text)):
            raise RequestError(
                f"`{text}` should be written PREFIX:rate=RATE, such as "
                "10.9.3.0/24:rate=20Mbps,buffer=60pkt",
                ("network",),
            )
        fields: dict[str, str] = {}
        for piece in match["fields"].split(","):
            name, _, value = piece.partition("=")
            name = name.strip().replace("-", "_")
            if name not in FIELDS or not value:
                right = suggest(name, list(FIELDS)) if name not in FIELDS else "; a value is needed"
                raise RequestError(f"`{piece}` is not a field with a value{right}", ("network",))
            fields[name] = value.strip()
        if "reverse_rate" in fields and "rate" not in fields:
            raise RequestError(f"`{text}` has a reverse_rate without a rate", ("network",))
        return cls(match["pattern"], fields)

    @property
    def written(self) -> str:
        """The text that `parse` reads."""
        return f"{self.pattern}:{','.join(f'{k}={v}' for k, v in self.fields.items())}"

    def holds(self, network: str) -> bool:
        """Whether a network is meant."""
        try:
            mine, other = (ipaddress.ip_network(text) for text in (self.pattern, network))
        except ValueError:
            return fnmatch.fnmatchcase(network, self.pattern)
        return mine.version == other.version and mine.supernet_of(other)  # type: ignore[arg-type]


def given_of(network: str, options: Sequence[GivenNetwork]) -> dict[str, str]:
    """What is given of a network; of several the last."""
    fields: dict[str, str] = {}
    for option in options:
        fields |= option.fields if option.holds(network) else {}
    return fields


def refuse_useless(options: Sequence[GivenNetwork], networks: Sequence[str]) -> None:
    """What is given of no network in the capture was meant otherwise."""
    for option in options:
        if not any(map(option.holds, networks)):
            some = ", ".join(networks[:3]) + (", ..." if len(networks) > 3 else "")
            problem = f"`{option.pattern}` holds none of the capture's: {some}"
            raise RequestError(problem, ("network",))


def refuse_one_rate(rate: str | None, networks: Sequence[str]) -> None:
    """A rate for several networks would put them all behind one bottleneck."""
    if rate is not None and len(networks) > 1:
        raise RequestError(
            f"`{rate}` for {len(networks)} networks would put all on one link; give each its "
            f"own with --network PREFIX:rate=RATE, or all with --network '*:rate={rate}'",
            ("rate",),
        )


Tested = Literal["server", "client", "both"]
"""Whose data is under test."""

LINUX = HostStack.named("linux")
"""What hosts are taken to run where nothing else is known: most of them run Linux."""

PARTS = {
    "turns": "a turn begins once the one before it has arrived; without, when the capture has it",
    "page": "a connection opens once the replies before it on its page have arrived",
    "pauses": "applications take as long to answer as they did; without, they answer at once",
    "warm": "a connection keeps its window from turn to turn; without, each turn has a fresh one",
    "handshake": "connections open with the handshake that the capture shows",
    "windows": "receivers offer what they offered; without, what the stack does",
}
"""What a replay takes over of the capture beside sizes, times and paths."""


COMPANIONS = {
    "cubic": "a long transfer under CUBIC",
    "bbr": "a long transfer under BBR",
    "probe": "a small packet every 20 ms, as a call sends them",
}
"""Who may be beside the transfers under test."""


def side(name: str) -> Tested:
    """Whose data is under test, by name."""
    for known in get_args(Tested):
        if name == known:
            return cast(Tested, known)
    known = ", ".join(get_args(Tested))
    raise RequestError(
        f"`{name}` is not a side of a connection; give one of {known}", ("direction",)
    )


@dataclass(frozen=True)
class Settings:
    """What the user decides; None follows the capture."""

    startups: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    """What is compared, beside `startups`, of which each is a variant by itself."""
    baseline: str | None = None
    """The variant that the others are measured against: what is in use. If none is named, it is
    the one that does what was recorded, or slow start, or the first."""
    direction: Tested = "server"
    """Whose data is under test; the other side does what was recorded."""
    by_default: bool = False
    """Whether what is compared was chosen by what the hosts' stack offers, and not given."""
    hosts: HostStack = LINUX
    """What the hosts of the capture run."""
    rate: str | None = None
    reverse_rate: str | None = None
    buffer: str | None = None
    reverse_buffer: str | None = None
    networks: tuple[GivenNetwork, ...] = ()
    """Rates and buffers of single networks."""
    one_link: bool = True
    """Whether a given rate may be that of one link for all networks; otherwise it is refused."""
    rtt: str | None = None
    """One round trip for all, needed for logs that tell none."""
    loss: str | float | None = None
    stack: dict[str, Any] | None = None
    """The stack of the hosts under test; None for that of those recorded."""
    cc: str | None = None
    cached_cwnd: str | None = None
    """The window that an earlier connection left behind, for startups that use a memory.

    None for what earlier connections with the same network have left in the replay itself.
    """
    memory_lifetime: str = "600s"
    """How long that stays good."""
    impairments: Document = field(default_factory=dict)
    """Fields of a path that every path has beside what the capture tells: queues, jitter, ..."""
    cross_traffic: float = 0.0
    """The share of each bottleneck's rate that traffic of others takes, in the direction under
    test."""
    competing: tuple[str, ...] = ()
    """Who else is on each path all the while, of `COMPANIONS`."""
    ignore: frozenset[str] = frozenset()
    """The `PARTS` of the capture that are left out."""
    seed: int = 1
    custom: CustomStartups = field(default_factory=CustomStartups)
    """The startups that are not in the catalog."""
    widens: bool = False
    """Whether the baseline is also compared with larger windows of its receivers."""

    def __post_init__(self) -> None:
        for name in sorted(self.ignore - PARTS.keys()):
            right = suggest(name, list(PARTS))
            raise RequestError(f"`{name}` is not a part of a replay{right}", ("ignore",))
        if self.baseline is not None:
            _native.baseline(self.baseline, [variant.name for variant in self.requested])
        for name in self.competing:
            if name not in COMPANIONS:
                right = suggest(name, list(COMPANIONS))
                raise RequestError(f"`{name}` is not a competing flow{right}", ("competing",))
        if self.competing:
            specs.unique("competing", self.competing)
        if not 0 <= self.cross_traffic < 1:
            raise RequestError(
                f"`{100 * self.cross_traffic:g}%` is out of range; "
                "a share from 0% to below 100% is needed",
                ("cross_traffic",),
            )

    @property
    def recorded(self) -> Variant:
        """What the hosts of the capture did."""
        return self.hosts.recorded

    @property
    def requested(self) -> tuple[Variant, ...]:
        """The variants that were given, and one for each startup, which bears its name.

        Congestion control is that of the recording where nothing else is said.
        """
        usual = self.cc or self.recorded.cc
        own = (Variant(name, name, usual) for name in self.startups)
        return (*self.variants, *own)

    @property
    def compared(self) -> tuple[Variant, ...]:
        """All variants, with that of larger windows."""
        return (*self.requested, *filter(None, [self.larger]))

    @functools.cached_property
    def larger(self) -> Variant | None:
        """The baseline with larger windows of its receivers, those that were recorded included."""
        if not self.widens:
            return None
        base = self.reference
        own = base.fields
        stack = own if "preset" in own else (self.stack or self.recorded.fields) | own
        shipped = stacks.of_scenario(stack).get("receiver", "")
        return larger_window.widened(base, {"receiver": shipped} | stack)

    @property
    def larger_size(self) -> str:
        """How large that window is, in words where that is different from client to client."""
        fields = self.larger.fields if self.larger else {}
        return str(fields.get("window", f"{larger_window.TIMES} times the present one"))

    def commands(self, variant: Variant, network: str | None = None) -> list[Commands]:
        """How hosts are changed to a variant; of larger windows the hosts of receivers."""
        if variant == self.larger:
            fields = variant.fields | {"window": self.larger_size}
            variant = dataclasses.replace(variant, stack=fields)
        return self.hosts.commands(variant, self.reference, network)

    @property
    def offered(self) -> tuple[str, ...]:
        """The variants that the hosts' stack offers; the others are research."""
        base = self.reference
        fits = (v.name for v in self.compared if v == self.larger or self.hosts.offers(v, base))
        return tuple(fits)

    @property
    def names(self) -> tuple[str, ...]:
        """The variants' names."""
        return tuple(variant.name for variant in self.compared)

    @property
    def reference(self) -> Variant:
        """The variant that the others are measured against."""
        requested = self.requested
        name = _native.baseline(self.baseline, [variant.name for variant in requested])
        return next(variant for variant in requested if variant.name == name)

    def variant(self, name: str) -> Variant:
        """The variant of this name."""
        return next(variant for variant in self.compared if variant.name == name)

    def as_recorded(self) -> "Settings":
        """The same for a replay of what was recorded, which the baseline is."""
        return dataclasses.replace(
            self,
            startups=(),
            variants=(self.reference if self.compared else self.recorded,),
            baseline=None,
            widens=False,
            direction="both",
            stack=None,
            cc=None,
            cross_traffic=0.0,
            competing=(),
        )

    def only(self, names: Collection[str]) -> "Settings":
        """The same with fewer variants, which have the reference among them."""
        return dataclasses.replace(
            self,
            startups=tuple(name for name in self.startups if name in names),
            variants=tuple(variant for variant in self.variants if variant.name in names),
            baseline=self.reference.name,
            widens=self.larger is not None and self.larger.name in names,
        )

    def has(self, part: str) -> bool:
        """Whether a part of the capture is replayed."""
        return part not in self.ignore


CURRENT = "current"
"""The name of the variant that does what was recorded."""


def hosts_of(
    recorded: str | None,
    stack: Mapping[str, Any] | None,
    capture: Capture | None = None,
    direction: Tested = "server",
) -> HostStack:
    """What the hosts of a capture run: as given, or as the stack or the capture suggests.

    What the capture shows of them is taken from it, unless `stack` has that field.
    """
    if recorded is not None:
        hosts = HostStack.named(recorded)
    elif stack is not None:
        hosts = HostStack.of_preset(stacks.of_scenario(stack)["preset"])
    else:
        hosts = HostStack.named(default_of(capture.about.get("format", "") if capture else ""))
    facts = measured_facts(capture, direction) if capture else {}
    usual = stacks.preset(hosts.recorded.fields["preset"])
    known = {**usual, "iw": str(initial_window(usual)), "cc": hosts.recorded.cc}
    other = {
        name: value
        for name, value in facts.items()
        if name not in (stack or {}) and known.get(name) != value
    }
    windows = measured_windows(capture, direction) if capture else ()
    hosts = hosts.measured(other) if other else hosts
    return dataclasses.replace(hosts, facts=facts, windows=windows)


def measured_windows(capture: Capture, direction: Tested) -> tuple[WindowInUse, ...]:
    """The initial windows of the senders under test.

    Those of fewer connections than a setting may harm cannot make it harmful.
    """
    return windows_in_use(capture.connections, _sending(direction), Limits().harmed)


def _sending(direction: Tested) -> str:
    """The senders under test; of both sides, servers."""
    return "c2s" if direction == "client" else "s2c"


def measured_facts(capture: Capture, direction: Tested) -> dict[str, str]:
    """What the capture shows of the senders under test: fields of a stack, and `cc`."""
    facts = SenderFacts.of(capture.senders, _sending(direction))
    known = {
        "iw": facts.initial_window and str(facts.initial_window),
        "pacing": facts.paced and "internal",
        # Stacks reduce the window in different ways.
        "restart": "keep" if facts.idle_restart == "kept" else None,
        "cc": facts.cc,
    }
    return {name: value for name, value in known.items() if value}


def compared(
    hosts: HostStack,
    variants: Sequence[VariantLike],
    startups: Sequence[StartupLike] | None,
    baseline: str | None,
    cc: str | None,
    custom: CustomStartups,
) -> tuple[tuple[Variant, ...], str]:
    """The variants, and the name of the baseline.

    Without variants and startups it is what the stack offers, with what it does not for comparison.
    The baseline is what was recorded, unless it is named.
    """
    if startups is not None and not startups and not variants:
        raise RequestError("no startup is given")
    if startups is None and not variants:
        variants = (*hosts.candidates, *hosts.research)
        if not variants:
            startups = ("hystart", "hystart-plus-plus", "jump-start")
    elif variants:
        variants = [_of_recording(variant, hosts) for variant in variants]
    chosen = named.settled(variants, startups or (), custom)
    usual = cc or hosts.recorded.cc
    if baseline is not None:
        if baseline == CURRENT and not any(v.name == CURRENT for v in chosen):
            return (_current(hosts, cc), *chosen), CURRENT
        if listed(baseline) and not any(v.name == baseline for v in chosen):
            chosen = (*named.settled((), (baseline,), custom), *chosen)
        return chosen, _native.baseline(baseline, [v.name for v in chosen])
    now = _current(hosts, cc)
    for variant in chosen:
        same = (str(variant.begins), variant.cc or usual, variant.fields, variant.landing)
        if same == (str(now.begins), now.cc, now.fields, now.landing):
            return chosen, variant.name
    return (now, *chosen), CURRENT


def _of_recording(requested: VariantLike, hosts: HostStack) -> Variant:
    """A variant with the recorded startup, where it names neither one nor what implies one."""
    variant = Variant.parse(requested) if isinstance(requested, str) else requested
    if variant.startup or variant.cc or "preset" in variant.fields:
        return variant
    return dataclasses.replace(variant, startup=hosts.recorded.startup)


def _current(hosts: HostStack, cc: str | None) -> Variant:
    recorded = hosts.recorded
    measured = {name: value for name, value in recorded.fields.items() if name != "preset"}
    return Variant(CURRENT, recorded.startup, cc or recorded.cc, measured)
