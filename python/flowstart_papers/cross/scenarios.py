"""The columns: the headline scenarios of every paper, and their web and contention loads.

All that this package knows of the papers' own packages is here.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.cross import measures
from flowstart_papers.cross.measures import Reading
from flowstart_papers.cross.startups import INTERFACE, MEMORY, ROUTERS, SLOW_START, StartUp
from flowstart_papers.hystart import setups as hystart
from flowstart_papers.jump_start import setups as jump_start
from flowstart_papers.mixed_traffic import camps
from flowstart_papers.mixed_traffic import setups as mixed
from flowstart_papers.modified_swift_start import setups as swift_start
from flowstart_papers.quick_start_low_latency import setups as quick_start
from flowstart_papers.slow_start_high_speed import setups as slides

QUICK_START = "quick-start-low-latency"
SWIFT_START = "modified-swift-start"
SLIDES = "slow-start-high-speed"
JUMP_START = "jump-start"
HYSTART = "hystart"
MIXED = "mixed-traffic"
PAPERS = {
    QUICK_START: "Quick-Start",
    SWIFT_START: "Modified Swift Start",
    SLIDES: "Cavendish",
    JUMP_START: "Jump Start",
    HYSTART: "HyStart",
    MIXED: "half switched",
}
"""The papers of the scenarios, with their names in tables."""

LATENCIES_MS = {"low": 1, "high": 100}
"""One-way delays of the Quick-Start paper's Table I."""
RATES = {"384kbps": "384 kbit/s", "100Mbps": "100 Mbit/s", "1Gbps": "1 Gbit/s"}
LONG_S = 0.3
LINE_DELAYS_S = {"short": 0.01, "long": LONG_S}
"""One-way delays of Modified Swift Start's tables; the round trip stays below the first timeout."""
LINE_BUFFER = "50pkt"
SIZES = (4, 16, 64, 128)
"""Packets; to 64 the paper's Figure 1, with 128 what its footnote speaks of."""
GAPS = {"far": "1.5s", "close": "0.2s"}
"""Between connections' starts."""
CROWD_MS = 350
WEB_SESSIONS = 8
HALF = 50
FAST_MBPS, CUBIC_END_S = 400, 70
"""Of HyStart's Figure 4, whose base case has a round trip of 160 ms and a buffer of its BDP."""
HYSTART_OWN = {
    # Linux begins without a threshold, which the estimate could only raise.
    "adaptive-start": "adaptive-start:growth=per-ack,ssthresh=1000000,response=standard",
    "packet-pair-start": "packet-pair-start:variant=closest,growth=per-ack",
}
"""As the paper's Figure 2 has them."""
TRAFFIC = 0.1
"""Of the link each way."""

GENERAL_INTERFACE = "1Gbps"
"""That of hosts whose own line is no link of the scenario."""
JUMP_START_INTERFACE = "50Mbps"
"""The hosts' own lines in Jump Start's second set-up."""
PER_ACK = {"growth": "per-ack"}


CompetingFlows = Literal["alone", "alike", "others"]
"""One transfer by itself; transfers of the same kind meet; web or other traffic is there."""


@dataclass(frozen=True)
class Scenario:
    """A column."""

    key: str
    """`js.close`."""
    paper: str
    ground: str
    """The column of the printed table that it belongs to."""
    what: str
    """In words."""
    base: Callable[..., Document]
    """With everybody in slow start; by seed where something is drawn."""
    competing: CompetingFlows = "alone"
    read: Callable[[Run], Reading] = measures.flows
    seeds: int = 1
    """One where nothing is drawn."""
    drawn: str = ""
    """What the seed draws."""
    users: int = 0
    """The number of users if some of them switch; 0 where all are under test."""
    share: int = HALF
    """Percent of them that switch."""
    bystanders: str = ""
    """Flows in slow start that share the path."""
    tuning: Mapping[str, str] = field(default_factory=dict)
    """Parameters of all startups that have them."""
    own: Mapping[str, str] = field(default_factory=dict)
    """The startups that the paper itself sets up, by name."""
    interface: str = GENERAL_INTERFACE

    @property
    def web(self) -> bool:
        """Whether those under test are web sessions, which cannot be given a memory."""
        return self.read is measures.sessions

    def under_test(self, seed: int) -> Callable[[int], bool]:
        """Whether a user is."""
        if not self.users:
            return lambda user: user != measures.LOAD
        return camps.switched(self.users, self.share, seed).__contains__

    def beside(self, seed: int) -> Callable[[int], bool]:
        """Whether a user is a bystander: those that stayed, or else the load."""
        tested = self.under_test(seed)
        return lambda user: not tested(user) and (user != measures.LOAD or not self.users)

    def takes(self, startup: StartUp) -> bool:
        """Whether the startup can be given here what it needs."""
        return not (self.web and MEMORY in startup.needs)

    def document(self, startup: StartUp, seed: int) -> Document:
        """The scenario with those under test in this startup."""
        document = copy.deepcopy(self.base(seed) if self.drawn else self.base())
        tested = self.under_test(seed)
        given = {"startup": startup.tuned(self.tuning, self.own)}
        if MEMORY in startup.needs:
            given["cached_cwnd"] = startup.cached_cwnd
        path = document["path"]
        if INTERFACE in startup.needs and not {"access_rate", "nic_rate"} & set(path):
            given["interface_rate"] = self.interface
        entries = document["web" if self.web else "flows"]
        for user, entry in enumerate(entries):
            if tested(user):
                entry |= given
        if ROUTERS in startup.needs:
            path.setdefault("quick_start", {"admission": "rfc"})
        return document | {"seed": seed}


