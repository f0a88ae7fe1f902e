"""Table I: one transfer of 120 kB over nine delays and three rates, literally and decoded."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart_papers.bootstrap import bootstrap_interval
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import by_case, grid, versus
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, lines, panel
from flowstart_papers.quick_start_low_latency import measures
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    DELAYS,
    ENDLESS_QUEUE,
    LITERAL,
    OPEN_REQUEST,
    RATES,
    SLOW_START,
    TABLE1_KB,
    WEB_SESSION,
    Link,
    Setting,
    transfer,
)
from flowstart_papers.quick_start_low_latency.transfers import (
    CLOSE,
    STARTUPS,
    close,
    compared,
    named,
    pairs,
    rings,
    rms,
    table1,
)
from flowstart_papers.target import Measured

DELAY = ("delay", Axis("one-way delay (ms)", "log", ticks=(1, 3, 10, 50, 200, 1000)))
EACH_DELAY = ("delay", Axis("one-way delay (ms)", "log", ticks=DELAYS))
IMPROVEMENT = ("gain", Axis("improvement (%)", limits=(-5, 80)))
ENDLESS = 10_000
"""A one-way delay in milliseconds beside which serialisation is nothing."""


def statements(lab: Lab, setting: Setting) -> Findings:
    """What the paper prints of the table, as it comes out in a setting."""
    found = table1(lab, setting)
    by_rate = {rate: found.filter(rate=rate)["gain"] for rate in RATES}
    slow, middle, fast = by_rate.values()
    step = min(after - before for each in (middle, fast) for before, after in pairwise(each))
    upper, lower = min(fast - middle), min(middle - slow)
    gaps = {"1 Gbit/s over 100 Mbit/s": upper, "100 Mbit/s over 384 kbit/s": lower}
    return Findings(
        values=found.with_columns(pl.col("gain").round(2)),
        measured={
            "qs.t1.monotone": Measured(round(step, 3), step > 0),
            "qs.t1.rate.order": Measured(
                {name: round(gap, 3) for name, gap in gaps.items()}, upper >= 0 and lower > 0
            ),
        },
    )


@experiment(
    "QS-T1", "Table I",
    "How much faster is a transfer of 120 kB with Quick-Start, over nine delays and three rates?",
    quick=True,
)  # fmt: skip
def qs_t1(lab: Lab) -> Findings:
    """The table as the paper's words have it and as it was decoded."""
    ours, decoded = (table1(lab, setting) for setting in (LITERAL, DECODED))
    # The first timer must not interrupt a handshake that takes most of a minute.
    far = grid(rate=["1Gbps"], delay=[ENDLESS], packets=[LITERAL.packets(TABLE1_KB)])
    limit = pairs(lab, LITERAL.but(rto_initial="60s"), far)["gain"].item()
    findings = statements(lab, LITERAL)
    both = ours.select("delay", "name", "published", literal="gain", decoded=decoded["gain"])
    return replace(
        findings,
        measured={**findings.measured, "qs.t1.asymptote": round(limit, 2)},
        answers=[
            f"As the paper's words have it {close(ours)} of 27 cells lie within {CLOSE} points of "
            f"the published ones, and the table is {rms(ours):.1f} points (rms) away.",
            f"With five inputs fitted to the table {close(decoded)} of 27 do; it is "
            f"{rms(decoded):.3f} points (rms) away, and the paper prints tenths.",
        ],
        tables=[table("table1", f"Improvement of one transfer of {TABLE1_KB} kB (%)", both)],
        pictures=[lines(
            "table1",
            "Table I, lines as measured and rings as published: the paper's words on the left, the "
            "five inputs that were fitted to these rings on the right",
            *(panel(found, DELAY, IMPROVEMENT, "name", published=rings(), title=title)
              for title, found in {"literal reading": ours,
                                   "decoded from the table": decoded}.items()))],
    )  # fmt: skip


