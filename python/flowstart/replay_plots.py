"""Figures of a replay."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from flowstart.plots import STYLE, Chart, looks
from flowstart.replay_summary import ClassSummary


def by_class(found: Sequence[ClassSummary]) -> Figure:
    """Slowdown by size class (median and 95th percentile), and the share that is hurt."""
    classes = list(dict.fromkeys(s.size_class for s in found))
    startups = list(dict.fromkeys(s.startup for s in found))
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(9, 5.6))
        above, below = chart.subplots(2, 1, sharex=True, height_ratios=[2, 1])
        width = 0.8 / len(startups)
        for place, (name, look) in enumerate(looks(startups).items()):
            at = {s.size_class: s for s in found if s.startup == name}
            x = np.arange(len(classes)) + (place - (len(startups) - 1) / 2) * width
            mine = [at.get(c) for c in classes]
            middle = np.array([s.slowdown_median or np.nan if s else np.nan for s in mine])
            high = np.array([s.slowdown_p95 or np.nan if s else np.nan for s in mine])
            above.vlines(x, middle, high, color=look["color"], linewidth=1.2)
            above.plot(
                x, middle, marker=look["marker"], color=look["color"], linestyle="", label=name
            )
            hurt = [100 * (s.hurt or 0) if s else 0 for s in mine]
            below.bar(x, hurt, width=0.9 * width, color=look["color"])
        above.set_yscale("log")
        above.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        above.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        above.yaxis.set_minor_formatter(NullFormatter())
        above.set_ylabel("completion time / ideal\n(mark: median, line: to p95)")
        below.set_ylabel("hurt (% of transfers)")
        below.set_ylim(bottom=0)
        counts = {s.size_class: s.transfers for s in found}
        below.set_xticks(range(len(classes)), [f"{c}\n{counts[c]} transfers" for c in classes])
        for axes in (above, below):
            axes.grid(visible=False, axis="x")
        chart.align_ylabels()
        handles, labels = above.get_legend_handles_labels()
        chart.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 5))
        return chart
