"""Figures 3 and 5: the rates that a trace would need, computed on a capture with known answers."""

import pathlib
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture
from flowstart_papers import published
from flowstart_papers.experiment import Findings, Picture, experiment, table
from flowstart_papers.jump_start import measures, setups, synthetic
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

number = published.of("flowstart_papers.jump_start").number
ROUNDS = 100
KEY = ["connection", "to"]
"""A connection's number; 0 for what its client sends, 1 for its server."""


def law(conversations: list[synthetic.Conversation]) -> pl.DataFrame:
    """What every direction with data must come to.

    Its rate carries it in one round trip; the reduction is what the receiver's window takes.
    """
    rows = [
        {"connection": one.number, "to": to, "size": one.sizes[to],
         "rate": one.sizes[to] / (one.rtt_us / 1e6), "window": one.advertised(to),
         "reduction": max(0, one.sizes[to] - one.advertised(to)) / (one.rtt_us / 1e6)}
        for one in conversations for to in (0, 1) if one.sizes[to]
    ]  # fmt: skip
    return pl.DataFrame(rows)


def captured(conversations: list[synthetic.Conversation]) -> Capture:
    """What the tool makes of their capture."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "synthetic.pcap"
        synthetic.write(file, conversations)
        return read_capture(file)


def compared() -> tuple[pl.DataFrame, Capture]:
    """The law beside the tool's rows; a client's port has the number of its connection."""
    conversations = synthetic.draw()
    read = captured(conversations)
    tool = read.demands.with_columns(
        connection=read.connections["client_port"].gather(read.demands["connection"]).cast(pl.Int64)
        - synthetic.FIRST_PORT,
        to=(pl.col("direction") == "s2c").cast(pl.Int64),
    )
    return law(conversations).join(tool, on=KEY, how="left", suffix="_tool"), read


def _close(column: str, other: str) -> pl.Expr:
    """Whether two columns differ by rounding alone."""
    a, b = pl.col(column), pl.col(other)
    return (a - b).abs() <= 1e-9 * pl.max_horizontal(a.abs(), b.abs())


def _side_by_side(known: Mapping[str, float], found: Mapping[str, float]) -> pl.DataFrame:
    rows = [{"what": what, "law": float(known[what]), "tool": float(found[what])} for what in known]
    return pl.DataFrame(rows)


@experiment("JS-F3", "Fig. 3", quick=True)
def js_f3(lab: Lab) -> Findings:
    """Does `flowstart capture` compute the needed rates of a trace as the paper does?"""
    both, read = compared()
    agree = both.filter(
        (pl.col("size") == pl.col("bytes")) & _close("rate", "rate_bytes_per_s")
    )  # fmt: skip
    standing = setups.along(
        setups.single(setups.SLOW_START, 3 * ROUNDS, window="3pkt"), rate="100Mbps", rtt="50ms"
    )
    stays = lab.runs([standing], measures.transfer)[0]
    # The handshake took one round trip.
    line = ROUNDS * measures.INITIAL_WINDOW / (stays["duration_s"] - stays["min_rtt_s"])
    rates = number("js.icsi.rates")
    over, summary = both.filter(pl.col("size") > synthetic.OPENING), read.summary
    known = {
        "directions with data": len(both),
        "bytes": sum(both["size"]),
        "above 4380 bytes": len(over),
        "those above 500 kbit/s": sum(over["rate"] > 500e3 / 8),
        "those above 100 Mbit/s": sum(over["rate"] > 100e6 / 8),
    }
    found = {
        "directions with data": summary["directions_with_data"],
        "bytes": summary["bytes"]["sum"],
        "above 4380 bytes": summary["over_4380_bytes"],
        "those above 500 kbit/s": summary["over_above_500_kbit_per_s"],
        "those above 100 Mbit/s": summary["over_above_100_mbit_per_s"],
    }
    return Findings(
        measured={
            "js.icsi.share": 100 * number("js.icsi.over") / rates,
            "js.icsi.missing": 2 * number("js.icsi.valid") - rates,
            "js.f3.line": line,
        },
        answers=[
            f"Of {len(both)} directions with data in the made capture the tool gives {len(agree)} "
            "the bytes and the rate of the law.",
            f"A connection that stays at {measures.INITIAL_WINDOW} bytes over 50 ms sends "
            f"{line / 1e3:.1f} kB/s; the paper calls it roughly 80.",
        ],
        tables=[table("figure3", "Counts of the made capture", _side_by_side(known, found))],
        pictures=[Picture(
            "figure3",
            "The rate that one round trip would need, by size; a made capture, drawn to come near "
            "the paper's shares, not the paper's trace",
            read.plot)],
    )  # fmt: skip


@experiment("JS-F5", "Fig. 5", quick=True)
def js_f5(_lab: Lab) -> Findings:
    """And what the advertised window would take from them?"""
    both, read = compared()
    agree = both.filter(
        (pl.col("window") == pl.col("window_tool")) & _close("reduction", "reduction_bytes_per_s")
    )
    over = both.filter(pl.col("size") > synthetic.OPENING)
    reduced, large = (sum(over["reduction"] > least) for least in (0, 1e6))
    summary = read.summary["reduction_by_widest_window"]
    known = {
        "not slowed down": len(over) - reduced,
        "slowed by more than 1 MB/s": large,
        "the same, share of those above 4380 bytes": large / len(over),
        "the same, share of those slowed down": large / reduced,
    }
    names = ("not_reduced", "above_1MB_per_s", "above_1MB_per_s_share_of_over",
             "above_1MB_per_s_share_of_reduced")  # fmt: skip

    def draw() -> "Figure":
        from flowstart.captures.figures import window_reductions

        return window_reductions(read.demands)

    return Findings(
        answers=[
            f"The tool gives {len(agree)} of {len(both)} directions the window and the reduction "
            "of the law; the shares above 1 MB/s come with both bases that the text allows.",
        ],
        tables=[table("figure5", "What the advertised window does in the made capture",
                      _side_by_side(known, dict(zip(known, map(summary.__getitem__, names),
                                                    strict=True))))],
        pictures=[Picture(
            "figure5",
            "What the advertised window takes from the needed rate; a made capture, drawn to come "
            "near the paper's shares, not the paper's trace",
            draw)],
    )  # fmt: skip