@experiment("QS-DECODED", "Table I, decoded", quick=True)
def qs_decoded(lab: Lab) -> Findings:
    """What do the transfers of Table I do inside, with the inputs that were fitted to it?"""
    cases = grid(delay=DELAYS, rate=RATES, packets=[DECODED.packets(TABLE1_KB)])
    found = compared(pairs(lab, DECODED, cases, measures.look, trace=True))
    far = found.filter(rate="1Gbps", delay=1000).row(0, named=True)
    near = found.filter(rate="384kbps", delay=50).row(0, named=True)
    granted = {
        f"qs.t1.grant.{row['short']}": measures.granted(row["window"], row["handshake"])
        for row in found.filter(delay=100).rows(named=True)
    }
    later_ms = 1000 * (near["seconds"] - near["seconds_base"])
    return Findings(
        values=found.with_columns(pl.col("gain").round(2)),
        measured={
            "qs.t1.rounds": 1 + far["flights_base"],
            "qs.t1.loss": int(sum(found["dropped"]) + sum(found["dropped_base"])),
            "qs.t1.neg": near["window"],
            **granted,
        },
        answers=[
            f"Slow start takes {1 + far['flights_base']} round trips for "
            f"{DECODED.packets(TABLE1_KB)} packets, the handshake included. At 384 kbit/s and 50 "
            f"ms the approved window is {near['window']:.0f} packets where slow start opens with "
            f"{near['window_base']:.0f}: Quick-Start takes {later_ms:.0f} ms longer, of "
            f"{near['seconds_base']:.2f} s.",
        ],
        tables=[table("decoded", "The transfers of Table I with the decoded inputs",
                      found.drop("short", "rate", "published"))],
    )  # fmt: skip


IDEAL = {
    "as in Table I": DECODED,
    "exact clock": DECODED.but(coarse_pacing=False),
    "no cap": DECODED.asking(**OPEN_REQUEST),
    "ideal": DECODED.but(coarse_pacing=False).asking(**OPEN_REQUEST),
}
FAST = ("100Mbps", "1Gbps")


@experiment(
    "QS-T1i", "Table I, decoded",
    "How much of the small gain at low latency is due to ns-2's clock and to a cap on the request?",
    quick=True,
)  # fmt: skip
def qs_t1i(lab: Lab) -> Findings:
    """The table with an exact pacing clock, with an open request, and with both."""
    found = pl.concat(
        table1(lab, setting).with_columns(kind=pl.lit(kind)) for kind, setting in IDEAL.items()
    ).filter(pl.col("rate").is_in(FAST))
    at = by_case(found, ("kind", "rate", "delay"), "gain")
    paper, clock, cap, both = (at[kind, "1Gbps", 1] for kind in IDEAL)
    return Findings(
        values=found.filter(kind="ideal").with_columns(pl.col("gain").round(2)),
        answers=[
            f"On 1 Gbit/s at 1 ms Quick-Start saves {paper:.1f} % as in Table I, {clock:.1f} % "
            f"with an exact clock, {cap:.1f} % with no cap on the request, and {both:.1f} % with "
            "both.",
        ],
        tables=[table("table1-ideal", "Improvement with and without the tool's two limits (%)",
                      found.pivot("kind", index=["name", "delay"], values="gain"))],
        pictures=[lines(
            "table1-ideal", "Table I as the paper has it and with an ideal Quick-Start",
            *(panel(found.filter(rate=rate), EACH_DELAY,
                    ("gain", Axis("improvement (%)", limits=(30, 75))), "kind", title=RATES[rate],
                    published={"as in Table I": rings()[RATES[rate]]}) for rate in FAST))],
    )  # fmt: skip


REFUSE = {"admission": "none"}
"""The routers do not know the option, and no request comes through."""


def refused(lab: Lab, setting: Setting) -> pl.DataFrame:
    """Table I's transfers when every request is refused, and what that costs in percent."""
    found = table1(lab, replace(setting, routers=REFUSE))
    return found.with_columns(cost=100 * (pl.col("seconds") / pl.col("seconds_base") - 1))


@experiment("QS-D1", "Sec. IV", quick=True)
def qs_d1(lab: Lab) -> Findings:
    """What does a refused request cost?"""
    found = refused(lab, LITERAL)
    # Both router links have the delay, there and back.
    trip = 100 * 4 * pl.col("delay") / 1000 / pl.col("seconds_base")
    found = found.with_columns(round_trip=trip)
    trips, worst = found["round_trip"], max(found["cost"])
    return Findings(
        measured={"qs.deny.cost": round(worst, 3)},
        answers=[
            f"A refused request costs at most {worst:.3f} % of slow start's time in Table I's "
            f"transfers; a wasted round trip would cost {min(trips):.1f} to {max(trips):.1f} %.",
        ],
        tables=[table("refused", "Table I's transfers when every request is refused", found, {
            "name": "rate", "delay": "delay (ms)", "seconds_base": "slow start (s)",
            "seconds": "refused (s)", "cost": "cost of the refusal (%)",
            "round_trip": "cost of a round trip (%)"})],
    )  # fmt: skip


# How far the decoded table moves when one of the inputs moves that were fitted to it.

