"""The columns: the headline scenarios of every paper, and their web and contention loads.

All that this package knows of the papers' own packages is here.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.cross import measures
from flowstart_papers.cross.measures import Reading
from flowstart_papers.cross.startups import INTERFACE, MEMORY, ROUTERS, StartUp
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
"""Whose scenarios, with the name in tables."""

LOW_MS, HIGH_MS = 1, 100
"""One-way delays of the Quick-Start paper's Table I."""
RATES = {"384kbps": "384 kbit/s", "100Mbps": "100 Mbit/s", "1Gbps": "1 Gbit/s"}
SHORT_S, LONG_S = 0.01, 0.3
"""One-way delays of Modified Swift Start's tables; the round trip stays below the first timeout."""
LINE_BUFFER = "50pkt"
SIZES = (4, 16, 64, 128)
"""Packets; to 64 the paper's Figure 1, with 128 what its footnote speaks of."""
CLOSE, FAR = "0.2s", "1.5s"
"""Between connections' starts."""
CROWD_MS = 350
WEB_SESSIONS = 8
HALF = 50
OVERSHOOT = "25s"
FAST_MBPS, CUBIC_END_S = 400, 70
"""Of HyStart's Figure 4, whose base case has a round trip of 160 ms and a buffer of its BDP."""
HYSTART_OWN = {
    # Linux begins without a threshold, which the estimate could only raise.
    "adaptive-start": "adaptive-start:growth=per-ack,ssthresh=1000000,response=standard",
    "packet-pair-start": "packet-pair-start:reading=closest,growth=per-ack",
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


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A column."""

    key: str
    """`js.close`."""
    paper: str
    ground: str
    """The column of the printed table that it belongs to."""
    what: str
    """In words."""
    competing: CompetingFlows = "alone"
    base: Callable[[int], Document]
    """By seed, with everybody in slow start."""
    read: Callable[[Run], Reading] = measures.flows
    seeds: int = 1
    """One where nothing is drawn."""
    drawn: str = ""
    """What the seed draws."""
    users: int = 0
    """How many there are of whom some switch; 0 where all users are under test."""
    share: int = HALF
    """Percent of them who do."""
    bystanders: str = ""
    """Who shares the path in slow start."""
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
        camp = camps.switched(self.users, self.share, seed)
        return lambda user: user in camp

    def beside(self, seed: int) -> Callable[[int], bool]:
        """Whether a user is a bystander: those who stayed, or else the load."""
        if not self.users:
            return lambda user: user == measures.LOAD
        camp = camps.switched(self.users, self.share, seed)
        return lambda user: user not in camp and user != measures.LOAD

    def takes(self, startup: StartUp) -> bool:
        """Whether the startup can be given here what it needs."""
        return not (self.web and MEMORY in startup.needs)

    def document(self, startup: StartUp, seed: int) -> Document:
        """The scenario with those under test in this startup."""
        document = copy.deepcopy(self.base(seed))
        tested = self.under_test(seed)
        told = {"startup": startup.tuned(self.tuning, self.own)}
        if MEMORY in startup.needs:
            told["cached_cwnd"] = startup.cached_cwnd
        path = document["path"]
        if INTERFACE in startup.needs and not {"access_rate", "nic_rate"} & set(path):
            told["interface_rate"] = self.interface
        entries = document["web" if self.web else "flows"]
        for user, entry in enumerate(entries):
            if tested(user):
                entry |= told
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


def grounds(scenarios: Sequence[Scenario]) -> dict[tuple[str, str], list[Scenario]]:
    """By paper and column of the printed table."""
    found: dict[tuple[str, str], list[Scenario]] = {}
    for scenario in scenarios:
        found.setdefault((scenario.paper, scenario.ground), []).append(scenario)
    return found


def _quick_start() -> list[Scenario]:
    own = {"quick-start": quick_start.LITERAL.quick_start}
    alone = [
        Scenario(
            key=f"qs.{rate.removesuffix('bps')}.{'low' if delay == LOW_MS else 'high'}",
            paper=QUICK_START,
            ground="low latency" if delay == LOW_MS else "high latency",
            what=f"120 kB over {name} at {delay} ms",
            base=partial(_table1, rate, delay),
            own=own,
        )
        for delay in (LOW_MS, HIGH_MS)
        for rate, name in RATES.items()
    ]
    load = mixed.quick(WEB_SESSIONS)
    web = Scenario(
        key="qs.web",
        paper=QUICK_START,
        ground="web",
        what=f"40 transfers of 120 kB over 100 Mbit/s at 50 ms next to {WEB_SESSIONS} web sessions",
        base=partial(_everybody, load),
        competing="others",
        seeds=8,
        drawn="starts, pages, sizes",
        bystanders="the web sessions",
        own=own,
    )
    return [*alone, web]


def _table1(rate: str, delay: float, _seed: int) -> Document:
    setting = quick_start.LITERAL
    packets = setting.packets(quick_start.TABLE1_KB)
    return quick_start.transfer(setting, rate, delay, packets, quick_start.SLOW_START)


def _everybody(setting: camps.Setting, seed: int) -> Document:
    """A network of two camps before anybody has switched."""
    return setting.build([camps.SLOW_START] * setting.users, seed)


def _swift_start() -> list[Scenario]:
    tuning = PER_ACK | {"ssthresh": swift_start.THRESHOLD.removeprefix("ssthresh=")}
    own = {"modified-swift-start": swift_start.LITERAL.modified}
    alone = [
        Scenario(
            key=f"mss.{line.key}.{'short' if delay == SHORT_S else 'long'}",
            paper=SWIFT_START,
            ground=line.name,
            what=f"10 MB over {line.name}, line delay {delay:g} s",
            base=partial(_line, line, delay),
            tuning=tuning,
            own=own,
        )
        for line in (swift_start.T1, swift_start.OC1)
        for delay in (SHORT_S, LONG_S)
    ]
    ten = Scenario(
        key="mss.ten",
        paper=SWIFT_START,
        ground="ten",
        what=f"ten transfers of 100 kB over T1, line delay {LONG_S:g} s, a buffer of 50 packets",
        base=partial(_everybody, mixed.swift("T1", 1000 * LONG_S, LINE_BUFFER)),
        competing="alike",
        seeds=20,
        drawn="starts",
    )
    return [*alone, ten]


def _line(line: swift_start.Line, delay: float, _seed: int) -> Document:
    return swift_start.LITERAL.transfer(line, delay, camps.SLOW_START)


def _slides() -> list[Scenario]:
    found = []
    for path in (slides.Path(1000, 1000), slides.Path(10_000, 1000)):
        shared: dict[str, Any] = {
            "paper": SLIDES,
            "tuning": PER_ACK,
            "own": {
                "qs-app": slides.startup("QS-app", path),
                "qs-app, paced": slides.startup(slides.PACED, path),
                "limited-slow-start": slides.startup("LSS", path),
            },
            "interface": f"{path.interface}Mbps",
        }
        found.append(
            Scenario(
                key=f"cav.{path.name.lower()}",
                ground=path.name,
                what=f"1 GB over {path.name} at {slides.CHICAGO.replace('ms', ' ms')}",
                base=partial(_object, path),
                **shared,
            )
        )
    two = Scenario(
        key="cav.two",
        ground="two",
        what=f"two sessions of 1 GB over {path.name}, the second within 5 s of the first",
        base=partial(_two_objects, path),
        competing="alike",
        seeds=6,
        drawn="starts",
        **shared,
    )
    return [*found, two]


def _object(path: slides.Path, _seed: int) -> Document:
    return slides.transfer("Reno", path)


def _two_objects(path: slides.Path, _seed: int) -> Document:
    document = slides.transfer("Reno", path, sessions=2)
    document["flows"][0] |= {"stagger": "0s", "jitter": "5s"}
    return document


def _jump_start() -> list[Scenario]:
    shared: dict[str, Any] = {"paper": JUMP_START, "interface": JUMP_START_INTERFACE}
    alone = [
        Scenario(
            key=f"js.{size}",
            ground="alone" if size <= 64 else f"{size} pkt",
            what=f"{size} packets alone over 5 Mbit/s at 64 ms",
            base=partial(_single, size),
            **shared,
        )
        for size in SIZES
    ]
    crowds = [
        Scenario(
            key=f"js.{name}",
            ground=name,
            what=f"200 connections of 200 packets, one each {gap.removesuffix('s')} s, all alike",
            base=partial(_crowd, gap),
            competing="alike",
            seeds=10,
            drawn="starts",
            **shared,
        )
        for name, gap in (("far", FAR), ("close", CLOSE))
    ]
    web = Scenario(
        key="js.web",
        ground="web",
        what="50 web sessions over 10 Mbit/s, all alike",
        base=_web,
        competing="others",
        read=measures.sessions,
        seeds=24,
        drawn="pages, sizes",
        **shared,
    )
    return [*alone, *crowds, web]


def _single(size: int, _seed: int) -> Document:
    return jump_start.single(jump_start.SLOW_START, size)


def _crowd(gap: str, seed: int) -> Document:
    return jump_start.contention(gap, jump_start.SLOW_START, seed, jitter="10ms")


def _web(seed: int) -> Document:
    return jump_start.web(jump_start.SLOW_START, seed)


def _hystart() -> list[Scenario]:
    shared: dict[str, Any] = {
        "paper": HYSTART,
        "tuning": PER_ACK,
        "own": HYSTART_OWN,
        "read": measures.shares,
    }
    return [
        Scenario(
            key="hy.f1",
            ground="one flow",
            what="a CUBIC flow without end over 400 Mbit/s at 370 ms, its first 25 s",
            base=_overshoot,
            **shared,
        ),
        Scenario(
            key="hy.f2",
            ground="two flows",
            what="two Reno flows without end over 100 Mbit/s at 106 ms, 40 s",
            competing="alike",
            base=_two,
            **shared,
        ),
        Scenario(
            key="hy.f4",
            ground="two CUBIC",
            what="two CUBIC flows without end over 400 Mbit/s at 160 ms, 30 s apart, 70 s",
            competing="alike",
            base=_two_cubic,
            seeds=3,
            drawn="starts",
            **shared,
        ),
        Scenario(
            key="hy.traffic",
            ground="+ traffic",
            what="the same with 10 % of other traffic both ways",
            competing="others",
            base=_with_traffic,
            seeds=4,
            drawn="starts, sizes",
            bystanders="the other traffic",
            **shared,
        ),
    ]


def _overshoot(_seed: int) -> Document:
    link = hystart.path(*hystart.FIG1)
    return hystart.one(link, hystart.SLOW_START, OVERSHOOT, cc=hystart.CUBIC)


def _two(_seed: int) -> Document:
    link = hystart.path(*hystart.FIG2)
    return hystart.two(link, hystart.SLOW_START, (0.0, 10.0), 40)


def _two_cubic(_seed: int) -> Document:
    starts = (10.0, 40.0)
    link = hystart.path(FAST_MBPS, 160)
    document = hystart.two(link, hystart.SLOW_START, starts, CUBIC_END_S, cc=hystart.CUBIC)
    document["flows"][0]["jitter"] = "2s"
    return document


def _with_traffic(seed: int) -> Document:
    traffic = hystart.background(TRAFFIC * FAST_MBPS, CUBIC_END_S)
    return _two_cubic(seed) | {"web": traffic}


def _mixed() -> list[Scenario]:
    """Half of the users have switched, the others are still in slow start."""
    shared: dict[str, Any] = {
        "paper": MIXED,
        "drawn": "switchers, starts, sizes",
        "bystanders": "the other half",
        "interface": JUMP_START_INTERFACE,
    }
    crowd, web = mixed.at_random(CROWD_MS), mixed.web()
    ten, load = mixed.swift("T1", 1000 * LONG_S, LINE_BUFFER), mixed.quick(WEB_SESSIONS)
    return [
        Scenario(
            key="mix.crowd",
            ground="crowd",
            what="half of 200 connections of 200 packets, one each 0.35 s at random moments",
            competing="alike",
            base=partial(_everybody, crowd),
            users=crowd.users,
            seeds=10,
            **shared,
        ),
        Scenario(
            key="mix.web",
            ground="web",
            what="half of 50 web sessions over 10 Mbit/s",
            competing="others",
            base=partial(_everybody, web),
            users=web.users,
            read=measures.sessions,
            seeds=24,
            **shared,
        ),
        Scenario(
            key="mix.ten",
            ground="ten",
            what="half of the ten transfers over T1",
            competing="alike",
            base=partial(_everybody, ten),
            users=ten.users,
            seeds=20,
            **shared,
        ),
        Scenario(
            key="mix.load",
            ground="load",
            what="half of the 40 transfers next to web sessions",
            competing="others",
            base=partial(_everybody, load),
            users=load.users,
            seeds=8,
            **shared,
        ),
    ]
