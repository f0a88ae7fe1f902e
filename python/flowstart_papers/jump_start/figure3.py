"""Figure 3: the rates that a trace would need, computed on a capture with known answers."""

from collections import Counter
from collections.abc import Sequence

from flowstart.captures.contents import Capture
from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups, synthetic, traces
from flowstart_papers.jump_start.published import number
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

ROUNDS = 100


def _standing() -> Document:
    """A connection that stays at its initial window of three packets, over 50 ms."""
    document = setups.single(setups.SLOW_START, 3 * ROUNDS, window="3pkt")
    return setups.along(document, rate="100Mbps", rtt="50ms")


def run_rates(lab: Lab) -> Findings:
    """Figure 3."""
    conversations = synthetic.draw()
    law, read = traces.law(conversations), traces.captured(conversations)
    found = traces.found(read)
    agree = sum(
        law[key].size == row["bytes"] and traces.close(law[key].rate, row["rate_bytes_per_s"])
        for key, row in found.items()
        if key in law
    )
    stays = lab.runs([_standing()], measures.transfer)[0]
    # The handshake took one round trip.
    line = ROUNDS * measures.INITIAL_WINDOW / (stays["duration_s"] - stays["min_rtt_s"])
    rates = number("js.icsi.rates")
    share = 100 * number("js.icsi.over") / rates
    return Findings(
        measured={
            "js.icsi.share": Measured(share),
            "js.icsi.missing": Measured(2 * number("js.icsi.valid") - rates),
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
    conversations: Sequence[synthetic.Conversation],
    law: dict[traces.Key, traces.Direction],
    read: Capture,
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


EXPERIMENTS = (
    Experiment(
        id="JS-F3",
        figure="Fig. 3",
        question="Does `flowstart capture` compute the needed rates of a trace as the paper does?",
        run=run_rates,
        quick=True,
    ),
)
