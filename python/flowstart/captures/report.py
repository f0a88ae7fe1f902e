"""The files of a capture: its tables, figures and a page to read."""

from flowstart import text
from flowstart.captures import contents, senders, server_log
from flowstart.captures import contents as grids
from flowstart.captures.contents import Capture
from flowstart.captures.next_command import next_command
from flowstart.render import figure_files, html
from flowstart.render import summary as screen
from flowstart.render.files import columns, encoded


def tables(capture: Capture, *, rows: bool = False) -> dict[str, bytes]:
    """The connections, demands and transfers as tables, and the counts as JSON.

    With `rows` JSON has them too, which takes several times the memory.
    """
    files = {"capture.json": encoded(capture.to_dict(rows=rows))}
    for name in ("connections", "demands", "senders", "transfers", "quic"):
        frame = getattr(capture, name)
        if frame is not None and len(frame):
            files |= columns(frame, name, f"capture-{name}")
    return files


def pictures(capture: Capture) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    files: dict[str, bytes] = {}
    lines = grids.headline(capture), grids.quic(capture)
    parts = [html.paragraph(line) for line in lines if line]
    shown = [grids.summary_table(capture.summary), grids.networks(capture)]
    shown += [senders.table(capture.senders), grids.connections(capture)]
    parts += map(html.table, shown)
    for drawn in figure_files.drawn({} if figure_files.wanting() else _drawn(capture)):
        files |= drawn.contents
        parts.append(html.picture(drawn.svg, drawn.caption))
    parts += figure_files.apology()
    parts += [html.paragraph(note) for note in (*capture.warnings, *capture.notes)]
    files["report.html"] = html.page(f"Capture {capture.file}", [*parts, html.made_by()]).encode()
    return files


def _drawn(capture: Capture) -> dict[str, figure_files.Draw]:
    """What draws each figure, by file name."""
    from flowstart.captures import figures  # loads matplotlib

    return {
        "needed-rates": lambda: (
            figures.needed_rates(capture.demands),
            "The rate that would carry each direction of more than 4380 bytes in one round trip.",
        ),
        "window-reductions": lambda: (
            figures.window_reductions(capture.demands),
            "How much of that rate the receiver's advertised window takes away.",
        ),
    }


def overview(capture: "Capture") -> screen.SummaryPage:
    """What was read, typical sizes and RTTs, and the path to each network."""
    s = capture.summary
    answer = (
        [f"Median RTT {text.short_seconds(s['rtt_s']['p50'])}."] if s["rtt_s"].get("p50") else []
    )
    if s["bytes"].get("p50") is not None:
        large = f"{s['over_4380_bytes']} of {s['directions_with_data']}"
        answer.append(
            f"Median size {text.size(s['bytes']['p50'])}; {large} directions of a connection "
            "have more than 4380 bytes."
        )
    if quic := contents.quic(capture):
        answer.append(quic)
    shown = contents.networks(capture) if capture.groups else contents.connections(capture)
    notes = list(capture.notes) if server_log.is_log(capture) else []
    directions = ["sent: by the local side; rate and buffer: estimates of that direction."]
    command, remark = next_command(capture)
    hint = "Connections, the other direction and notes: --details. Tables: -o DIR"
    return screen.SummaryPage(
        f"{contents.headline(capture)}.",
        answer,
        shown,
        [*notes, *directions * bool(capture.groups), *[remark] * bool(remark)],
        next=command,
        hint=hint,
    )
