"""Windows and sequence numbers over time, as figures 4, 5, 8, 9, 10 and 11 draw them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flowstart_papers.experiment import Picture
from flowstart_papers.modified_swift_start import measures
from flowstart_papers.modified_swift_start.hosts import MSS, PROBE, RECEIVER_WINDOW
from flowstart_papers.modified_swift_start.setups import LITERAL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart_papers.lab import Lab

KB = 1000
MODIFIED = "modified Swift Start"

Points = Mapping[str, tuple[Sequence[float], Sequence[float]]]
"""What the text prints, by startup: seconds since the opening, and kB."""


def flights(lab: "Lab", documents: "Sequence[Document]") -> dict[str, Any]:
    """When segments were sent and arrived, by startup."""
    found = lab.runs(documents, measures.flight, trace=True)
    return dict(zip(LITERAL.startups, found, strict=True))


def windows(lab: "Lab", documents: "Sequence[Document]") -> dict[str, Any]:
    """The window over time by startup."""
    found = lab.runs(documents, measures.windows, trace=True)
    return dict(zip(LITERAL.startups, found, strict=True))


def window_picture(
    name: str,
    caption: str,
    found: Mapping[str, Any],
    published: Sequence[tuple[float, float]],
    until_s: float,
) -> Picture:
    """The window over time; `published` are moments and bytes of modified Swift Start."""

    def draw() -> "Figure":
        from flowstart_papers import drawing

        points = [at for at, _ in published], [size / KB for _, size in published]
        return drawing.single(
            drawing.Axis("seconds since the connection opened", limits=(0, until_s)),
            drawing.Axis("CWND (kB)", limits=(0, _highest(found, published, until_s))),
            {key: (time_s, [b / KB for b in size]) for key, (time_s, size) in found.items()}
            | {"receiver's window": ((0, until_s), (RECEIVER_WINDOW / KB,) * 2)},
            published={MODIFIED: points},
            steps=True,
            marks=False,
        )

    return Picture(name, caption, draw)


def sent_picture(
    name: str,
    caption: str,
    found: Mapping[str, Any],
    until_s: Sequence[float],
    published: Points | None = None,
) -> Picture:
    """What has been sent over time, a panel for each of `until_s`."""

    def draw() -> "Figure":
        from flowstart_papers import drawing

        return drawing.panels(*(_sent_panel(found, end, published) for end in until_s))

    return Picture(name, caption, draw)


def second_round(seconds: Sequence[Mapping[str, float]], printed: Sequence[float]) -> Points:
    """The last segment that has left when the second round trip is over: the printed one.

    `seconds` is what the runs say of this round trip, in the order of the startups.
    """
    return {
        name: ([second["over_s"]], [(PROBE + sent - 1) * MSS / KB])
        for name, second, sent in zip(LITERAL.startups, seconds, printed, strict=True)
    }


def _sent_panel(found: Mapping[str, Any], until_s: float, published: Points | None) -> Any:
    from flowstart_papers import drawing

    shown = {key: [t for t in one["sent_s"] if t <= until_s] for key, one in found.items()}
    return drawing.Panel(
        drawing.Axis("seconds since the connection opened", limits=(0, until_s)),
        drawing.Axis("sent sequence number (kB)", limits=(0, None)),
        {key: (sent, [i * MSS / KB for i in range(len(sent))]) for key, sent in shown.items()},
        published=published,
        steps=True,
        marks=False,
    )


def _highest(
    found: Mapping[str, Any], published: Sequence[tuple[float, float]], until_s: float
) -> float:
    """A little above the largest window of the time that is shown."""
    shown = [
        b
        for time_s, size in found.values()
        for t, b in zip(time_s, size, strict=True)
        if t <= until_s
    ]
    return float(1.1 * max(*shown, *(size for _, size in published)) / KB)
