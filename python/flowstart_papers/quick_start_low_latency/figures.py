"""Fig. 2 to 5: the improvement over the transfer's size, a curve per delay or rate."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from flowstart_papers.experiment import Findings, Picture, Table, experiment, table
from flowstart_papers.frames import by_case, grid
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, lines, panel
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    INITIAL_WINDOW,
    LITERAL,
    MSS,
    RATES,
    TABLE1_KB,
    Setting,
)
from flowstart_papers.quick_start_low_latency.transfers import number, pairs
from flowstart_papers.target import Measured

DELAYS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LOW = tuple(delay for delay in DELAYS if delay <= 50)
HIGH = tuple(delay for delay in DELAYS if delay >= 100)
SIZES = (*range(2, 11), 12, 15, 20, 22, 25, 30, 40, 46, 50, 60, 80, 94, 100, 120, 150, 190, 200,
         250, 300, 382, 400, 500, 766, 1000, 1534, 2000, 3070, 5000, 6142, 10_000)  # fmt: skip
"""Packets; 4, 10, 22, 46, ... are one more than so many flights of slow start carry."""
SMALL_GAIN = number("qs.f2.small.improvement")
"""What the text sees at 384 kbit/s and 100 ms, in percent, and with what size."""
SMALL_KB = number("qs.f2.small.kilobytes")
NAMED_KB = (SMALL_KB, 50, TABLE1_KB, 1000, 10_000)
"""Sizes that the paper or a target names."""
SLOW, MIDDLE, FAST = RATES


def sweep(lab: Lab, setting: Setting, rate: str) -> pl.DataFrame:
    """All sizes over all delays."""
    sizes = sorted({*SIZES, *(setting.packets(kb) for kb in NAMED_KB)})
    found = pairs(lab, setting, grid(rate=[rate], delay=DELAYS, packets=sizes))
    return found.with_columns(kb=pl.col("packets") * MSS / setting.kilobyte)


def free(
    found: pl.DataFrame, delays: Sequence[int] = DELAYS, least: int = 0, most: int = 10**9
) -> pl.DataFrame:
    """The transfers without a loss, at some of the delays and sizes."""
    wanted = pl.col("delay").is_in(delays) & pl.col("packets").is_between(least, most)
    return found.filter(pl.col("loss_free") & wanted)


def falls(gains: Mapping[int, float]) -> bool:
    """Whether the curve of one delay, by packets, falls beyond its maximum.

    It must fall among sizes that take slow start equally many flights, and from the best of
    those to the best of the next; with one flight more it may step up.
    """
    peak = max(gains, key=gains.__getitem__)
    by_flights = defaultdict(list)
    for packets, value in gains.items():
        if packets >= peak:
            # Flights of 3, 6, 12, ... packets.
            by_flights[(-(-packets // INITIAL_WINDOW)).bit_length()].append(value)
    groups = list(by_flights.values())
    within = all(later < earlier for group in groups for earlier, later in pairwise(group))
    return within and all(max(later) < max(earlier) for earlier, later in pairwise(groups))


def figure2(lab: Lab, setting: Setting) -> dict[str, Measured | Any]:
    """What the paper prints of figure 2, as it comes out in a setting."""
    found = sweep(lab, setting, SLOW)
    cells = by_case(free(found), ("delay", "packets"), "gain")
    low = found.filter(pl.col("delay") <= 20)["gain"]
    at_50ms = free(found, [50], 3, 200)["gain"]
    falling = [falls(by_case(free(found, [delay]), "packets", "gain")) for delay in HIGH]
    return {
        "qs.f2.low": Measured([round(min(low), 2), round(max(low), 2)], max(abs(low)) <= 1),
        "qs.f2.50ms": Measured([round(min(at_50ms), 2), round(max(at_50ms), 2)], max(at_50ms) < 0),
        "qs.f2.100ms.peak": round(cells[100, setting.packets(SMALL_KB)], 2),
        "qs.f2.decay": Measured(f"at {sum(falling)} of {len(falling)} delays", all(falling)),
        "qs.f2.max": round(max(cells.values()), 2),
    }


def figure3(lab: Lab, setting: Setting) -> dict[str, Measured | Any]:
    """What the paper prints of figure 3, as it comes out in a setting."""
    return {"qs.f3.max.low": round(max(free(sweep(lab, setting, MIDDLE), LOW)["gain"]), 2)}


VISIBLE = 10
"""An improvement in percent that can be seen in the figures."""
WORSE = -1
"""The same of a loss: the gaps between the first paced packets cost some hundredths."""


def figure4(lab: Lab, setting: Setting) -> dict[str, Measured | Any]:
    """What the paper prints of figure 4, and of both, as it comes out in a setting."""
    slower, faster = (sweep(lab, setting, rate) for rate in (MIDDLE, FAST))
    low, low_faster = (max(free(found, LOW)["gain"]) for found in (slower, faster))
    far = max(free(faster, [1000])["gain"])
    least, most, large, table1 = map(setting.packets, (50, 1000, 10_000, TABLE1_KB))
    band = [*free(slower, (3, 5, 10, 20, 50), least, most)["gain"],
            *free(faster, DELAYS, least, most)["gain"]]  # fmt: skip
    cells = by_case(free(faster), ("delay", "packets"), "gain")
    kept = {delay: (cells[delay, large], cells[delay, table1]) for delay in (1, 50)}
    worst = min([*free(slower, HIGH)["gain"], *free(faster, HIGH)["gain"]])
    gap = low_faster - low
    return {
        "qs.f4.max.low": round(low_faster, 2),
        "qs.f34.gap": Measured(round(gap, 2), 1 <= gap <= 4),
        "qs.f4.max.1000ms": round(far, 2),
        "qs.f34.size.band": Measured(round(min(band), 2), min(band) > VISIBLE),
        "qs.f34.decay.low": Measured(
            ", ".join(f"{after:.1f} of {before:.1f} % at {delay} ms"
                      for delay, (after, before) in kept.items()),
            # Shares are compared without dividing: where nothing is gained nothing is kept.
            kept[1][0] * kept[50][1] < kept[50][0] * kept[1][1],
        ),
        "qs.f34.high.worse": Measured(round(worst, 2), worst < WORSE),
    }  # fmt: skip


def _says(rate: str, found: pl.DataFrame) -> list[str]:
    """Where the largest improvements are, and what became of transfers with losses."""
    low, high = (free(found, delays).sort("gain").row(-1, named=True) for delays in (LOW, HIGH))
    lossy = found.filter(~pl.col("loss_free"))
    said = [
        f"At {RATES[rate]} and delays up to 50 ms Quick-Start saves at most {low['gain']:.1f} %, "
        f"with {low['packets']} packets at {low['delay']} ms; beyond, {high['gain']:.1f} % with "
        f"{high['packets']} packets at {high['delay']} ms (transfers without loss)."
    ]
    if len(lossy):
        said.append(
            f"{len(lossy)} of {len(found)} cells lose packets at the queue of 150 and are not "
            f"drawn: there the improvement is between {min(lossy['gain']):.0f} and "
            f"{max(lossy['gain']):.0f} %."
        )
    return said


def _table(name: str, found: pl.DataFrame) -> Table:
    return table(name, "All transfers, literal reading", found.drop("kb", "rate"))


def _picture(
    name: str,
    figure: str,
    found: Mapping[str, pl.DataFrame],
    limits: tuple[float, float],
    **more: Any,
) -> Picture:
    kb = Axis("transfer length (kB)", "log", (1.8, 16_000), (2, 10, 100, 1000, 10_000))
    return lines(
        name,
        f"{figure}: improvement over size, transfers without loss. Left, the literal reading; "
        "right, the inputs decoded from Table I. Dotted or ringed: the numbers of the paper's text",
        *(panel(free(each), ("kb", kb), ("gain", Axis("improvement (%)", limits=limits)), "delay",
                name="{} ms", title=title, ordered=True, **more) for title, each in found.items()),
        width=5.4, height=4.6,
    )  # fmt: skip


def _both(lab: Lab, rate: str) -> dict[str, pl.DataFrame]:
    settings = {"literal reading": LITERAL, "decoded from Table I": DECODED}
    return {title: sweep(lab, setting, rate) for title, setting in settings.items()}


@experiment("QS-F2", "Fig. 2", quick=True)
def qs_f2(lab: Lab) -> Findings:
    """How does the gain depend on the transfer's size at 384 kbit/s?"""
    found = _both(lab, SLOW)
    ours, decoded = (by_case(free(each, [100]), "packets", "gain") for each in found.values())
    return Findings(
        measured=figure2(lab, LITERAL),
        answers=[
            *_says(SLOW, found["literal reading"]),
            f"At 100 ms two and four packets change by {ours[2]:.1f} and {ours[4]:.1f} %, with the "
            f"decoded inputs by {decoded[2]:.1f} and {decoded[4]:.1f} %, where the text has "
            f"{SMALL_GAIN:g} % for about {SMALL_KB:g} kB.",
        ],
        tables=[_table("figure2", found["literal reading"])],
        pictures=[_picture("figure2", "Fig. 2", found, (-40, 65),
                           level={"paper: up to 50 %": number("qs.f2.max")},
                           published={"100 ms": ((SMALL_KB,), (SMALL_GAIN,))})],
    )  # fmt: skip


