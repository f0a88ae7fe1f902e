"""The fields of a comparison of startups on a path or in a scenario."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from flowstart.model.custom import StartupLike
from flowstart.model.path import NetworkPath
from flowstart.model.quantities import Rate, Size, Time, size_texts, time_text, time_texts
from flowstart.model.scenario import ScenarioLike
from flowstart.model.variants import VariantLike
from flowstart.questions import names
from flowstart.questions.common import (
    ALLOW_PYTHON,
    PROGRESS,
    STACK,
    VARIANTS,
    WORKERS,
    Bounded,
    StackLike,
    of_cc,
    of_startups,
)
from flowstart.questions.option import Argument, Option, defined

STARTUPS = "slow-start, limited-slow-start, hystart, hystart-plus-plus, jump-start"
SIZES = Option("Transfer sizes. [10kB,100kB,1MB,10MB]", "S,...", flag="size", reads=size_texts)
WITHIN = Option(
    "Times from the opening of a flow: goodput in each, and the time to the first 100 kB, 1 MB and "
    "10 MB. Without sizes, flows have no end.",
    "TIME,...",
    panel="Traffic",
    reads=time_texts,
)
SPEED_TESTS = Option(
    "Rates that speed tests report: iperf3, iperf3:omit=1s, ndt7, ookla, cloudflare, librespeed.",
    "NAME,...",
    flag="speed-test",
    panel="Traffic",
)
WRITES = Option(
    "Writes of the application instead of sizes, whose delays are compared: every=33ms,size=50kB; "
    "every=10ms,rate=20Mbps,deadline=60ms; on-off:rate=,on=,off=; random:size=,every=; "
    "trace:FILE.csv.",
    "SOURCE",
    panel="Traffic",
)
CACHED_CWND = Option(
    "Congestion window cached from an earlier connection. [1bdp]", "SIZE", panel="Endpoints"
)
SEED = Option("Seed of all random draws. [1]", panel="Execution")
FLOW = {name: each.option for name, each in defined("Flow", "Endpoints").items()}
"""The options of a flow, by its definition."""


@dataclass(frozen=True)
class Compare(Bounded):
    """A comparison in the simulator."""

    setting: Annotated[
        NetworkPath | ScenarioLike,
        Argument(
            "Scenario file instead of path options; its flows without a startup are under test, "
            "the others are background traffic.",
            "SCENARIO.toml",
            meaning="A path, a scenario, or the name of a scenario file.",
        ),
    ]
    _: KW_ONLY
    startups: Annotated[Sequence[StartupLike] | None, of_startups(STARTUPS)] = None
    sizes: Annotated[Sequence[Size] | None, SIZES] = None
    within: Annotated[Time | Sequence[Time] | None, WITHIN] = None
    speed_tests: Annotated[Sequence[str] | None, SPEED_TESTS] = None
    writes: Annotated[str | None, WRITES] = None
    stack: Annotated[StackLike | None, STACK] = None
    variants: Annotated[Sequence[VariantLike], VARIANTS] = ()
    baseline: Annotated[
        str | None,
        Option(
            "Reference for all changes. [slow-start, or the first]",
            "NAME",
            panel="Traffic",
            names=names.startup,
        ),
    ] = None
    flows: Annotated[
        int | None, Option("Simultaneous connections. [1]", panel="Traffic", least=1)
    ] = None
    stagger: Annotated[
        Time | None,
        Option(
            "Time between the openings of connections.", "TIME", panel="Traffic", reads=time_text
        ),
    ] = None
    requests: Annotated[
        int | None,
        Option(
            "Transfers that a client requests on one connection, each after the last.",
            panel="Traffic",
            least=2,
        ),
    ] = None
    idle: Annotated[
        Time | None,
        Option(
            "Idle time before each further request. [0s]", "TIME", panel="Traffic", reads=time_text
        ),
    ] = None
    cc: Annotated[str | None, of_cc("the stack's")] = None
    cached_cwnd: Annotated[str | None, CACHED_CWND] = None
    landing: Annotated[str | None, FLOW["landing"]] = None
    available_rate: Annotated[Rate | None, FLOW["available_rate"]] = None
    seed: Annotated[int | None, SEED] = None
    repeat: Annotated[
        int | None,
        Option(
            "Number of seeds on a random path. [until the intervals decide, at most 320]",
            panel="Execution",
            least=1,
        ),
    ] = None
    uncertainty: Annotated[
        bool, Option("One run per row, without repeats and intervals.", panel="Execution")
    ] = True
    workers: Annotated[int | None, WORKERS] = None
    allow_python: Annotated[bool, ALLOW_PYTHON] = False
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None
