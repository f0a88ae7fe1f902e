"""Study: inputs that the paper does not print, moved one at a time."""

from statistics import mean, median
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.hystart import figure3, setups
from flowstart.papers.lab import Lab
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INITIAL = ("1", "2", "3", "4", "10")
TICKS = ("0.1ms", "1ms", "4ms", "10ms")
QUICK = (2, 4, 8, 16, 32, 64)
TIMERS = ("20ms", "40ms", "100ms", "200ms")
SECOND_S = (5.0, 8.0, 10.0, 12.0, 15.0, 20.0)
RTTS = (102.0, 106.0)
SIZES = (30, 100, 300)
"""Mean packets of Fig. 3's background flows."""
SEEDS = 8
PUBLISHED = 870

Exits = list[dict[str, Any]]


def figure2(
    *,
    tick: str = "1ms",
    second: float = 10.0,
    rtt: float = 106.0,
    avoidance: str = setups.SACK,
    **fields: Any,
) -> Document:
    """Fig. 2 (c) with something moved; `fields` are the stack's."""
    link = setups.path(setups.FIG2[0], rtt)
    startup = f"{setups.HYBRID},tick={tick}"
    ends = setups.stack() | fields
    return setups.two(link, startup, (0.0, second), second + 10, avoidance=avoidance, ends=ends)


def adaptive(threshold: str) -> Document:
    """Fig. 2 (d) with another threshold at first."""
    startup = f"adaptive-start:growth=per-ack,ssthresh={threshold},response=standard"
    return setups.two(setups.path(*setups.FIG2), startup, (0.0, 10.0), 20.0)


def figure3_with(scheme: str, window: str, size: int, seed: int) -> Document:
    """Fig. 3 with another initial window or other background flows."""
    run = figure3.document(scheme, seed)
    run["stack"] |= {"iw": window}
    return run | {"web": setups.background(figure3.BACKGROUND_MBPS, figure3.END, packets=size)}


MOVED: list[tuple[str, str, Document]] = [
    *(("initial window", iw, figure2(iw=iw)) for iw in INITIAL),
    *(("tick", tick, figure2(tick=tick)) for tick in TICKS),
    *(("quick ACKs", str(quick), figure2(ack_quick=quick)) for quick in QUICK),
    *(("ACK timer", timer, figure2(ack_timer=timer)) for timer in TIMERS),
    *(("second start (s)", f"{start:g}", figure2(second=start)) for start in SECOND_S),
    *(("RTT (ms)", f"{rtt:g}", figure2(rtt=rtt)) for rtt in RTTS),
    ("avoidance", "Reno", figure2()),
    ("avoidance", "CUBIC of 2008", figure2(avoidance=setups.CUBIC)),
    ("Adaptive Start's first threshold", "22", adaptive("22")),
    ("Adaptive Start's first threshold", "1000000", adaptive("1000000")),
]
"""What, to which value, and the run."""


def figure1(window: str) -> Document:
    """Fig. 1 with another initial window."""
    ends = setups.stack(iw=window)
    return setups.one(setups.path(*setups.FIG1), setups.SLOW_START, "12s", ends=ends)


def exits(run: Run) -> Exits:
    """Where two flows leave slow start."""
    return [
        {
            "by": row["startup_exit_reason"],
            "cwnd": row["startup_exit_cwnd_pkts"],
            "lost": row["packets_dropped"],
            "peak": row["max_cwnd_pkts"],
            "bdp": row["bdp_pkts"],
        }
        for row in run.rows[:2]
    ]


