"""The inputs that the paper leaves open or contradicts, and what each way to read them comes to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from flowstart_papers import published, readings
from flowstart_papers.experiment import Findings
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import figures, table1
from flowstart_papers.quick_start_low_latency.setups import (
    ENDLESS_QUEUE,
    LITERAL,
    MSS,
    Link,
    Setting,
)
from flowstart_papers.readings import OpenInput, Reading, Tried
from flowstart_papers.target import Measured, Value

Change = Callable[[Setting], Setting]
TARGETS = published.of("flowstart_papers.quick_start_low_latency").targets

KILOBYTE = OpenInput(
    name="120 kB",
    says="“120 kB”, and a MSS of 1,460 bytes; but the table tends to 71.4 %, which is five of "
    "seven round trips, and so few bytes take slow start five of six",
    readings={
        "83 packets": "120 000 bytes in segments of 1460; with kB of 1024 bytes they would be 85, "
        "which take slow start as many flights",
        "120 packets": "a packet counted as a kB; decoded from the 71.4 %, for which 94 to 189 "
        "packets would do",
    },
)
HOSTS = OpenInput(
    name="host lines",
    says="“Each host is connected to a router via 1 Gbps link”; no delay",
    readings={
        "no delay": "none is printed",
        "1 ms": "decoded from Table I, where 0.05 ms more or less already shows",
        "5 ms": "examples of ns-2 give hosts a few milliseconds; more would outweigh the "
        "paper's low latency",
    },
)
LINKS = OpenInput(
    name="router links",
    says="three routers in a chain, connected “via 384 kbps, 100 Mbps and 1 Gbps links with "
    "propagation delays ranging from 1 ms to 1,000 ms”",
    readings={
        "both, each with the delay": "the sentence has links in the plural, with the delays",
        "both, each with half": "the delay may be the path's",
        "one": "decoded from Table I: one link has rate and delay, the other takes no time",
    },
)
REQUEST = OpenInput(
    name="request",
    says="nothing; routers are “willing to allocate up to 90% of their capacity”",
    readings={
        "open": "the routers' 90 % are the only limit that is printed",
        "what is queued": "ns-2's default is to ask for no more than carries the queued data "
        "within 50 ms; but without a rate that is set, it requests nothing",
        "163.84 Mbit/s": "decoded from Table I's column of 1 Gbit/s: ns-2's code for 20 MB/s",
    },
)
SMALLEST = OpenInput(
    name="smallest window",
    says="nothing; a connection starts “at the approved rate”",
    readings={
        "above the initial": "ns-2's rule: an approved window is used if it exceeds slow start's",
        "2 packets": "decoded from Table I's negative cell, whose approved window is 2",
    },
)
CLOCK = OpenInput(
    name="pacing clock",
    says="nothing; ns-2 is the tool",
    readings={
        "ticks of 10 ms": "ns-2 paces by round trips in whole ticks, of 10 ms by default",
        "exact": "Quick-Start's text has no ticks",
    },
)
QUEUE = OpenInput(
    name="queue",
    says="“a maximum queue length of 150 packets” (Sec. II); “unlimited buffer sizes” (Sec. IV)",
    readings={
        "150 packets": "the section on the set-up",
        "endless": "the discussion, of the same simulations",
    },
)
TIMEOUT = OpenInput(
    name="first timeout",
    says="nothing; ns-2 is the tool",
    readings={
        "3 s": "ns-2's default since January 2006",
        "6 s": "ns-2's default before; longer than the longest handshake",
    },
)
FIGURE5_DELAY = OpenInput(
    name="delay of Fig. 5",
    says="nothing; the delays range from 1 ms to 1000 ms",
    readings={
        "1 ms": "the first of the range",
        "3 ms": "another of Table I's",
        "10 ms": "another of Table I's",
        "100 ms": "the first that the paper calls high",
    },
)
INPUTS = (
    KILOBYTE, HOSTS, LINKS, REQUEST, SMALLEST, CLOCK, QUEUE, TIMEOUT, FIGURE5_DELAY,
)  # fmt: skip

FITTED = {
    KILOBYTE.name: "120 packets",
    HOSTS.name: "1 ms",
    LINKS.name: "one",
    REQUEST.name: "163.84 Mbit/s",
    SMALLEST.name: "2 packets",
}
"""The readings that were decoded from Table I together."""

CHANGES: Mapping[str, Mapping[str, Change]] = {
    KILOBYTE.name: {"120 packets": lambda s: replace(s, kilobyte=MSS)},
    HOSTS.name: {
        "1 ms": lambda s: replace(s, host_delay=1.0),
        "5 ms": lambda s: replace(s, host_delay=5.0),
    },
    LINKS.name: {
        "both, each with half": lambda s: replace(s, links=(Link(delay=0.5), Link(delay=0.5))),
        "one": lambda s: replace(s, links=(Link(),)),
    },
    REQUEST.name: {
        "what is queued": lambda s: s.asking(sizing="data"),
        "163.84 Mbit/s": lambda s: s.asking(request="163.84Mbps"),
    },
    SMALLEST.name: {"2 packets": lambda s: s.asking(min_window="2")},
    CLOCK.name: {"exact": lambda s: s.but(coarse_pacing=False)},
    QUEUE.name: {"endless": lambda s: replace(s, queue=ENDLESS_QUEUE)},
    TIMEOUT.name: {"6 s": lambda s: s.but(rto_initial="6s")},
}
"""What the readings that are not literal change in the set-up."""


def setting(reading: Reading) -> Setting:
    """The set-up under a reading."""
    found = LITERAL
    for name, changes in CHANGES.items():
        if reading[name] in changes:
            found = changes[reading[name]](found)
    return found


LITERAL_READING: Reading = readings.literal(INPUTS)
DECODED_READING: Reading = {**LITERAL_READING, **FITTED}


def cells() -> list[Reading]:
    """The literal reading and the decoded one, and around each all others one at a time."""
    fitted_but_one = [{**DECODED_READING, name: LITERAL_READING[name]} for name in FITTED]
    others = [
        {**DECODED_READING, each.name: reading}
        for each in INPUTS
        if each.name not in FITTED
        for reading in each.readings
    ]
    return readings.grid(readings.alone(INPUTS), [DECODED_READING], fitted_but_one, others)


def measure(lab: Lab, chosen: Sequence[Reading]) -> list[Mapping[str, Measured | Value]]:
    """What the paper prints, under each reading."""
    return [_statements(lab, setting(one), one[FIGURE5_DELAY.name]) for one in chosen]


def _statements(lab: Lab, one: Setting, delay: str) -> Mapping[str, Measured | Value]:
    found = table1.statements(lab, one)
    cost = max(table1.refused(lab, one)["cost"])
    printed = [target for target in TARGETS if target.id != "qs.t1.asymptote"]
    return (
        readings.statements(found, printed, "QS-T1")
        | figures.figure2(lab, one)
        | figures.figure3(lab, one)
        | figures.figure4(lab, one)
        | figures.figure5(lab, one, int(delay.removesuffix(" ms")))
        | {"qs.deny.cost": round(cost, 3)}
    )


def _name(cell: Reading) -> str:
    """A cell in words: what differs from the literal reading or from the decoded one."""
    bases = {"literal": LITERAL_READING, "decoded": DECODED_READING}
    moved = {
        base: [f"{name}: {one}" for name, one in cell.items() if one != reading[name]]
        for base, reading in bases.items()
    }
    nearest = min(moved, key=lambda base: len(moved[base]))
    return f"{nearest}, but {', '.join(moved[nearest])}" if moved[nearest] else nearest


def show(tried: Tried) -> Findings:
    """The grid, its picture with the rows named by what lies nearest."""
    found = tried.findings()
    picture = tried.picture_by_group(
        _groups(tried.names),
        [_name(cell) for cell in tried.cells],
        "How many statements hold under which reading. Above around the literal reading, below "
        "around the five inputs that were fitted to Table I. The tables below name them",
    )
    answers = [found.answers[0], _outside(tried), *found.answers[1:]]
    return replace(found, answers=answers, pictures=[picture])


def _groups(names: Sequence[str]) -> dict[str, list[str]]:
    """The statements by the part of the paper that makes them."""
    parts: dict[str, str | tuple[str, ...]] = {
        "Table I, 384 kbit/s": "qs.t1.384k.",
        "Table I, 100 Mbit/s": "qs.t1.100m.",
        "Table I, 1 Gbit/s": "qs.t1.1g.",
        "Table I, shape": "qs.t1.",
        "Fig. 2": "qs.f2.",
        "Figs. 3 and 4": ("qs.f3.", "qs.f4.", "qs.f34."),
        "Fig. 5": "qs.f5.",
        "refusal": "qs.deny.",
    }
    left = list(names)
    groups: dict[str, list[str]] = {}
    for part, beginning in parts.items():
        groups[part] = [name for name in left if name.startswith(beginning)]
        left = [name for name in left if name not in groups[part]]
    if left:
        raise ValueError(f"no part of the paper has {left[0]}")
    return groups


def _outside(tried: Tried) -> str:
    """What the decoded inputs come to where nothing was fitted."""
    others = [name for name in tried.names if not name.startswith("qs.t1.")]
    held = [
        len(set(others) - tried.missing(list(tried.cells).index(reading)))
        for reading in (LITERAL_READING, DECODED_READING)
    ]
    return (
        f"Of the {len(others)} statements outside Table I, to which nothing was fitted, {held[0]} "
        f"hold literally and {held[1]} as decoded from the table."
    )


QS_READINGS = readings.experiment(
    name="QS-READINGS",
    question="Which of the paper's statements hold under which reading of what it leaves open?",
    inputs=INPUTS,
    cells=cells(),
    targets=TARGETS,
    measure=measure,
    show=show,
)
