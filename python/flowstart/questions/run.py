"""The fields of a run of one scenario."""

import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from flowstart.model.scenario import ScenarioLike
from flowstart.questions.common import ALLOW_PYTHON, Bounded
from flowstart.questions.option import Argument, Option

SCENARIO = Argument(
    "Scenario file.",
    "SCENARIO.toml",
    meaning="A scenario, its fields as a mapping, or the name of its file.",
)
SINK = Option(
    "Folder for the rows, as Parquet files, for runs of more rows than memory holds; it is "
    "replaced as a whole.",
    flag="",
)


@dataclass(frozen=True)
class RunQuestion(Bounded):
    """A run whose rows stay in memory."""

    scenario_like: Annotated[ScenarioLike, SCENARIO]
    _: KW_ONLY
    trace: Annotated[
        bool | None,
        Option(
            "Trace of windows, packets and queues; requires -o.",
            meaning="Trace of windows, packets and queues.",
        ),
    ] = None
    packets: Annotated[
        Sequence[int],
        Option("Numbers of the flows whose packets are recorded for qlog and pcap.", flag=""),
    ] = ()
    allow_python: Annotated[bool, ALLOW_PYTHON] = False


@dataclass(frozen=True)
class StoredRunQuestion(Bounded):
    """A run whose rows go to a folder."""

    scenario_like: Annotated[ScenarioLike, SCENARIO]
    _: KW_ONLY
    sink: Annotated[str | os.PathLike[str], SINK]
    allow_python: Annotated[bool, ALLOW_PYTHON] = False
