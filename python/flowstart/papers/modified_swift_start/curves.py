"""Windows and sequence numbers over time, as figures 4, 5, 8, 9, 10 and 11 draw them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flowstart.papers.experiment import Picture
from flowstart.papers.modified_swift_start import traces
from flowstart.papers.modified_swift_start.setups import MSS, NAMES, RECEIVER_WINDOW, Line, transfer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart.papers.lab import Lab

KB = 1000
FORMULA_HEADER = "27B"
"""The frame of the paper's formula: 20 and 7 bytes beside the payload, one header short."""


def both(line: Line, delay_s: float, rtt_s: float) -> "list[Document]":
    """Slow start and modified Swift Start over the same line."""
    return [transfer(line, delay_s, startup, rtt_s=rtt_s) for startup in NAMES.values()]


def by_formula(line: Line, delay_s: float, rtt_s: float) -> "Document":
    """Modified Swift Start with frames of the paper's formula."""
    startup = NAMES["modified Swift Start"]
    return transfer(line, delay_s, startup, rtt_s=rtt_s, size="40pkt", header=FORMULA_HEADER)


def flights(lab: "Lab", documents: "Sequence[Document]") -> dict[str, Any]:
    """When segments were sent and arrived, by start-up."""
    return dict(zip(NAMES, lab.runs(documents, traces.flight, trace=True), strict=True))


def windows(lab: "Lab", documents: "Sequence[Document]") -> dict[str, Any]:
    """The window over time by start-up."""
    return dict(zip(NAMES, lab.runs(documents, traces.windows, trace=True), strict=True))


def window_picture(
    name: str,
    caption: str,
    found: Mapping[str, Any],
    published: Sequence[tuple[float, float]],
    until_s: float,
) -> Picture:
    """The window over time; `published` are moments and bytes of modified Swift Start."""

    def draw() -> "Figure":
        from flowstart.papers import drawing

        points = [at for at, _ in published], [size / KB for _, size in published]
        return drawing.single(
            drawing.Axis("seconds since the connection opened", limits=(0, until_s)),
            drawing.Axis("CWND (kB)", limits=(0, _highest(found, until_s))),
            {key: (time_s, [b / KB for b in size]) for key, (time_s, size) in found.items()},
            published={"modified Swift Start": points},
            steps=True,
            marks=False,
            level={"receiver's window": RECEIVER_WINDOW / KB},
        )

    return Picture(name, caption, draw)


def sent_picture(
    name: str, caption: str, found: Mapping[str, Any], until_s: Sequence[float]
) -> Picture:
    """What has been sent over time, a panel for each of `until_s`."""

    def draw() -> "Figure":
        from flowstart.papers import drawing

        return drawing.panels(*(_sent_panel(found, end) for end in until_s))

    return Picture(name, caption, draw)


def _sent_panel(found: Mapping[str, Any], until_s: float) -> Any:
    from flowstart.papers import drawing

    shown = {key: [t for t in one["sent_s"] if t <= until_s] for key, one in found.items()}
    return drawing.Panel(
        drawing.Axis("seconds since the connection opened", limits=(0, until_s)),
        drawing.Axis("sent sequence number (kB)", limits=(0, None)),
        {key: (sent, [i * MSS / KB for i in range(len(sent))]) for key, sent in shown.items()},
        steps=True,
        marks=False,
    )


def _highest(found: Mapping[str, Any], until_s: float) -> float:
    """A little above the largest window of the time that is shown."""
    shown = [
        b
        for time_s, size in found.values()
        for t, b in zip(time_s, size, strict=True)
        if t <= until_s
    ]
    return float(1.1 * max(shown) / KB)
