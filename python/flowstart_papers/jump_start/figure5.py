"""Figure 5: what the advertised window takes from those rates, on the same made capture."""

from typing import TYPE_CHECKING

from flowstart.captures.contents import Capture
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import synthetic, traces
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEGABYTE = 1e6


def run_reductions(_lab: Lab) -> Findings:
    """Figure 5."""
    conversations = synthetic.draw()
    law, read = traces.law(conversations), traces.captured(conversations)
    found = traces.found(read)
    agree = sum(
        law[key].window == row["window"]
        and traces.close(law[key].reduction, row["reduction_bytes_per_s"])
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
        id="JS-F5",
        figure="Fig. 5",
        question="And what the advertised window would take from them?",
        run=run_reductions,
        quick=True,
    ),
)
