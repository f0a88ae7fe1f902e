"""`make speed-record`: appends a row for HEAD, or for each of REVS=…, to the record of speeds.

The rows of one call are measured in one sitting, in alternation. The bare loop is HEAD's, for
old revisions have none.
"""

import argparse
import datetime
from collections.abc import Sequence

import program
from builds import ROOT, Revision, built, resolve
from failures import RequestError
from sitting import BARE_LOOP, Contender, Speeds, alternate

PAGE = ROOT / "docs" / "maintainers" / "speed-record.md"

KEY_WORKLOADS = (
    "bulk",
    "bulk-lossless",
    "narrow-window",
    "bulk-access",
    "bulk-linux",
    "bulk-quic",
    "bulk-bbr",
    "at-once-10000",
    "at-once-100000",
    "web-default",
    "short-runs",
)
"""The columns of the table after revision, its date and the day of the sitting."""


def main() -> None:
    """Reads the command line, builds, measures and appends."""
    parser = argparse.ArgumentParser(description="appends to the record of speeds")
    parser.add_argument("revs", nargs="*", default=["HEAD"])
    parser.add_argument("--rounds", default="5", help="how often each workload is run")
    given = parser.parse_args()
    rounds = program.rounds(given.rounds)
    check_columns(PAGE.read_text())
    revisions = [resolve(name) for name in given.revs]
    head = resolve("HEAD")
    others = [revision for revision in revisions if revision != head]
    with built([head, *others]) as programs:
        bare = Contender(programs[0], BARE_LOOP)
        by_revision = dict(zip([head, *others], programs, strict=True))
        shares = [
            shares_of_bare(bare, [Contender(by_revision[r], name) for r in revisions], rounds)
            for name in KEY_WORKLOADS
        ]
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    rows = (
        row(revision, today, cells)
        for revision, cells in zip(revisions, zip(*shares, strict=True), strict=True)
    )
    with PAGE.open("a") as page:
        page.writelines(rows)


def check_columns(page: str) -> None:
    """Refuses to append to a table of other workloads."""
    last_heading = [line for line in page.splitlines() if line.startswith("| revision")][-1]
    columns = tuple(cell.strip(" `") for cell in last_heading.strip("| ").split("|"))[3:]
    if columns != KEY_WORKLOADS:
        raise RequestError(f"{PAGE}: its columns are not those of KEY_WORKLOADS, benches/record.py")


def shares_of_bare(bare: Contender, builds: Sequence[Contender], rounds: int) -> list[str]:
    """How fast each build runs a workload, as a share of the bare loop's speed."""
    loop, *speeds = alternate([bare, *builds], rounds)
    assert loop is not None
    return [share(loop, one) for one in speeds]


def share(loop: Speeds, speeds: Speeds | None) -> str:
    """A cell of the table; a dash where the revision has no such workload."""
    return "–" if speeds is None else f"{speeds.best / loop.best:.3f}"


def row(revision: Revision, today: str, cells: Sequence[str]) -> str:
    """A line of the table."""
    return f"| {' | '.join([f'`{revision.name}`', revision.date, today, *cells])} |\n"


if __name__ == "__main__":
    program.run(main)
