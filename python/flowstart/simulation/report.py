"""The files of one run: tables, its trace, figures and a page to read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Literal, TypeAlias

from flowstart import text
from flowstart.errors import RequestError
from flowstart.render import figure_files, html
from flowstart.render import summary as screen
from flowstart.render.files import columns, encoded
from flowstart.simulation import frames
from flowstart.simulation.run import Run
from flowstart.simulation.series import Series, shown
from flowstart.simulation.tables import of_run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables(result: Run) -> dict[str, bytes]:
    """The tables, the trace where there is one, and everything else as JSON."""
    frames = {"rows": result.frame, "links": result.links}
    if result.transfers.height:
        frames["transfers"] = result.transfers
    if result.objects.height:
        frames["objects"] = result.objects
    if result.startups.height:
        frames["startups"] = result.startups
    traced = {
        "flow-samples": result.flow_samples,
        "queue-samples": result.queue_samples,
        "queue-departures": result.queue_departures,
    }
    frames |= {name: frame for name, frame in traced.items() if frame is not None}
    found = {"result.json": encoded(result.to_dict())}
    for name, frame in frames.items():
        found |= columns(frame, name, "flows" if name == "rows" else name)
    return found


def pictures(result: Run, title: str) -> dict[str, bytes]:
    """The page, and the figures over time where the run has a trace."""
    found: dict[str, bytes] = {}
    parts = [html.table(grid) for grid in of_run(result.outcome)]
    if result.notes:
        parts.append(html.paragraph("\n".join(result.notes)))
    series = result.series()
    if series:
        parts += figure_files.apology()
    drawn = {} if figure_files.wanting() else _drawn(result, series)
    for name, (figure, caption) in drawn.items():
        files = figure_files.of(name, figure)
        found |= files.contents
        parts.append(html.picture(files.svg, caption))
    found["report.html"] = html.page(title, [*parts, html.made_by()]).encode()
    return found


def _drawn(result: Run, series: "list[Series]") -> "dict[str, tuple[Figure, str]]":
    """The figures and their captions by name; none without series."""
    if not series:
        return {}
    from flowstart.simulation.figures import About, over_time, sequence  # loads matplotlib

    some = shown(result.outcome)
    of = f", of {some}" if some else ""
    about = About(result.headline, which=some)
    return {
        "over-time": (
            over_time(series, about),
            f"Window, bytes in flight{of}; bottleneck queue.",
        ),
        "sequence": (
            sequence(series, about),
            f"What was sent, sent again and acknowledged{of}.",
        ),
    }


def summary(run: "Run", command: str = "") -> screen.Summary:
    """What was simulated, how many flows completed, and what was lost."""
    shown = next((replace(grid, title="") for grid in of_run(run.outcome)), None)
    hint = "All flows, links and notes: --details. Figures and traces: -o DIR"
    return screen.Summary(
        f"{run.headline}.", [_flows(run), _loss(run)], shown, run.notes, command, hint=hint
    )


def _flows(run: "Run") -> str:
    done = [row["fct_s"] for row in run.records if row["complete"]]
    count = f"{len(done)} of {text.counted(len(run.records), 'flow', 'flows')} completed"
    silent = sum(not row["complete"] and not row["bytes_delivered"] for row in run.records)
    nothing = f"; {silent} delivered nothing" if silent else ""
    middle = f", in {text.short_seconds(median(done))} (median)" if done else ""
    return f"{count}{middle}{nothing}."


def _loss(run: "Run") -> str:
    """The link with most drops, or the busiest one."""
    links = frames.rows(run.outcome["links"])
    first = max(links, key=lambda row: (row["dropped"], row["utilisation"]))
    return (
        f"Link {first['name']}: {first['utilisation']:.0%} used, {text.count(first['dropped'])} of "
        f"{text.count(first['packets'])} packets dropped, queue at most "
        f"{text.count(first['max_queue_pkts'])} packets."
    )


Side: TypeAlias = Literal["sender", "receiver"]


@dataclass(frozen=True)
class Recordings:
    """What is written of which flows."""

    qlogs: tuple[int, ...] = ()
    pcaps: tuple[tuple[int, Side], ...] = ()
    """A flow, and the host at which its packets are captured."""

    @property
    def flows(self) -> list[int]:
        """The flows whose packets have to be recorded."""
        return sorted({*self.qlogs, *(flow for flow, _ in self.pcaps)})

    def files(self, run: "Run") -> Iterator[tuple[str, bytes]]:
        """The files of a run by name, such as `flow-3.sqlog` and `flow-3.pcap`."""
        for flow in self.qlogs:
            yield f"flow-{flow}.sqlog", run.qlog(flow)
        for flow, side in self.pcaps:
            at = "" if side == "sender" else f"-{side}"
            yield f"flow-{flow}{at}.pcap", run.pcap(flow, side)


def read(qlog: str | None, pcap: str | None) -> Recordings:
    """Reads the lists of the options `--qlog` and `--pcap`."""
    places = tuple(_place(word) for word in _words(pcap))
    return Recordings(tuple(_flow(word, "--qlog") for word in _words(qlog)), places)


def _words(given: str | None) -> list[str]:
    if given is None:
        return []
    return list(dict.fromkeys(word.strip() for word in given.split(",")))


def _flow(word: str, option: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) < 1 << 32):
        raise RequestError(f"{option} {word!r}: flows are named by their number, such as 0 or 0,3")
    return int(word)


def _place(word: str) -> tuple[int, Side]:
    number, colon, side = word.partition(":")
    if not colon or side == "sender":
        return _flow(number, "--pcap"), "sender"
    if side == "receiver":
        return _flow(number, "--pcap"), "receiver"
    raise RequestError(f"--pcap {word!r}: the host behind a flow's number is sender or receiver")