def every() -> list[Scenario]:
    """All columns, in the order of the papers."""
    return [
        *_quick_start(),
        *_swift_start(),
        *_slides(),
        *_jump_start(),
        *_hystart(),
        *_mixed(),
    ]


def named(*keys: str) -> list[Scenario]:
    """The columns of these keys."""
    return [each for each in every() if each.key in keys]


def _everybody(setting: camps.Setting, seed: int) -> Document:
    """A network of two camps before anybody has switched."""
    return setting.build([SLOW_START] * setting.users, seed)


def _quick_start() -> list[Scenario]:
    setting = quick_start.LITERAL
    packets = setting.packets(quick_start.TABLE1_KB)
    own = {"quick-start": setting.quick_start}
    alone = [
        Scenario(f"qs.{rate.removesuffix('bps')}.{latency}", QUICK_START, f"{latency} latency",
                 f"120 kB over {name} at {delay} ms",
                 partial(quick_start.transfer, setting, rate, delay, packets, SLOW_START), own=own)
        for latency, delay in LATENCIES_MS.items() for rate, name in RATES.items()
    ]  # fmt: skip
    web = Scenario(
        "qs.web", QUICK_START, "web",
        f"40 transfers of 120 kB over 100 Mbit/s at 50 ms next to {WEB_SESSIONS} web sessions",
        partial(_everybody, mixed.quick(WEB_SESSIONS)), "others", seeds=8,
        drawn="starts, pages, sizes", bystanders="the web sessions", own=own,
    )  # fmt: skip
    return [*alone, web]


def _swift_start() -> list[Scenario]:
    setting = swift_start.LITERAL
    tuning = PER_ACK | {"ssthresh": swift_start.THRESHOLD.removeprefix("ssthresh=")}
    alone = [
        Scenario(f"mss.{line.key}.{length}", SWIFT_START, line.name,
                 f"10 MB over {line.name}, line delay {delay:g} s",
                 partial(setting.transfer, line, delay, SLOW_START), tuning=tuning,
                 own={"modified-swift-start": setting.modified})
        for line in (swift_start.T1, swift_start.OC1) for length, delay in LINE_DELAYS_S.items()
    ]  # fmt: skip
    ten = Scenario(
        "mss.ten", SWIFT_START, "ten",
        f"ten transfers of 100 kB over T1, line delay {LONG_S:g} s, a buffer of 50 packets",
        partial(_everybody, mixed.swift("T1", 1000 * LONG_S, LINE_BUFFER)), "alike", seeds=20,
        drawn="starts",
    )  # fmt: skip
    return [*alone, ten]


def _slides() -> list[Scenario]:
    expansion, reduction = slides.Path(1000, 1000), slides.Path(10_000, 1000)
    alone = [
        Scenario(f"cav.{path.name.lower()}", SLIDES, path.name,
                 f"1 GB over {path.name} at {slides.CHICAGO.replace('ms', ' ms')}",
                 partial(slides.transfer, "Reno", path), **_slides_fields(path))
        for path in (expansion, reduction)
    ]  # fmt: skip
    two = Scenario(
        "cav.two", SLIDES, "two",
        f"two sessions of 1 GB over {reduction.name}, the second within 5 s of the first",
        partial(_two_objects, reduction), "alike", seeds=6, drawn="starts",
        **_slides_fields(reduction),
    )  # fmt: skip
    return [*alone, two]


