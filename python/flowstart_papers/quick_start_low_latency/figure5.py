"""Figure 5: FTP transfers of 1 to 100 MB over the three rates."""

from itertools import pairwise
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import published
from flowstart_papers.quick_start_low_latency.cells import pairs
from flowstart_papers.quick_start_low_latency.measures import Pair
from flowstart_papers.quick_start_low_latency.setups import DECODED, LITERAL, RATES, Setting
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES_KB = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
DELAY = 1
"""The figure does not say at which delay it was made; this is the first that the paper names."""
OTHER_DELAYS = (3, 10, 100)
AXIS = "qs.f5.axis"
MUCH = 0.5
"""At most this share of the gain is left where it is much lower."""

_LOSSES = (
    "With 1 MB on 100 Mbit/s slow start loses packets at the queue of 150 and waits for a timeout."
)
WHY = {
    AXIS: f"{_LOSSES} Without losses 1 Gbit/s is still above the axis, as its request is not "
    "capped.",
    "qs.f5.floor": "Quick-Start takes longer than slow start.",
    "qs.f5.384k": "Quick-Start changes something at 384 kbit/s.",
    "qs.f5.decay": _LOSSES,
    "qs.f5.lower": "The gain of large transfers is more than half of that of small ones.",
}

Curves = dict[tuple[str, int], Pair]
"""By rate and size in kB."""


def statements(lab: Lab, setting: Setting, delay: int = DELAY) -> dict[str, Measured]:
    """What the paper says or shows of the figure, as it comes out in a setting."""
    return _statements(_curves(lab, setting, delay))


def _curves(lab: Lab, setting: Setting, delay: int) -> Curves:
    places = [(rate, kb) for rate in RATES for kb in SIZES_KB]
    found = pairs(lab, [(setting, rate, delay, setting.packets(kb)) for rate, kb in places])
    return dict(zip(places, found, strict=True))


def _statements(curves: Curves) -> dict[str, Measured]:
    slow, middle, fast = (_improvements(curves, rate) for rate in RATES)
    every = slow + middle + fast
    falling = all(later < earlier for each in (middle, fast) for earlier, later in pairwise(each))
    ordered = all(f > m > s for s, m, f in zip(slow, middle, fast, strict=True))
    return {
        "qs.f5.384k": Measured([round(min(slow), 2), round(max(slow), 2)]),
        AXIS: Measured(round(max(every), 2)),
        "qs.f5.floor": Measured(round(min(every), 2)),
        "qs.f5.decay": Measured(
            f"{'falling' if falling else 'not falling'}, "
            f"{'in order' if ordered else 'not in order'}",
            holds=falling and ordered,
        ),
        "qs.f5.lower": Measured(
            " and ".join(f"{each[-1]:.2f} of {each[0]:.2f} %" for each in (middle, fast)),
            holds=all(each[-1] < MUCH * each[0] for each in (middle, fast)),
        ),
    }


def run(lab: Lab) -> Findings:
    """Runs the figure, also with other delays and with the decoded inputs."""
    ours, decoded = (_curves(lab, setting, DELAY) for setting in (LITERAL, DECODED))
    elsewhere = {delay: _curves(lab, LITERAL, delay) for delay in OTHER_DELAYS}
    return Findings(
        measured=published.explained(_statements(ours), _statements(decoded), WHY),
        answers=_sentences(ours, decoded, elsewhere),
        tables=[_table(ours, decoded)],
        pictures=[
            Picture(
                "figure5",
                "Fig. 5: improvement of FTP at 1 ms. The paper's curves are not printed as "
                "numbers; dotted is where its axis ends",
                lambda: _draw({"literal reading": ours, "decoded from Table I": decoded}),
            )
        ],
    )


def _improvements(curves: Curves, rate: str) -> list[float]:
    return [curves[rate, kb].improvement for kb in SIZES_KB]


def _axis_end() -> float:
    """Where the paper's ordinate ends, in percent."""
    expected = published.BY_ID[AXIS].expected
    assert isinstance(expected, tuple) and expected[1] is not None
    return expected[1]


def _sentences(curves: Curves, decoded: Curves, elsewhere: dict[int, Curves]) -> list[str]:
    said = []
    for name, each in (("Literally", curves), ("With the decoded inputs", decoded)):
        fast, middle = (_improvements(each, rate) for rate in ("1Gbps", "100Mbps"))
        said.append(
            f"{name} the gain falls from {fast[0]:.1f} % with 1 MB to {fast[-1]:.1f} % with 100 MB "
            f"on 1 Gbit/s and from {middle[0]:.1f} to {middle[-1]:.1f} % on 100 Mbit/s."
        )
    others = ", ".join(
        f"{each['1Gbps', SIZES_KB[0]].improvement:.1f} % at {delay} ms"
        for delay, each in elsewhere.items()
    )
    lossy = [rate for rate in RATES if not all(curves[rate, kb].loss_free for kb in SIZES_KB)]
    return [
        *said,
        (
            f"The figure names no delay: 1 Gbit/s begins at "
            f"{curves['1Gbps', SIZES_KB[0]].improvement:.1f} % at {DELAY} ms, while its axis ends "
            f"at {_axis_end():g} %; it would be {others}."
        ),
        f"Packets are lost on {' and '.join(RATES[rate] for rate in lossy) or 'no rate'}.",
    ]


def _table(ours: Curves, decoded: Curves) -> Table:
    rows: list[dict[str, Cell]] = []
    for kb in SIZES_KB:
        row: dict[str, Cell] = {"kB": kb}
        for rate, name in RATES.items():
            pair = ours[rate, kb]
            row[f"{name}: literal (%)"] = round(pair.improvement, 2)
            row[f"{name}: dropped"] = pair.slow["dropped"] + pair.quick["dropped"]
            row[f"{name}: decoded (%)"] = round(decoded[rate, kb].improvement, 2)
        rows.append(row)
    return Table("figure5", f"FTP at {DELAY} ms", rows)


def _draw(found: dict[str, Curves]) -> "Figure":
    from flowstart_papers import drawing

    return drawing.panels(
        *(
            drawing.Panel(
                drawing.Axis("transfer length (kB)", "log"),
                drawing.Axis("improvement (%)", limits=(-3, 75)),
                {name: (SIZES_KB, _improvements(curves, rate)) for rate, name in RATES.items()},
                level={"end of the paper's axis": _axis_end()},
                title=title,
            )
            for title, curves in found.items()
        )
    )


EXPERIMENTS = (
    Experiment(
        id="QS-F5",
        figure="Fig. 5",
        question="What is left of the gain when a transfer has 1 to 100 MB?",
        run=run,
    ),
)