@experiment("QS-F3", "Fig. 3", quick=True)
def qs_f3(lab: Lab) -> Findings:
    """How does the gain depend on the transfer's size at 100 Mbit/s?"""
    found = _both(lab, MIDDLE)
    return Findings(
        measured=figure3(lab, LITERAL),
        answers=_says(MIDDLE, found["literal reading"]),
        tables=[_table("figure3", found["literal reading"])],
        pictures=[_picture("figure3", "Fig. 3", found, (-20, 100),
                           level={"paper: up to 72 % to 50 ms": number("qs.f3.max.low")})],
    )  # fmt: skip


@experiment(
    "QS-F4", "Fig. 4",
    "How does the gain depend on the transfer's size at 1 Gbit/s, and what do ten times the rate "
    "of figure 3 add?", quick=True,
)  # fmt: skip
def qs_f4(lab: Lab) -> Findings:
    """All sizes over all delays at 1 Gbit/s, compared with 100 Mbit/s."""
    found = _both(lab, FAST)
    at_high = pl.concat([found["literal reading"], sweep(lab, LITERAL, MIDDLE)]).filter(
        pl.col("delay").is_in(HIGH)
    )
    worse = at_high.filter(pl.col("gain") < WORSE)
    return Findings(
        measured=figure4(lab, LITERAL),
        answers=[
            *_says(FAST, found["literal reading"]),
            f"From 100 ms on, {sum(worse['loss_free'])} of {sum(at_high['loss_free'])} transfers "
            f"without loss take longer with Quick-Start (by more than {-WORSE} %), and "
            f"{sum(~worse['loss_free'])} of {sum(~at_high['loss_free'])} with losses. The paper's "
            "own Table I has its best values at 1000 ms.",
        ],
        tables=[_table("figure4", found["literal reading"])],
        pictures=[_picture("figure4", "Fig. 4", found, (-20, 100), level={
            "paper: up to 74 % to 50 ms": number("qs.f4.max.low"),
            "paper: up to 85 % at 1000 ms": number("qs.f4.max.1000ms")})],
    )  # fmt: skip


