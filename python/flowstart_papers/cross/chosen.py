"""What was chosen for the cross-table, moved: memories, interfaces, and how many switch."""

from collections.abc import Sequence
from dataclasses import replace

from flowstart_papers.cross import scenarios, startups
from flowstart_papers.cross.scenarios import Scenario
from flowstart_papers.cross.spelling import spelled
from flowstart_papers.cross.startups import MEMORY, REMEMBERED, SLOW_START, StartUp
from flowstart_papers.cross.table import CrossTable, measure
from flowstart_papers.experiment import Cell, Experiment, Findings, Table
from flowstart_papers.lab import Lab

MEMORIES = ("0.5bdp", REMEMBERED, "2bdp", "4bdp")
REMEMBERING = ("qs.100M.high", "js.64", "js.far", "mix.crowd")
"""Scenarios in which memories are moved."""
INTERFACES = ("5Mbps", "10Mbps", "50Mbps", "1Gbps")
KNOWING = ("js.16", "js.64", "mix.web")
"""Scenarios without a host's line, in which the interface is told."""
TOLD = "qs-app"
SHARES = (10, 25, 50, 75)
CROWD = "mix.crowd"

Row = dict[str, Cell]


def run(lab: Lab) -> Findings:
    """CROSS-CHOSEN."""
    memories = measure(lab, scenarios.named(*REMEMBERING), [startups.named(SLOW_START), *_moved()])
    interfaces = [_told(lab, rate) for rate in INTERFACES]
    shares = [_switched(lab, share) for share in SHARES]
    return Findings(
        answers=[_says_memories(memories), _says_interfaces(interfaces), _says_shares(shares)],
        tables=[
            Table(
                "memories",
                "Startups by what they remember: change against slow start, and of bystanders.",
                _rows(memories),
            ),
            Table(
                "interfaces",
                f"{TOLD} by its interface rate: change against slow start.",
                [row for found in interfaces for row in _rows(found)],
            ),
            Table(
                "shares",
                f"{CROWD} by the share that has switched: change against slow start.",
                [row for found in shares for row in _rows(found)],
            ),
        ],
    )


def _moved() -> list[StartUp]:
    return [
        replace(each, name=f"{each.name} of {memory}", cached_cwnd=memory)
        for each in startups.every()
        if MEMORY in each.needs
        for memory in MEMORIES
    ]


def _told(lab: Lab, rate: str) -> CrossTable:
    columns = [
        replace(each, interface=rate, key=f"{each.key} at {rate}")
        for each in scenarios.named(*KNOWING)
    ]
    return measure(lab, columns, [startups.named(name) for name in (SLOW_START, TOLD)])


def _switched(lab: Lab, share: int) -> CrossTable:
    (crowd,) = scenarios.named(CROWD)
    column = replace(crowd, share=share, key=f"{CROWD} at {share} %")
    schemes = [each for each in startups.every() if each.home or each.name == SLOW_START]
    return measure(lab, [column], schemes)


def _rows(found: CrossTable) -> list[Row]:
    rows: list[Row] = []
    for scenario in found.scenarios:
        for startup in found.startups:
            entry = found.entry(scenario, startup)
            if entry and startup.name != SLOW_START:
                harm = spelled(entry.harm) if entry.harm else None
                rows.append(
                    {
                        "scenario": scenario.key,
                        "startup": startup.name,
                        "change": spelled(entry.ratio),
                        "bystanders": harm,
                    }
                )
    return rows


def _says_memories(found: CrossTable) -> str:
    """The mean of the startups that remember, in each scenario."""
    by_memory = "; ".join(
        f"{memory}: {', '.join(_worst(found, each, memory) for each in found.scenarios)}"
        for memory in MEMORIES
    )
    return f"The worst of those that remember, by what they do: {by_memory}."


def _worst(found: CrossTable, scenario: Scenario, memory: str) -> str:
    mine = [each for each in found.startups if each.name.endswith(f" of {memory}")]
    entries = [(entry, each) for each in mine if (entry := found.entry(scenario, each))]
    entry, startup = max(entries, key=lambda pair: pair[0].ratio.value)
    return f"{scenario.key} {spelled(entry.ratio)} ({startup.name.partition(' of ')[0]})"


def _says_interfaces(tables: Sequence[CrossTable]) -> str:
    told = "; ".join(
        ", ".join(
            f"{scenario.key} {spelled(entry.ratio)}"
            for scenario in found.scenarios
            if (entry := found.entry(scenario, startups.named(TOLD)))
        )
        for found in tables
    )
    return f"{TOLD} by its interface: {told}."


def _says_shares(tables: Sequence[CrossTable]) -> str:
    said = []
    for found in tables:
        (scenario,) = found.scenarios
        entries = [
            (entry.harm, each)
            for each in found.startups
            if (entry := found.entry(scenario, each)) and entry.harm
        ]
        harm, startup = max(entries, key=lambda pair: pair[0].value)
        said.append(f"{spelled(harm)} at {scenario.share} % ({startup.name})")
    return f"Maximum cost of a paper's scheme for slow start's camp in {CROWD}: {', '.join(said)}."


EXPERIMENTS = (
    Experiment(
        id="CROSS-CHOSEN",
        figure="study",
        question="What hangs on the memories and interfaces that startups are given, and on how "
        "many switch?",
        run=run,
    ),
)