REQUESTS = (40.96, 81.92, 163.84, 327.68, 655.36, 1310.72)
"""Mbit/s."""
Variant = tuple[Setting, int]
"""A setting, and how many packets 120 kB are."""
CHOSEN: Variant = (DECODED, DECODED.packets(TABLE1_KB))


def _with(setting: Setting) -> Variant:
    return setting, CHOSEN[1]


def _joined(*links: Link) -> Variant:
    return _with(replace(DECODED, links=links))


STUDIES: Mapping[str, Mapping[str, Variant]] = {
    "packets": {f"{n}": (DECODED, n) for n in (
        60, 70, 80, 83, 90, 94, 100, 110, 115, 118, 119, 120, 121, 122, 125, 130, 150, 170, 189)},
    "delay of a host's line (ms)": {
        f"{d:g}": _with(replace(DECODED, host_delay=d))
        for d in (0.0, 0.25, 0.5, 0.75, 0.95, 1.0, 1.05, 1.25, 1.5, 2.0)},
    "initial window (packets)": {
        f"{n}": _with(DECODED.but(iw=f"{n}")) for n in (1, 2, 3, 4, 6, 8, 10)},
    "request (Mbit/s)": {
        f"{rate:g}": _with(DECODED.asking(request=f"{rate}Mbps")) for rate in REQUESTS},
    "pacing clock": {
        "exact": _with(DECODED.but(coarse_pacing=False)),
        "10 ms": CHOSEN,
        **{f"{ms} ms": _with(DECODED.but(tick=f"{ms}ms")) for ms in (1, 5, 20)},
    },
    "paced by": {
        "window and round trip": CHOSEN,
        "approved rate": _with(DECODED.asking(pacing="rate")),
    },
    "smallest window used": {
        f"{n}": _with(DECODED.asking(min_window=f"{n}")) for n in (1, 2, 3, 4, 8)},
    "router links": {
        "one, slow, with the delay": CHOSEN,
        "a fast one before it": _joined(Link(slow=False, delay=0), Link()),
        "two slow, half the delay each": _joined(Link(delay=0.5), Link(delay=0.5)),
        "a fast one before it with as much delay": _joined(Link(slow=False), Link()),
        "two slow, the delay each": _joined(Link(), Link()),
    },
}  # fmt: skip
"""One input after the other, each with its values; the others stay."""
DRAWN = ("packets", "delay of a host's line (ms)", "initial window (packets)", "request (Mbit/s)")
UNSEEN: Mapping[str, Setting] = {
    "chosen": DECODED,
    "initial window of 2 under Quick-Start": DECODED.asking(iw="2", min_window="3"),
    "no request for less than 4 packets": DECODED.asking(qs_thresh="4"),
    "shortest timeout 1 s": DECODED.but(rto_min="1s"),
    "queues without end": replace(DECODED, queue=ENDLESS_QUEUE),
}
"""Inputs that Table I does not show at all."""
WITNESSES = [
    {"rate": rate, "delay": delay, "packets": packets}
    for rate, delay, packets in (
        ("384kbps", 20, 3), ("384kbps", 50, 3), ("384kbps", 100, 4), ("100Mbps", 1, 500))
]  # fmt: skip
"""Transfers of figures 2 and 3 that do."""


@experiment("QS-SENS", "study")
def qs_sens(lab: Lab) -> Findings:
    """How far does the decoded Table I move when one of the inputs moves that fit it?"""
    found = pl.DataFrame(
        {"input": name, "value": value, "rms": rms(table1(lab, *variant)),
         "chosen": variant == CHOSEN}
        for name, study in STUDIES.items() for value, variant in study.items()
    )  # fmt: skip
    unseen = pl.DataFrame(
        {"input": name, "rms": rms(table1(lab, setting))}
        | {f"{row['packets']} packets, {row['rate']}, {row['delay']} ms (%)": row["gain"]
           for row in pairs(lab, setting, WITNESSES).rows(named=True)}
        for name, setting in UNSEEN.items()
    )  # fmt: skip
    chosen = unseen["rms"][0]
    others = found.filter(~pl.col("chosen"))
    near = (
        others.filter(pl.col("rms") < 2 * chosen).sort("rms").select("input", "value", "rms").rows()
    )
    listed = "; ".join(f"{name}: {value} ({error:.3f})" for name, value, error in near)
    at = by_case(found, ("input", "value"), "rms")
    numbers = found.filter(pl.col("input").is_in(DRAWN)).with_columns(
        x=pl.col("value").cast(float), curve=pl.lit("rms error")
    )
    marked = pl.concat([numbers, numbers.filter("chosen").with_columns(curve=pl.lit("chosen"))])
    return Findings(
        answers=[
            f"With the chosen inputs the table is {chosen:.3f} points (rms) from the published "
            f"one; with 83 packets (120 000 bytes) {at['packets', '83']:.1f}, with an exact clock "
            f"{at['pacing clock', 'exact']:.1f}, without a cap on the request "
            f"{at['request (Mbit/s)', '1310.72']:.1f}. Of {len(others)} other values, those within "
            f"twice the distance of the chosen: {listed or 'none'}.",
        ],
        tables=[
            table("sensitivity", "Distance of Table I from the published one (points), one input "
                  "moved", found),
            table("unseen", "What Table I cannot show, with transfers that can", unseen),
        ],
        pictures=[lines(
            "sensitivity", "Distance of Table I from the published one when one input moves",
            *(panel(marked.filter(input=name), ("x", Axis(name, "log", ticks=REQUESTS)
                                                if "request" in name else Axis(name)),
                    ("rms", Axis("rms error (points)", limits=(-0.4, None))), "curve")
              for name in DRAWN))],
    )  # fmt: skip


