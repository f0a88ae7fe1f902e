"""The fields of a search for the paths on which a startup does worst."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from flowstart.model.custom import StartupLike
from flowstart.model.stack import DEFAULT
from flowstart.questions import names
from flowstart.questions.common import PROGRESS, WORKERS, Bounded, StackLike
from flowstart.questions.option import Argument, Option

SEARCH = "Search"


@dataclass(frozen=True)
class Worst(Bounded):
    """A search for the paths on which a startup is worst compared with others."""

    startup: Annotated[StartupLike, Argument("Startup under test.", "STARTUP", names=names.startup)]
    _: KW_ONLY
    against: Annotated[
        Sequence[StartupLike] | None,
        Option(
            "Startups to compare with. [unaided: all without router, peer or cache support]",
            "A,B,...",
            names=names.startups,
        ),
    ] = None
    search_space: Annotated[
        str | None,
        Option(
            "Ranges of paths, sizes and competing flows: "
            "rate=1Mbps..1Gbps,queue=fq-codel|codel. All but rate, rtt, buffer and size may be "
            "absent from a path. [a realistic range of each]",
            "FIELD=MIN..MAX,...",
        ),
    ] = None
    measure: Annotated[
        str,
        Option(
            "Measure to maximise.",
            "regret|loss|harm",
            names=lambda: ("regret", "loss", "harm"),
        ),
    ] = "regret"
    stack: Annotated[
        StackLike, Option("Preset of both endpoints.", "STACK", names=names.stacks)
    ] = DEFAULT
    cc: Annotated[
        str | None,
        Option("Congestion control after startup. [the stack's]", "NAME", names=names.ccs),
    ] = None
    runs: Annotated[int, Option("Number of paths to try.", panel=SEARCH)] = 500
    distinct: Annotated[int, Option("Number of findings to show.", panel=SEARCH)] = 5
    seed: Annotated[int, Option("Seed of the search.", panel=SEARCH)] = 1
    seeds: Annotated[
        int, Option("Seeds per path, for the median, where anything is random.", panel=SEARCH)
    ] = 3
    workers: Annotated[int | None, WORKERS] = None
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None
