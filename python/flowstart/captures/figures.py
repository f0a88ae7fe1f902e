"""Figures of a capture: the Jump Start paper's figures 3 and 5 for the user's own traffic."""

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from flowstart.captures.summary import LARGE_BYTES
from flowstart.render.charts import STYLE, Chart, figure_of, log_scale, state_absence

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

LINE_RTT_S = 0.05


def needed_rates(demands: "pl.DataFrame", axes: "Axes | None" = None) -> Figure:
    """The rate that would carry each direction in one round trip, over its size."""
    over = demands.filter("over").drop_nulls("rate_bytes_per_s")
    with mpl.rc_context(STYLE):
        axes = axes or Chart(figsize=(6, 4.2)).subplots()
        axes.plot(
            over["bytes"],
            8e-6 * over["rate_bytes_per_s"],
            linestyle="",
            marker=".",
            markersize=4,
            color="#0072B2",
            alpha=0.6,
            rasterized=True,
        )
        reference = 8e-6 * LARGE_BYTES / LINE_RTT_S
        axes.axhline(reference, color="0.4", linewidth=0.8)
        axes.annotate(
            "4380 B in 50 ms",
            (1, reference),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
        )
        log_scale(axes, "x", over["bytes"])
        axes.set_yscale("log")
        axes.set_xlabel("bytes of a direction (more than 4380)")
        axes.set_ylabel("rate to send them in one round trip (Mbit/s)")
        if over.is_empty():
            axes.set_xticks([])
            state_absence(axes, "no direction with more than 4380 bytes and a known RTT")
        return figure_of(axes)


def window_reductions(demands: "pl.DataFrame") -> Figure:
    """How much the advertised window takes from those rates, as a distribution."""
    over = demands.filter("over")
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(6, 4.2))
        axes = chart.subplots()
        for name, label, dash in (
            ("reduction_bytes_per_s", "widest window", "-"),
            ("handshake_reduction_bytes_per_s", "handshake's window", "--"),
        ):
            values = over[name].drop_nulls().sort().to_numpy()
            if len(values):
                share = np.arange(1, len(values) + 1) / len(values)
                axes.step(values / 1e6, share, where="post", linestyle=dash, label=label)
        axes.set_xscale("symlog", linthresh=0.01)
        axes.set_ylim(0, 1)
        axes.set_xlabel("rate lost to the advertised window (MB/s)")
        axes.set_ylabel("share of directions over 4380 bytes")
        if axes.lines:
            axes.legend(loc="lower right")
        else:
            axes.set_xticks([])
            state_absence(axes, "no direction with more than 4380 bytes and known window and RTT")
        return chart
