"""Figure 1: one transfer by itself, by size."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (1, 2, 4, 8, 16, 32, 64)
NEXT = 128
"""Where the footnote says that slow start is faster."""
FINE = tuple(range(1, 129))
TEETH = (3, 9, 10, 21, 22, 45, 46)
PRINTED = {1: "0", 2: "below 0", NEXT: "below 0"}
BAND = "10-40+"


Pair = tuple[dict[str, float], dict[str, float]]
"""The transfer in slow start, and the same one under Jump Start."""


def _times(lab: Lab, sizes: Sequence[int]) -> list[Pair]:
    return measures.both(lab, setups.single, sizes, measures.transfer)


def _gain(pair: Pair) -> float:
    return improvement(pair[0]["duration_s"], pair[1]["duration_s"])


def judged(pairs: Mapping[int, Pair]) -> dict[str, Measured]:
    """What the paper prints of the figure, from the transfers by their size."""
    gains = {size: _gain(pair) for size, pair in pairs.items()}
    drops = sum(flow["packets_dropped"] for size in SIZES for flow in pairs[size])
    return {
        **{f"js.f1.{size}": Measured(gains[size]) for size in SIZES},
        "js.f1.2": Measured(gains[2], holds=gains[2] < 0),
        "js.f1.nodrop": Measured(drops),
        "js.f1.next": Measured(gains[NEXT], holds=gains[NEXT] < 0),
    }


def run(lab: Lab) -> Findings:
    """The paper's sizes, and the next power of two."""
    pairs = dict(zip((*SIZES, NEXT), _times(lab, (*SIZES, NEXT)), strict=True))
    gains = {size: _gain(pair) for size, pair in pairs.items()}
    measured = judged(pairs)
    measured |= {f"js.f1.model.{size}": Measured(gains[size]) for size in SIZES}
    drops = measured["js.f1.nodrop"].value
    larger = [gains[size] for size in SIZES if size > 2]
    slow, jump = pairs[NEXT]
    return Findings(
        measured=measured,
        answers=[
            (
                f"From 4 to 64 packets Jump Start is done {min(larger):.1f} to {max(larger):.1f} % "
                f"faster, with {drops} packets dropped; at two packets pacing costs "
                f"{-gains[2]:.1f} %."
            ),
            (
                f"At {NEXT} packets Jump Start takes {1e3 * jump['duration_s']:.0f} ms against "
                f"{1e3 * slow['duration_s']:.0f} ms: {jump['packets_dropped']:g} packets dropped, "
                f"timeouts: {jump['timeouts']:g}."
            ),
        ],
        tables=[Table("figure1", "Durations from the first SYN to the last ACK", _rows(pairs))],
        pictures=[
            Picture(
                "figure1",
                "Gain of Jump Start over slow start by size. Ring: published; between "
                "the dashed lines: what the paper prints from 4 packets on",
                lambda: _draw(SIZES, [gains[size] for size in SIZES]),
            )
        ],
    )


def _rows(pairs: Mapping[int, Pair]) -> list[dict[str, str | float]]:
    return [
        {
            "packets": size,
            "slow start, ms": round(1e3 * slow["duration_s"], 1),
            "Jump Start, ms": round(1e3 * jump["duration_s"], 1),
            "gain, %": round(_gain((slow, jump)), 1),
            "published, %": PRINTED.get(size, BAND),
            "dropped": jump["packets_dropped"],
        }
        for size, (slow, jump) in pairs.items()
    ]


def run_fine(lab: Lab) -> Findings:
    """Every size up to the first losses."""
    pairs = dict(zip(FINE, _times(lab, FINE), strict=True))
    gains = {size: _gain(pair) for size, pair in pairs.items()}
    first = next(size for size in FINE if pairs[size][1]["packets_dropped"])
    between = {size: gains[size] for size in FINE if 2 < size < max(SIZES)}
    least, most = min(between, key=between.__getitem__), max(between, key=between.__getitem__)
    measured = {f"js.f1.saw.{size}": Measured(gains[size]) for size in TEETH}
    measured["js.f1.firstdrop"] = Measured(first)
    return Findings(
        measured=measured,
        answers=[
            (
                "Where slow start needs a round more the gain jumps: from "
                f"{gains[9]:.1f} to {gains[10]:.1f} % between 9 and 10 packets, and from "
                f"{gains[21]:.1f} to {gains[22]:.1f} % between 21 and 22."
            ),
            (
                f"Between 3 and 63 packets the gain goes from {gains[least]:.1f} % at {least} to "
                f"{gains[most]:.1f} % at {most}: the paper's 10 to 40+ % is that of powers of two."
            ),
            f"Jump Start first loses a packet at {first} packets.",
        ],
        tables=[
            Table(
                "figure1_sizes",
                "Both sides of the teeth",
                [{"packets": size, "gain, %": round(gains[size], 1)} for size in TEETH],
            )
        ],
        pictures=[
            Picture(
                "figure1_sizes",
                "By size: teeth where slow start needs a round more, and the fall "
                f"at {first} packets, where Jump Start begins to lose",
                lambda: _draw(FINE, [gains[size] for size in FINE], marks=False),
            )
        ],
    )


def _draw(sizes: Sequence[int], gains: Sequence[float], *, marks: bool = True) -> "Figure":
    from flowstart_papers import drawing

    return drawing.single(
        drawing.Axis("transfer size (packets)", "log", ticks=(*SIZES, NEXT)[: len(sizes)]),
        drawing.Axis("gain in duration (%)"),
        {"Jump Start": (sizes, gains)},
        marks=marks,
        published={"Jump Start": ((1,), (0,))},
        level={"printed: from 10 %": 10, "to 40+ %": 40, "as slow start": 0},
    )


EXPERIMENTS = (
    Experiment(
        id="JS-F1",
        figure="Fig. 1",
        question="How much faster is a transfer that is sent whole in the first round trip?",
        run=run,
        quick=True,
    ),
    Experiment(
        id="JS-F1s",
        figure="Fig. 1",
        question="What does the figure look like between its powers of two?",
        run=run_fine,
        quick=True,
    ),
)
