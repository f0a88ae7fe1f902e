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
from flowstart_papers.readings import Reading, Tried
from flowstart_papers.target import Measured, Value

Change = Callable[[Setting], Setting]
PACKAGE = "flowstart_papers.quick_start_low_latency"
TARGETS = published.of(PACKAGE).targets

INPUTS = readings.open_inputs(PACKAGE)
FIGURE5_DELAY = "delay of Fig. 5"
FITTED = {
    "120 kB": "120 packets",
    "host lines": "1 ms",
    "router links": "one",
    "request": "163.84 Mbit/s",
    "smallest window": "2 packets",
}
"""The readings that were decoded from Table I together."""

CHANGES: Mapping[str, Mapping[str, Change]] = {
    "120 kB": {"120 packets": lambda s: replace(s, kilobyte=MSS)},
    "host lines": {
        "1 ms": lambda s: replace(s, host_delay=1.0),
        "5 ms": lambda s: replace(s, host_delay=5.0),
    },
    "router links": {
        "both, each with half": lambda s: replace(s, links=(Link(delay=0.5), Link(delay=0.5))),
        "one": lambda s: replace(s, links=(Link(),)),
    },
    "request": {
        "what is queued": lambda s: s.asking(sizing="data"),
        "163.84 Mbit/s": lambda s: s.asking(request="163.84Mbps"),
    },
    "smallest window": {"2 packets": lambda s: s.asking(min_window="2")},
    "pacing clock": {"exact": lambda s: s.but(coarse_pacing=False)},
    "queue": {"endless": lambda s: replace(s, queue=ENDLESS_QUEUE)},
    "first timeout": {"6 s": lambda s: s.but(rto_initial="6s")},
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
    return [_statements(lab, setting(one), one[FIGURE5_DELAY]) for one in chosen]


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
