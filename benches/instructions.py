"""`make instructions`: instructions per packet of each stack and startup.

Cachegrind counts transfers of 1 MB and of 4 MB over the same random paths. The slope between both
is the cost of a packet. What a run takes besides is the cost of transfers of one packet.

Below each line is the change against the record, which `--record` writes.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
from typing import NamedTuple

import program
from builds import built, resolve
from failures import BuildError, RequestError

STACKS = ("rfc", "ns2", "quic", "linux")
STARTUPS = ("slow-start", "hystart", "gauge")
MEAN = "mean"
BESIDES = "a run besides"
COLUMNS = (*STARTUPS, MEAN, BESIDES)
WIDTHS = (12, 12, 12, 12, 16)
COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")
RECORD = pathlib.Path(__file__).parent / "instructions.json"

Counts = dict[str, float]
"""Instructions by column."""


def main() -> None:
    """Counts for HEAD, or for the revision that is given."""
    parser = argparse.ArgumentParser(description="instructions per packet")
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument(
        "--guided", action="store_true", help="of a build with a profile of the workloads"
    )
    parser.add_argument(
        "--record", action="store_true", help="write the counts into benches/instructions.json"
    )
    given = parser.parse_args()
    if given.guided and given.record:
        raise RequestError("--record: the record is of builds without a profile; omit --guided")
    if not shutil.which("valgrind"):
        raise BuildError("valgrind is missing: it counts the instructions")
    recorded: dict[str, Counts] = {} if given.guided else json.loads(RECORD.read_text())
    counts = {}
    with built([resolve(given.revision)], guided=given.guided) as (workloads,):
        idle, _ = counted(workloads, "--names")
        print(row("stack", COLUMNS))
        for stack in STACKS:
            counts[stack] = counts_of(workloads, stack, idle)
            print(row(stack, [f"{counts[stack][column]:.0f}" for column in COLUMNS]))
            if stack in recorded:
                print(row("  change", changes(counts[stack], recorded[stack])), flush=True)
    if given.record:
        RECORD.write_text(json.dumps(rounded(counts), indent=1) + "\n")


def row(name: str, cells: tuple[str, ...] | list[str]) -> str:
    """A line of the table."""
    shown = (f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))
    return f"{name:<10}{''.join(shown)}"


def changes(counts: Counts, recorded: Counts) -> list[str]:
    """The change of each column against the record, in percent."""
    return [f"{counts[c] / recorded[c] - 1:+.1%}".replace("%", " %") for c in COLUMNS]


def rounded(counts: dict[str, Counts]) -> dict[str, Counts]:
    """Whole instructions."""
    return {stack: {c: round(n) for c, n in columns.items()} for stack, columns in counts.items()}


def counts_of(workloads: pathlib.Path, stack: str, idle: int) -> Counts:
    """A stack's instructions per packet with each startup, their mean, and those of set-up.

    `idle` are those of the program itself.
    """
    slopes = {startup: slope(workloads, stack, startup) for startup in STARTUPS}
    single = transfers(workloads, stack, "1pkt", STARTUPS[0])
    besides = (single.instructions - idle) / single.runs
    return {**slopes, MEAN: sum(slopes.values()) / len(slopes), BESIDES: besides}


class Count(NamedTuple):
    """What transfers of one size took."""

    instructions: int
    packets: int
    """Data packets that arrived."""
    runs: int


def slope(workloads: pathlib.Path, stack: str, startup: str) -> float:
    """Instructions per packet."""
    short, long = (transfers(workloads, stack, size, startup) for size in ("1MB", "4MB"))
    return (long.instructions - short.instructions) / (long.packets - short.packets)


def transfers(workloads: pathlib.Path, stack: str, size: str, startup: str) -> Count:
    """Counts transfers over the random paths."""
    instructions, output = counted(workloads, "--counted", stack, size, startup)
    figures = json.loads(output)
    return Count(instructions, figures["data_packets"], figures["flows"])


def counted(workloads: pathlib.Path, *arguments: str) -> tuple[int, str]:
    """The instructions of a run of the program, and what it prints."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*command, str(workloads), *arguments], capture_output=True, text=True)
    refs = COUNTED.search(done.stderr)
    if done.returncode != 0 or refs is None:
        raise BuildError(f"no count of {' '.join(arguments)}: this revision cannot count it")
    return int(refs[1].replace(",", "")), done.stdout


if __name__ == "__main__":
    program.run(main)
