"""The comparisons that the paper names and does not show.

Modified Swift Start beside the original, Quick-Start, Jump Start and BIC, alone over both lines
and several flows at once. The initial RTO is 3 s here, so that no startup is judged by a timer
that is shorter than the path.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from flowstart_papers.cases import by_case, mean_of
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.measures import interval
from flowstart_papers.modified_swift_start.measures import connection
from flowstart_papers.modified_swift_start.setups import (
    AVOIDANCE,
    LINES,
    OC1,
    T1,
    THRESHOLD,
    Line,
    transfer,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart.simulation.run import Run
    from flowstart_papers.lab import Lab


@dataclass(frozen=True)
class Scheme:
    """A startup and the congestion control that follows."""

    startup: str
    cc: str = AVOIDANCE

    def spec(self, threshold: str) -> str:
        """The startup with the paper's growth and this first threshold."""
        return f"{self.startup}:growth=per-ack{threshold}"


SLOW_START = "slow start"
SWIFT = "Swift Start"
MODIFIED = "modified Swift Start"
SCHEMES = {
    SLOW_START: Scheme("slow-start"),
    "slow start and BIC": Scheme("slow-start", "bic"),
    SWIFT: Scheme("swift-start"),
    MODIFIED: Scheme("modified-swift-start"),
    "Quick-Start": Scheme("quick-start"),
    "Jump Start": Scheme("jump-start"),
}
ACKS = ("delayed", "every")
DELAYS_S = (0.0001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8)
PATIENT: Mapping[str, Any] = {"rto_initial": "3s"}
ROUTERS = {"quick_start": {"admission": "rfc"}}

WIDE_DELAY_S = 0.1
WIDE = {"window": "16MB", "window_scaling": True}
"""A window that no line here fills."""
ENDLESS = "endless"
BUFFERS = {ENDLESS: "100000pkt", "1 BDP": "1bdp"}

SEEDS = 20
FLOWS = 4
"""Of the scheme, and as many beside them."""
SHARED_DELAY_S = 0.1
SHARED_SIZE = "1MB"
SPACING_S = 1.0

Times = dict[tuple[str, str, float, str], float]
"""Connection times by line, ACKs, delay and scheme."""


def _run(lab: "Lab") -> Findings:
    times = _alone(lab)
    wide = _wide(lab)
    shared = _shared(lab)
    return Findings(
        answers=_says(times, wide, shared),
        tables=[
            Table("promised_alone", "One flow of 10 MB: round trips saved.", _alone_rows(times)),
            Table(
                "promised_wide",
                "One flow of 10 MB with a window of 16 MB, delay 0.1 s. Over OC-1 packets wait for "
                "the routers' processors, before the line and its buffer.",
                wide,
            ),
            Table(
                "promised_shared",
                f"Eight flows of 1 MB over T1, delay 0.1 s: means over {SEEDS} seeds.",
                shared,
            ),
        ],
        pictures=[
            Picture(
                "promised",
                "Round trips saved over slow start, one flow of 10 MB, delayed ACKs.",
                lambda: _draw(times),
            )
        ],
    )


def together(run: "Run") -> dict[str, float]:
    """Mean times of the scheme's flows and of those beside them, and what was dropped."""
    took_s = [row["duration_s"] for row in run.records]
    return {
        "scheme_s": sum(took_s[:FLOWS]) / FLOWS,
        "beside_s": sum(took_s[FLOWS:]) / FLOWS,
        "dropped": sum(row["packets_dropped"] for row in run.records),
    }


def _document(line: Line, delay_s: float, scheme: Scheme, **fields: Any) -> "Document":
    threshold = f",{THRESHOLD}" if "window" not in fields else ""
    path = ROUTERS | fields.pop("path", {})
    return transfer(
        line,
        line.rtt_s(delay_s),
        scheme.spec(threshold),
        cc=scheme.cc,
        path=path,
        **PATIENT,
        **fields,
    )


def _alone(lab: "Lab") -> Times:
    keys = list(product(LINES, ACKS, DELAYS_S, SCHEMES))
    documents = [
        _document(line, delay_s, SCHEMES[scheme], ack=ack) for line, ack, delay_s, scheme in keys
    ]
    found = lab.runs(documents, connection)
    return {
        (line.key, ack, delay_s, scheme): one["duration_s"]
        for (line, ack, delay_s, scheme), one in zip(keys, found, strict=True)
    }


def _saved(times: Times, line: Line, ack: str, delay_s: float, scheme: str) -> float:
    """Round trips by which a scheme is done before slow start."""
    saved_s = times[line.key, ack, delay_s, SLOW_START] - times[line.key, ack, delay_s, scheme]
    return saved_s / line.rtt_s(delay_s)


def _alone_rows(times: Times) -> list[Mapping[str, Any]]:
    return [
        {
            "line": line.name,
            "ACKs": ack,
            "delay (s)": delay_s,
            "slow start (s)": round(times[line.key, ack, delay_s, SLOW_START], 2),
            **{
                f"{scheme} (RTT)": round(_saved(times, line, ack, delay_s, scheme), 2) + 0.0
                for scheme in list(SCHEMES)[1:]
            },
        }
        for line, ack, delay_s in product(LINES, ACKS, DELAYS_S)
    ]


