"""Figures 3 and 5: what the paper computes from its trace, on a capture with known answers."""

import pathlib
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.captures.contents import Capture
from flowstart.captures.reading import capture
from flowstart.model.document import Document
from flowstart.papers.experiment import Experiment, Findings, Picture, Table
from flowstart.papers.jump_start import measures, setups, synthetic
from flowstart.papers.lab import Lab
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VALID = 1.2e6
"""Connections with a completed handshake, as printed."""
RATES = 2.3e6
"""Directions with data, as printed."""
OVER = 169e3
"""Those of more than 4380 bytes, as printed."""
ROUNDS = 100
MEGABYTE = 1e6


@dataclass(frozen=True)
class Direction:
    """What the law says of one direction of a connection."""

    size: int
    rtt_s: float
    window: int

    @property
    def over(self) -> bool:
        """Whether it is one of the figures'."""
        return self.size > synthetic.OPENING

    @property
    def rate(self) -> float:
        """Bytes per second that would carry it in one round trip."""
        return self.size / self.rtt_s

    @property
    def reduction(self) -> float:
        """What the receiver's window takes from that."""
        return max(0, self.size - self.window) / self.rtt_s


Key = tuple[int, int]
"""A connection's number; 0 for what its client sends, 1 for its server."""


def _law(conversations: Sequence[synthetic.Conversation]) -> dict[Key, Direction]:
    return {
        (one.number, to): Direction(one.sizes[to], one.rtt_us / 1e6, one.advertised(to))
        for one in conversations
        for to in (0, 1)
        if one.sizes[to]
    }


def _found(read: Capture) -> dict[Key, dict[str, Any]]:
    """The tool's rows; the client's port tells the number of the connection."""
    ports = read.connections["client_port"]
    return {
        (
            ports[row["connection"]] - synthetic.FIRST_PORT,
            int(row["direction"] == "s2c"),
        ): row
        for row in read.demands.iter_rows(named=True)
    }


def _captured(conversations: list[synthetic.Conversation]) -> Capture:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "synthetic.pcap"
        synthetic.write(file, conversations)
        return capture(file)


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def _standing() -> Document:
    """A connection that stays at its initial window of three packets, over 50 ms."""
    document = setups.single(setups.SLOW_START, 3 * ROUNDS, window="3pkt")
    return setups.along(document, rate="100Mbps", rtt="50ms")


def run_rates(lab: Lab) -> Findings:
    """Figure 3."""
    conversations = synthetic.draw()
    law, read = _law(conversations), _captured(conversations)
    found = _found(read)
    agree = sum(
        law[key].size == row["bytes"] and _close(law[key].rate, row["rate_bytes_per_s"])
        for key, row in found.items()
        if key in law
    )
    stays = lab.runs([_standing()], measures.transfer)[0]
    # The handshake took one round trip.
    line = ROUNDS * measures.INITIAL_WINDOW / (stays["duration_s"] - stays["min_rtt_s"])
    share = 100 * OVER / RATES
    return Findings(
        measured={
            "js.icsi.share": Measured(share),
            "js.icsi.missing": Measured(2 * VALID - RATES),
            "js.f3.line": Measured(line),
        },
        answers=[
            (
                f"Of {len(law)} directions with data in the made capture the tool finds "
                f"{len(found)} and gives {agree} of them the bytes and the rate of the law."
            ),
            (
                f"A connection that stays at {measures.INITIAL_WINDOW} bytes over 50 ms sends "
                f"{line / 1e3:.1f} kB/s; the paper calls it roughly 80."
            ),
        ],
        tables=[
            Table("figure3", "Counts of the made capture", _count_rows(conversations, law, read))
        ],
        pictures=[
            Picture(
                "figure3",
                "The rate that one round trip would need, by size; a made capture, drawn to come "
                "near the paper's shares, not the paper's trace",
                read.plot,
            )
        ],
    )


def _count_rows(
    conversations: Sequence[synthetic.Conversation], law: dict[Key, Direction], read: Capture
) -> list[dict[str, str | float]]:
    endings = Counter(one.ending for one in conversations)
    known = {f"connections, {ending}": float(endings[ending]) for ending in sorted(endings)}
    summary = read.summary
    found = {f"connections, {ending}": summary["by_handshake"][ending] for ending in endings}
    known |= {
        "directions with data": len(law),
        "bytes": sum(one.size for one in law.values()),
        "above 4380 bytes": sum(one.over for one in law.values()),
        "those above 500 kbit/s": sum(one.over and one.rate > 500e3 / 8 for one in law.values()),
        "those above 100 Mbit/s": sum(one.over and one.rate > 100e6 / 8 for one in law.values()),
    }
    found |= {
        "directions with data": summary["directions_with_data"],
        "bytes": summary["bytes"]["sum"],
        "above 4380 bytes": summary["over_4380_bytes"],
        "those above 500 kbit/s": summary["over_above_500_kbit_per_s"],
        "those above 100 Mbit/s": summary["over_above_100_mbit_per_s"],
    }
    return [{"what": what, "law": known[what], "tool": found[what]} for what in known]


def run_reductions(_lab: Lab) -> Findings:
    """Figure 5."""
    conversations = synthetic.draw()
    law, read = _law(conversations), _captured(conversations)
    found = _found(read)
    agree = sum(
        law[key].window == row["window"]
        and _close(law[key].reduction, row["reduction_bytes_per_s"])
        for key, row in found.items()
        if key in law
    )
    over = [one for one in law.values() if one.over]
    reduced = [one for one in over if one.reduction > 0]
    summary = read.summary["reduction_by_widest_window"]
    large = sum(one.reduction > MEGABYTE for one in over)
    rows: list[dict[str, str | float]] = [
        {"what": "not slowed down", "law": len(over) - len(reduced),
         "tool": summary["not_reduced"]},
        {"what": "slowed by more than 1 MB/s", "law": large, "tool": summary["above_1MB_per_s"]},
        {"what": "not slowed down, % of those above 4380 bytes",
         "law": round(100 * (1 - len(reduced) / len(over)), 2),
         "tool": round(100 * summary["not_reduced_share_of_over"], 2)},
        {"what": "slowed by more than 1 MB/s, % of those above 4380 bytes",
         "law": round(100 * large / len(over), 2),
         "tool": round(100 * summary["above_1MB_per_s_share_of_over"], 2)},
        {"what": "slowed by more than 1 MB/s, % of those slowed down",
         "law": round(100 * large / len(reduced), 2),
         "tool": round(100 * summary["above_1MB_per_s_share_of_reduced"], 2)},
    ]  # fmt: skip
    return Findings(
        answers=[
            (
                f"The tool gives {agree} of {len(law)} directions the window and the reduction "
                "of the law; the shares above 1 MB/s come with both bases that the text allows."
            ),
        ],
        tables=[Table("figure5", "What the advertised window does in the made capture", rows)],
        pictures=[
            Picture(
                "figure5",
                "What the advertised window takes from the needed rate; a made capture, drawn to "
                "come near the paper's shares, not the paper's trace",
                lambda: _draw(read),
            )
        ],
    )


def _draw(read: Capture) -> "Figure":
    from flowstart.captures.figures import window_reductions

    return window_reductions(read.demands)


EXPERIMENTS = (
    Experiment(
        id="JS-F3",
        figure="Fig. 3",
        question="Does `flowstart capture` compute the needed rates of a trace as the paper does?",
        run=run_rates,
        quick=True,
    ),
    Experiment(
        id="JS-F5",
        figure="Fig. 5",
        question="And what the advertised window would take from them?",
        run=run_reductions,
        quick=True,
    ),
)