def run(lab: Lab) -> Findings:
    """Exits of Fig. 2 (c) and of Fig. 3 with each input moved."""
    cases = [(scheme, "3", size) for scheme in setups.SCHEMES for size in SIZES]
    cases += [("quick", "2", 100)]
    keys = [(case, seed) for case in cases for seed in range(1, SEEDS + 1)]
    documents = [document for _, _, document in MOVED]
    documents += [figure3_with(*case, seed) for case, seed in keys]
    documents += map(figure1, INITIAL)
    found = lab.runs(documents, exits)
    peaks = [flow["peak"] for (flow,) in found[-len(INITIAL) :]]
    rows = [_row(what, value, both) for (what, value, _), both in zip(MOVED, found, strict=False)]
    by_case: dict[tuple[str, str, int], list[Exits]] = {}
    for (case, _), both in zip(keys, found[len(MOVED) :], strict=False):
        by_case.setdefault(case, []).append(both)
    third = [_third(case, both) for case, both in by_case.items()]
    return Findings(
        answers=_says(rows, third, peaks),
        tables=[
            Table(
                "figure2",
                "Fig. 2 (c), one input moved; the first flow's published exit is 870 packets. By "
                "ticks longer than 2 ms two ACKs in different ticks are no train here; the "
                "listing's msecs_to_jiffies would allow one tick.",
                rows,
            ),
            Table(
                "figure3",
                f"Fig. 3 with other background flows and another initial window, {SEEDS} seeds.",
                third,
            ),
        ],
        pictures=[
            Picture(
                "sensitivity",
                "The first flow's exit in Fig. 2 (c) over initial window, tick and quick ACKs.",
                lambda: draw(rows),
            )
        ],
    )


def _row(what: str, value: str, both: Exits) -> dict[str, Any]:
    first, second = both
    return {
        "what": what,
        "is": value,
        "first leaves at (packets)": round(first["cwnd"]) if first["cwnd"] else None,
        "(BDP)": round(first["cwnd"] / first["bdp"], 3) if first["cwnd"] else None,
        "by": first["by"],
        "first lost": first["lost"],
        "second leaves at (packets)": round(second["cwnd"]) if second["cwnd"] else None,
        "second by": second["by"],
        "second lost": second["lost"],
    }


def _third(case: tuple[str, str, int], found: list[Exits]) -> dict[str, Any]:
    scheme, window, size = case
    shares = [both[0]["cwnd"] / figure3.BDP for both in found]
    return {
        "ACKs": scheme,
        "initial window": window,
        "background flows (packets)": size,
        "first leaves at (BDP)": round(mean(shares), 3),
        "median": round(median(shares), 3),
        "least": round(min(shares), 3),
        "most": round(max(shares), 3),
        "first by train": sum(both[0]["by"] == "ack-train" for both in found),
        "second by delay": sum(both[1]["by"] == "delay" for both in found),
        "second by loss": sum(both[1]["by"] == "loss" for both in found),
    }


def _says(rows: list[dict[str, Any]], third: list[dict[str, Any]], peaks: list[float]) -> list[str]:
    def span(what: str) -> str:
        mine = [row["first leaves at (packets)"] for row in rows if row["what"] == what]
        found = [packets for packets in mine if packets]
        return f"{min(found)} to {max(found)}"

    def quick(window: str) -> float:
        return next(
            float(row["median"])
            for row in third
            if (row["ACKs"], row["initial window"]) == ("quick", window)
            and row["background flows (packets)"] == 100
        )

    return [
        (
            f"The first flow's exit of Fig. 2 (c), published as {PUBLISHED}, moves with the "
            f"initial window ({span('initial window')} packets), the number of quick ACKs "
            f"({span('quick ACKs')}), the ACK timer ({span('ACK timer')}) and the tick "
            f"({span('tick')})."
        ),
        (
            f"The ten per cent above the BDP of Fig. 3 (a) need an initial window of 3: in the "
            f"median it gives {quick('3'):.2f} BDP, 2 gives {quick('2'):.2f}."
        ),
        (
            "Over all these initial windows Fig. 1's peak differs by "
            f"{max(peaks) - min(peaks):.0f} packets."
        ),
    ]


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """The first flow's exit over three inputs."""
    from flowstart.papers import drawing

    def panel(what: str) -> drawing.Panel:
        mine = [row for row in rows if row["what"] == what]
        xs = [float(str(row["is"]).removesuffix("ms")) for row in mine]
        curve = (xs, [row["first leaves at (packets)"] for row in mine])
        label = {"tick": "tick (ms)", "quick ACKs": "quick ACKs"}.get(what, what)
        return drawing.Panel(
            drawing.Axis(label, "log", ticks=xs),
            drawing.Axis("exit (packets)", limits=(0, 2300)),
            {"first flow": curve},
            level={"published": PUBLISHED},
        )

    return drawing.panels(panel("initial window"), panel("tick"), panel("quick ACKs"))
