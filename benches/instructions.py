"""`make instructions`: instructions per packet of each stack.

Cachegrind counts a run of short transfers, and one of longer transfers over the same random paths.
The slope between both is the cost of a packet; what is left is the cost of a run.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import program
from builds import built, resolve
from failures import BuildError

STACKS = ("rfc", "ns2", "quic", "linux")
SIZES = ("1MB", "4MB")
COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")


def main() -> None:
    """Counts for HEAD, or for the revision that is given."""
    if not shutil.which("valgrind"):
        raise BuildError("valgrind is missing: it counts the instructions")
    revision = resolve(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    with built([revision]) as (workloads,):
        print(f"{revision.name:<12}{'instructions per packet':>26}{'per run':>14}")
        for stack in STACKS:
            short, long = (counted(workloads, stack, size) for size in SIZES)
            slope = (long.instructions - short.instructions) / (long.packets - short.packets)
            per_run = (short.instructions - short.packets * slope) / short.runs
            print(f"{stack:<12}{slope:>26.0f}{per_run:>14.0f}", flush=True)


class Count(NamedTuple):
    """What transfers of one size took."""

    instructions: int
    packets: int
    """Data packets that arrived."""
    runs: int


def counted(workloads: pathlib.Path, stack: str, size: str) -> Count:
    """Counts a run of each path and startup."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run(
        [*command, str(workloads), "--counted", stack, size],
        capture_output=True,
        text=True,
        check=True,
    )
    refs = COUNTED.search(done.stderr)
    if refs is None:
        raise BuildError(f"no count of instructions: {done.stderr.strip().splitlines()[-1]}")
    figures = json.loads(done.stdout)
    return Count(int(refs[1].replace(",", "")), figures["data_packets"], figures["flows"])


if __name__ == "__main__":
    program.run(main)