# Fig. 5: FTP transfers of 1 to 100 MB over the three rates.

SIZES_KB = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
DELAY = 1
"""The figure does not say at which delay it was made; this is the first that the paper names."""
MUCH = 0.5
"""At most this share of the gain is left where it is much lower."""


def ftp(lab: Lab, setting: Setting, delay: int) -> pl.DataFrame:
    """The figure's transfers at a delay."""
    sizes = {setting.packets(kb): kb for kb in SIZES_KB}
    found = pairs(lab, setting, grid(rate=RATES, delay=[delay], packets=sizes))
    return found.with_columns(
        kb=pl.col("packets").replace_strict(sizes), name=pl.col("rate").replace(RATES)
    )


def figure5(lab: Lab, setting: Setting, delay: int = DELAY) -> dict[str, Measured | Any]:
    """What the paper says or shows of the figure, as it comes out in a setting."""
    found = ftp(lab, setting, delay)
    slow, middle, fast = (found.filter(rate=rate)["gain"].to_list() for rate in RATES)
    falling = all(later < earlier for each in (middle, fast) for earlier, later in pairwise(each))
    ordered = all(f > m > s for s, m, f in zip(slow, middle, fast, strict=True))
    every = slow + middle + fast
    return {
        "qs.f5.384k": [round(min(slow), 2), round(max(slow), 2)],
        "qs.f5.axis": round(max(every), 2),
        "qs.f5.floor": round(min(every), 2),
        "qs.f5.decay": Measured(
            f"{'falling' if falling else 'not falling'}, "
            f"{'in order' if ordered else 'not in order'}",
            falling and ordered,
        ),
        "qs.f5.lower": Measured(
            " and ".join(f"{each[-1]:.2f} of {each[0]:.2f} %" for each in (middle, fast)),
            all(each[-1] < MUCH * each[0] for each in (middle, fast)),
        ),
    }


@experiment("QS-F5", "Fig. 5")
def qs_f5(lab: Lab) -> Findings:
    """What is left of the gain when a transfer has 1 to 100 MB?"""
    settings = {"literal reading": LITERAL, "decoded from Table I": DECODED}
    found = {title: ftp(lab, setting, DELAY) for title, setting in settings.items()}
    delays = {delay: ftp(lab, LITERAL, delay) for delay in (1, 3, 10, 100)}
    first = {
        delay: by_case(each, ("rate", "kb"), "gain")[FAST, 1000] for delay, each in delays.items()
    }
    ends = {title: by_case(each, ("rate", "kb"), "gain") for title, each in found.items()}
    return Findings(
        measured=figure5(lab, LITERAL),
        answers=[
            *(f"With the {title} the gain falls from {at[FAST, 1000]:.1f} % with 1 MB to "
              f"{at[FAST, 100_000]:.1f} % with 100 MB on 1 Gbit/s and from {at[MIDDLE, 1000]:.1f} "
              f"to {at[MIDDLE, 100_000]:.1f} % on 100 Mbit/s." for title, at in ends.items()),
            "The figure names no delay: 1 Gbit/s begins at "
            f"{', '.join(f'{value:.1f} % at {delay} ms' for delay, value in first.items())}, while "
            "its axis ends at 40 %.",
        ],
        tables=[table("figure5", f"FTP at {DELAY} ms", found["literal reading"].select(
            "name", "kb", "gain", "dropped", "dropped_base",
            decoded=found["decoded from Table I"]["gain"]))],
        pictures=[lines(
            "figure5",
            "Fig. 5: improvement of FTP at 1 ms. The paper's curves are not printed as numbers; "
            "dotted is where its axis ends",
            *(panel(each, ("kb", Axis("transfer length (kB)", "log")),
                    ("gain", Axis("improvement (%)", limits=(-3, 75))), "name", title=title,
                    level={"end of the paper's axis": 40}) for title, each in found.items()))],
    )  # fmt: skip
