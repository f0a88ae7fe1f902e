"""The page of published numbers that nobody fitted here, next to what is measured.

`make qualification` writes it; `make docs` too, with the others.
"""

import os
import signal

if __name__ == "__main__":  # Ctrl-C ends it without a traceback, also during the imports below
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

import pathlib
from collections.abc import Iterable
from typing import Any

import flowstart as fs
import published
from flowstart import text
from published import Compared
from reference import cell

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "reference" / "results" / "published.md"
SUSS_PATH = fs.NetworkPath(rate="50Mbps", rtt="100ms")

TEMPLATE = pathlib.Path(__file__).with_suffix(".md")


def page() -> str:
    """The page as it should be."""
    compared = [one for _, one in published.everything() if one.group != published.PAPERS]
    missed = [one for one in compared if not one.agrees]
    explained = sum(not one.why.startswith("Open") for one in missed)
    groups = dict.fromkeys(one.group for one in compared)
    return TEMPLATE.read_text("utf-8").format(
        met=len(compared) - len(missed),
        total=len(compared),
        explained=explained,
        missed=len(missed),
        groups="\n\n".join(_section(group, compared) for group in groups),
        hystart_plus_plus=_ends_of_rounds(),
        search=_search(),
    )


def _section(group: str, compared: Iterable[Compared]) -> str:
    """A group's table, and the commands that measure it."""
    of_group = [one for one in compared if one.group == group]
    rows = [
        f"| `{one.startup}` | {cell(one.what)} | {cell(one.published)}{_room(one)} "
        f"| {cell(one.ours)} | {_verdict(one)} |"
        for one in of_group
    ]
    sources = ", ".join(dict.fromkeys(one.source for one in of_group))
    table = [
        f"Source: {sources}.",
        "",
        "| startup | what | published | here | |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]
    again = [f"    {one}" for one in dict.fromkeys(one.again for one in of_group)]
    return "\n".join([f"## {group}", "", *table, "", *again])


def _room(one: Compared) -> str:
    return f", {one.tolerance}" if one.tolerance else ""


def _verdict(one: Compared) -> str:
    if one.agrees:
        return "met"
    return f"**missed**. {cell(one.why)}" if one.why else "**missed**"


# The contradictions' experiments.


def _ends_of_rounds() -> str:
    """HyStart++ by both ends of a round, with the stated buffer and a larger one."""
    lines = [
        "| rounds end | buffer | cwnd at the loss | lost of 20 MB |",
        "| --- | --- | --- | --- |",
    ]
    for buffer in ("413pkt", "480pkt"):
        for variant, words in (
            ("rfc", "at the end, RFC 9406"),
            ("linux-cubic", "beyond it, the patch"),
        ):
            startup = f"hystart-plus-plus:variant={variant}"
            row = _row(SUSS_PATH.replace(buffer=buffer), startup, "20MB", "linux")
            lines.append(f"| {words} | {buffer} | {_counts(row)} |")
    return "\n".join(lines)


def _search() -> str:
    """SEARCH on `leo` with its buffer and with larger ones."""
    lines = ["| buffer | exit | cwnd at the exit | lost of 20 MB |", "| --- | --- | --- | --- |"]
    leo = fs.NetworkPath.named("leo")
    for buffer in (None, "2MB", "4MB"):
        path = leo.replace(buffer=buffer) if buffer else leo
        row = _row(path, "search", "20MB", "quic")
        lines.append(f"| {buffer or 'of `leo`'} | {row['startup_exit_reason']} | {_counts(row)} |")
    return "\n".join(lines)


def _counts(row: dict[str, Any]) -> str:
    shown = (row["startup_exit_cwnd_segments"], row["packets_dropped"])
    return " | ".join(text.count(value) for value in shown)


def _row(path: fs.NetworkPath, startup: str, size: str, stack: str) -> dict[str, Any]:
    """One transfer."""
    found = fs.compare(
        path,
        startups=[startup],
        sizes=[size],
        stack=stack,
        uncertainty=False,
    )
    return found.records[0]


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")
    print(f"{PAGE.relative_to(PAGE.parents[2])} written")