def _wide(lab: "Lab") -> list[dict[str, Any]]:
    keys = list(product(LINES, BUFFERS, SCHEMES))
    documents = [
        _document(line, WIDE_DELAY_S, SCHEMES[scheme], path={"buffer": BUFFERS[buffer]}, **WIDE)
        for line, buffer, scheme in keys
    ]
    return [
        {
            "line": line.name,
            "buffer": buffer,
            "scheme": scheme,
            "connection time (s)": round(one["duration_s"], 2),
            "dropped": one["packets_dropped"],
            "timeouts": one["timeouts"],
        }
        for (line, buffer, scheme), one in zip(keys, lab.runs(documents, connection), strict=True)
    ]


def _shared(lab: "Lab") -> list[dict[str, Any]]:
    """All flows of one scheme, and half of them slow start."""
    keys = [
        (buffer, scheme, other)
        for buffer, scheme in product(BUFFERS, SCHEMES)
        for other in dict.fromkeys((scheme, SLOW_START))
    ]
    documents = {
        (buffer, scheme, other): [
            _eight(BUFFERS[buffer], SCHEMES[scheme], SCHEMES[other], seed)
            for seed in range(1, SEEDS + 1)
        ]
        for buffer, scheme, other in keys
    }
    rows = []
    for (buffer, scheme, other), seeds in by_case(lab, documents, together).items():
        low, high = interval([one["scheme_s"] for one in seeds])
        rows.append(
            {
                "buffer": buffer,
                "four flows": scheme,
                "four next to them": other,
                "time of the four (s)": round(mean_of(seeds, "scheme_s"), 1),
                "95 % from": round(low, 1),
                "to": round(high, 1),
                "time of those next to them (s)": round(mean_of(seeds, "beside_s"), 1),
                "dropped": round(mean_of(seeds, "dropped"), 1),
            }
        )
    return rows


def _eight(buffer: str, scheme: Scheme, other: Scheme, seed: int) -> "Document":
    """Flows that open in turn, the scheme's and those beside them."""
    document = _document(T1, SHARED_DELAY_S, scheme, path={"buffer": buffer}, size=SHARED_SIZE)
    flows = [
        {
            "startup": one.spec(f",{THRESHOLD}"),
            "cc": one.cc,
            "size": SHARED_SIZE,
            "count": FLOWS,
            "start": f"{start_s}s",
            "stagger": f"{SPACING_S}s",
            "jitter": f"{SPACING_S / 2}s",
        }
        for one, start_s in ((scheme, 0.0), (other, SPACING_S / 2))
    ]
    return document | {"seed": seed, "flows": flows}


def _says(
    times: Times, wide: Sequence[Mapping[str, Any]], shared: Sequence[Mapping[str, Any]]
) -> list[str]:
    def span(scheme: str, ack: str) -> str:
        saved = [_saved(times, *key, scheme) for key in product(LINES, (ack,), DELAYS_S)]
        return f"{round(min(saved), 1) + 0.0} to {round(max(saved), 1) + 0.0}"

    def took(scheme: str) -> float:
        (row,) = (
            row
            for row in wide
            if (row["line"], row["buffer"], row["scheme"]) == (OC1.name, ENDLESS, scheme)
        )
        return float(row["connection time (s)"])

    def eight(scheme: str, other: str) -> tuple[float, float]:
        (row,) = (
            row
            for row in shared
            if (row["buffer"], row["four flows"], row["four next to them"])
            == (ENDLESS, scheme, other)
        )
        return row["time of the four (s)"], row["time of those next to them (s)"]

    usual, mixed, all_modified = (
        eight(*pair)
        for pair in ((SLOW_START, SLOW_START), (MODIFIED, SLOW_START), (MODIFIED, MODIFIED))
    )
    return [
        (
            f"Alone and with delayed ACKs modified Swift Start saves {span(MODIFIED, 'delayed')} "
            f"round trips over slow start, Swift Start {span(SWIFT, 'delayed')}, Quick-Start "
            f"{span('Quick-Start', 'delayed')} and Jump Start {span('Jump Start', 'delayed')}."
        ),
        (
            f"With an ACK for each segment the original saves {span(SWIFT, 'every')} and its "
            f"modification {span(MODIFIED, 'every')}."
        ),
        (
            f"With a window of 16 MB over OC-1 at a delay of {WIDE_DELAY_S:g} s modified Swift "
            f"Start is done after {took(MODIFIED):.1f} s and slow start after "
            f"{took(SLOW_START):.1f} s."
        ),
        (
            f"Of eight flows over T1, four with modified Swift Start take {mixed[0]:.1f} s "
            f"instead of {usual[0]:.1f} s and the four next to them {mixed[1]:.1f} s instead of "
            f"{usual[1]:.1f} s; if all eight use it they take {all_modified[0]:.1f} and "
            f"{all_modified[1]:.1f} s."
        ),
    ]


def _draw(times: Times) -> "Figure":
    from flowstart_papers import drawing

    def panel(line: Line) -> "drawing.Panel":
        return drawing.Panel(
            drawing.Axis("delay of the line (s)", "log", ticks=(0.0001, 0.001, 0.01, 0.1, 0.8)),
            drawing.Axis("round trips saved"),
            {
                scheme: (DELAYS_S, [_saved(times, line, "delayed", d, scheme) for d in DELAYS_S])
                for scheme in list(SCHEMES)[1:]
            },
            title=line.name,
        )

    return drawing.panels(*map(panel, LINES))


EXPERIMENTS = (
    Experiment(
        id="MSS-PROMISED",
        figure="study",
        question="How does it compare with Swift Start, Quick-Start, Jump Start and BIC, and with "
        "competing flows?",
        run=_run,
    ),
)