def _slides_fields(path: slides.Path) -> dict[str, Any]:
    """The schemes as the slides have them on a path, and its hosts' interface."""
    schemes = {"qs-app": "QS-app", "qs-app, paced": slides.PACED, "limited-slow-start": "LSS"}
    own = {name: slides.startup(scheme, path) for name, scheme in schemes.items()}
    return {"tuning": PER_ACK, "own": own, "interface": f"{path.interface}Mbps"}


def _two_objects(path: slides.Path, _seed: int) -> Document:
    document = slides.transfer("Reno", path, sessions=2)
    document["flows"][0] |= {"stagger": "0s", "jitter": "5s"}
    return document


def _jump_start() -> list[Scenario]:
    interface = JUMP_START_INTERFACE
    alone = [
        Scenario(f"js.{size}", JUMP_START, "alone" if size <= 64 else f"{size} pkt",
                 f"{size} packets alone over 5 Mbit/s at 64 ms",
                 partial(jump_start.single, SLOW_START, size), interface=interface)
        for size in SIZES
    ]  # fmt: skip
    crowds = [
        Scenario(f"js.{name}", JUMP_START, name,
                 f"200 connections of 200 packets, one each {gap.removesuffix('s')} s, all alike",
                 partial(jump_start.contention, gap, SLOW_START, jitter="10ms"), "alike",
                 seeds=10, drawn="starts", interface=interface)
        for name, gap in GAPS.items()
    ]  # fmt: skip
    web = Scenario(
        "js.web", JUMP_START, "web", "50 web sessions over 10 Mbit/s, all alike",
        partial(jump_start.web, SLOW_START), "others", read=measures.sessions, seeds=24,
        drawn="pages, sizes", interface=interface,
    )  # fmt: skip
    return [*alone, *crowds, web]


def _hystart() -> list[Scenario]:
    one, two = hystart.path(*hystart.FIG1), hystart.path(*hystart.FIG2)
    shared: dict[str, Any] = {"tuning": PER_ACK, "own": HYSTART_OWN, "read": measures.shares}
    return [
        Scenario("hy.f1", HYSTART, "one flow",
                 "a CUBIC flow without end over 400 Mbit/s at 370 ms, its first 25 s",
                 partial(hystart.one, one, SLOW_START, "25s", cc=hystart.CUBIC), **shared),
        Scenario("hy.f2", HYSTART, "two flows",
                 "two Reno flows without end over 100 Mbit/s at 106 ms, 40 s",
                 partial(hystart.two, two, SLOW_START, (0.0, 10.0), 40), "alike", **shared),
        Scenario("hy.f4", HYSTART, "two CUBIC",
                 "two CUBIC flows without end over 400 Mbit/s at 160 ms, 30 s apart, 70 s",
                 _two_cubic, "alike", seeds=3, drawn="starts", **shared),
        Scenario("hy.traffic", HYSTART, "+ traffic",
                 "the same with 10 % of other traffic both ways", _with_traffic, "others",
                 seeds=4, drawn="starts, sizes", bystanders="the other traffic", **shared),
    ]  # fmt: skip


def _two_cubic(_seed: int) -> Document:
    link = hystart.path(FAST_MBPS, 160)
    document = hystart.two(link, SLOW_START, (10.0, 40.0), CUBIC_END_S, cc=hystart.CUBIC)
    document["flows"][0]["jitter"] = "2s"
    return document


def _with_traffic(seed: int) -> Document:
    traffic = hystart.background(TRAFFIC * FAST_MBPS, CUBIC_END_S)
    return _two_cubic(seed) | {"web": traffic}


def _mixed() -> list[Scenario]:
    """Half of the users have switched, the others are still in slow start."""

    def half(key: str, what: str, setting: camps.Setting, **fields: Any) -> Scenario:
        return Scenario(f"mix.{key}", MIXED, key, what, partial(_everybody, setting),
                        users=setting.users, drawn="switchers, starts, sizes",
                        bystanders="the other half", interface=JUMP_START_INTERFACE,
                        **fields)  # fmt: skip

    return [
        half("crowd", "half of 200 connections of 200 packets, one each 0.35 s at random moments",
             mixed.at_random(CROWD_MS), competing="alike", seeds=10),
        half("web", "half of 50 web sessions over 10 Mbit/s", mixed.web(), competing="others",
             seeds=24, read=measures.sessions),
        half("ten", "half of the ten transfers over T1",
             mixed.swift("T1", 1000 * LONG_S, LINE_BUFFER), competing="alike", seeds=20),
        half("load", "half of the 40 transfers next to web sessions", mixed.quick(WEB_SESSIONS),
             competing="others", seeds=8),
    ]  # fmt: skip
