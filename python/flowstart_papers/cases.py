"""Many cases with several seeds each: run at one go, and taken apart again by case."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from flowstart.model.scenario import ScenarioLike
from flowstart.simulation.run import Run
from flowstart_papers.lab import Lab

Case = TypeVar("Case", bound=Hashable)
Read = TypeVar("Read")


def by_case(
    lab: Lab,
    scenarios: Mapping[Case, Sequence[ScenarioLike]],
    read: Callable[[Run], Read],
    *,
    trace: bool = False,
) -> dict[Case, list[Read]]:
    """What `read` finds in the runs of each case, in the order of its scenarios."""
    everything = [one for mine in scenarios.values() for one in mine]
    found = iter(lab.runs(everything, read, trace=trace))
    return {case: [next(found) for _ in mine] for case, mine in scenarios.items()}


def mean_of(seeds: Sequence[Mapping[str, Any]], name: str) -> float:
    """The mean of one of the values over the seeds."""
    return float(sum(one[name] for one in seeds) / len(seeds))