# The background that the paper describes.

SETTINGS = {"literal": LITERAL, "decoded": DECODED}
SESSIONS = 2
"""Further clients with a server each: N/2 of the paper's N, which it does not give."""
SEEDS = range(1, 13)
WARM = 5.0
"""Seconds, and ten one-way delays, before the transfer may begin."""
JITTER = 5.0
"""Seconds within which it then does, so that no phase is preferred."""
PATIENCE = {"384kbps": 900, "100Mbps": 6, "1Gbps": 3}
"""Seconds, and sixty one-way delays, that it may take."""


def among_sessions(kind: str, rate: str, delay: int, startup: str, seed: int) -> Document:
    """Table I's transfer among web sessions, all of whose servers have the same startup."""
    setting = SETTINGS[kind]
    startup = named(setting, startup)
    alone = transfer(setting, rate, delay, setting.packets(TABLE1_KB), startup)
    begin = WARM + 0.01 * delay
    alone["flows"][0] |= {"start": f"{begin:g}s", "jitter": f"{JITTER:g}s"}
    web: dict[str, Any] = {"startup": startup, "sessions": SESSIONS, "direction": "alternate"}
    until = begin + JITTER + PATIENCE[rate] + 0.06 * delay
    return alone | {"seed": seed, "web": [WEB_SESSION | web], "duration": f"{until:g}s"}


@experiment("QS-BG", "study")
def qs_bg(lab: Lab) -> Findings:
    """What would the background that the paper describes do to Table I?"""
    key = {"kind": SETTINGS, "delay": DELAYS, "rate": RATES}
    flows = lab.frame(among_sessions, grid(**key, seed=SEEDS, startup=STARTUPS), measures.ending)
    each = compared(versus(flows, SLOW_START, [*key, "seed"]).with_columns(
        gain=100 * (1 - pl.col("seconds") / pl.col("seconds_base"))))  # fmt: skip
    found = each.group_by(*key, "name", "published", maintain_order=True).agg("gain")
    bounds = [bootstrap_interval(values, np.median) for values in found["gain"].to_list()]
    found = found.with_columns(
        pl.col("gain").list.median(),
        gain_low=pl.Series([low for low, _ in bounds]),
        gain_high=pl.Series([high for _, high in bounds]),
    )
    said = []
    for kind in SETTINGS:
        errors = [rms(each.filter(kind=kind, seed=seed)) for seed in SEEDS]
        said.append(
            f"Among {SESSIONS} web sessions, {kind}, a table of one run per cell is "
            f"{min(errors):.0f} to {max(errors):.0f} points (rms) from the published one; the "
            f"medians of {len(SEEDS)} seeds are within {CLOSE} points in "
            f"{close(found.filter(kind=kind))} of 27 cells."
        )
    return Findings(
        answers=said,
        tables=[table("background", f"Improvement among web sessions, medians of {len(SEEDS)} "
                      "seeds (%)", found)],
        pictures=[lines(
            "background", "Table I among web sessions: medians over seeds, published as rings",
            *(panel(found.filter(kind=kind), EACH_DELAY,
                    ("gain", Axis("improvement (%)", limits=(None, 80))), "name",
                    published=rings(), title=f"{kind}, {SESSIONS} sessions", bands=None)
              for kind in SETTINGS))],
    )  # fmt: skip
