"""The figures of a map."""

from collections.abc import Callable
from typing import TypeAlias

from matplotlib.figure import Figure

from flowstart.maps import heatmap, pareto_figure, regret_figure, winners_figure
from flowstart.maps.result import SweepMap

Draw: TypeAlias = Callable[[SweepMap, str], Figure]

FIGURES: dict[str, tuple[Draw, str]] = {
    "regret-heatmap": (
        lambda found, about: heatmap.heatmap(found.outcomes, found.order, about),
        "Mean regret of every startup on every kind of path.",
    ),
    "map": (
        lambda found, about: winners_figure.winners(
            found.outcomes, found.plane, found.margin, about
        ),
        "Which startup is best where.",
    ),
    "regret": (
        lambda found, about: regret_figure.regret(found.outcomes, found.order, about),
        "How regret is spread over cells.",
    ),
    "pareto": (
        lambda found, about: pareto_figure.costs(found.front, found.startups, about),
        "Completion against retransmissions and harm.",
    ),
}
"""The figures by the name of their file: how each is drawn, and its caption."""
