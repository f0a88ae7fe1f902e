"""`make bench-against REV=…`: HEAD beside another revision, and both beside the bare loop.

Both are built, and their workloads run in alternation. The table gives million packets per CPU
second, the best of the rounds and the range of them; the ratio of the best; and each build's best
as a share of the bare loop's, which ran in the same rounds.
"""

import argparse
import pathlib
import sys

import program
from builds import Revision, built, is_dirty, resolve
from sitting import BARE_LOOP, Contender, Speeds, alternate, workloads


def main() -> None:
    """Reads the command line, builds and measures."""
    parser = argparse.ArgumentParser(description="HEAD beside another revision")
    parser.add_argument("rev")
    parser.add_argument("--workloads", default="", help="names, with spaces between; all if empty")
    parser.add_argument("--rounds", default="5", help="how often each is run")
    given = parser.parse_args()
    rounds = program.rounds(given.rounds)
    old, head = resolve(given.rev), resolve("HEAD")
    if is_dirty():
        print("changes that are not committed are not measured", file=sys.stderr)
    with built([head, old]) as (head_program, old_program):
        names = workloads(head_program, given.workloads.split())
        print(heading(old, head))
        for name in names:
            print(measured(name, old_program, head_program, rounds), flush=True)


def measured(name: str, old: pathlib.Path, head: pathlib.Path, rounds: int) -> str:
    """A workload's line."""
    contenders = (Contender(head, BARE_LOOP), Contender(old, name), Contender(head, name))
    return line(name, *alternate(contenders, rounds))


def heading(old: Revision, head: Revision) -> str:
    """The columns."""
    names = "".join(f"{f'{r.name}, best (range)':>24}" for r in (old, head))
    return f"{'workload':<16}{names}{'ratio':>8}{'of bare loop':>18}"


def line(name: str, bare: Speeds | None, old: Speeds | None, head: Speeds | None) -> str:
    """What a workload came to, or why nothing can be said of it."""
    if bare is None or head is None:
        return f"{name:<16}skipped: HEAD has no such workload"
    if old is None:
        return f"{name:<16}skipped: the other revision has no such workload"
    shares = f"{old.best / bare.best:.3f} → {head.best / bare.best:.3f}"
    differs = "" if old.result == head.result else "  other packets: the results differ"
    ratio = head.best / old.best
    return f"{name:<16}{cell(old)}{cell(head)}{ratio:>8.3f}{shares:>18}{differs}"


def cell(speeds: Speeds) -> str:
    """The best round, and the range of all."""
    return f"{f'{speeds.best:.2f} ({speeds.worst:.2f}–{speeds.best:.2f})':>24}"


if __name__ == "__main__":
    program.run(main)
