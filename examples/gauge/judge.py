"""Judges gauge: runs what is missing, and writes and prints what it comes to.

    python examples/gauge/judge.py baseline -o out/gauge
    python examples/gauge/judge.py all -o out/gauge

Each part leaves PART.csv, PART.parquet and PART.json in the folder, one row per number, and its
sweeps in separate folders, where it resumes after an interruption. `limits.csv` has what
gauge must show next to what was measured. Regret is over the fastest of the reference set, of which
gauge is not: its regret may be below 1.
"""

import argparse
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

import flowstart as fs
import results
import shown
from parts import PARTS, Extent, Part

ALL, LIMITS = "all", "limits"
NOTE = (
    "Regret is over the fastest of the reference set, of which gauge is not: it may be below 1. "
    "Means are over alone, long and short."
)


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line."""

    def error(self, message: str) -> NoReturn:
        """Ends with status 2."""
        print(message, file=sys.stderr)
        sys.exit(2)


def main(arguments: Sequence[str]) -> None:
    """Reads the command line and runs what it requests."""
    given = _parser().parse_args(arguments)
    folder: pathlib.Path = given.out
    if given.part != LIMITS:
        for name in PARTS if given.part == ALL else [given.part]:
            part = PARTS[name]
            _judge(name, part, _extent(part, folder / name, given), folder)
    rows = read(folder)
    table = shown.limits(rows)
    print(f"\n{table.text()}")
    table.write(folder / f"{LIMITS}.csv")


def _parser() -> Parser:
    parts = "; ".join(f"{name}: {part.about}" for name, part in PARTS.items())
    parser = Parser(description="Judges gauge", epilog=parts)
    parser.add_argument("part", choices=[*PARTS, LIMITS, ALL])
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True, help="a folder")
    parser.add_argument("--paths", type=whole, help="how many paths; fewer for a first look")
    parser.add_argument("--seeds", type=whole, help="how many seeds where anything is random")
    parser.add_argument("--workers", type=whole, help="how many processes; one per core if absent")
    return parser


def whole(text: str) -> int:
    """An argument that counts something."""
    if not text.isascii() or not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"`{text}`: a whole number from 1 is needed")
    return int(text)


def _extent(part: Part, folder: pathlib.Path, given: argparse.Namespace) -> Extent:
    paths, seeds = given.paths or part.paths, given.seeds or part.seeds
    return Extent(folder, paths, seeds, given.workers)


def _judge(name: str, part: Part, extent: Extent, folder: pathlib.Path) -> None:
    rows = part.run(extent)
    results.write(rows, folder / name)
    for table in shown.OF_PART.get(name, (name,)):
        print(f"\n{table}\n{shown.TABLES[table](rows).text()}", flush=True)
    if name == "baseline":
        print(f"\n{NOTE}\n{shown.left_out(rows)}")


def read(folder: pathlib.Path) -> list[results.Row]:
    """What all parts in a folder have come to."""
    files = [folder / f"{name}.csv" for name in PARTS]
    found = [row for file in files if file.exists() for row in results.read(file)]
    if not found:
        raise fs.RequestError(f"{folder}: no part has been judged here; run one first")
    return found


def guarded(program: Callable[[Sequence[str]], None], arguments: Sequence[str]) -> int:
    """The exit status: 0, 2 for a wrong request, 1 for a run that failed, 130 for Ctrl-C."""
    try:
        program(arguments)
    except fs.RequestError as error:
        print(error, file=sys.stderr)
        return 2
    except (fs.FlowstartError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(guarded(main, sys.argv[1:]))
