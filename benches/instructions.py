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

import program
from builds import built, resolve
from failures import BuildError

STACKS = ("rfc", "ns2", "quic", "linux")
SIZES = ("1MB", "4MB")
RUNS = 18
"""Paths times startups of `--counted`."""
COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")


def main() -> None:
    """Counts for HEAD, or for the revision that is given."""
    if not shutil.which("valgrind"):
        raise BuildError("valgrind is missing: it counts the instructions")
    revision = resolve(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    with built([revision]) as (workloads,):
        print(f"{revision.name:<12}{'instructions per packet':>26}{'per run':>14}")
        for stack in STACKS:
            (short, few), (long, many) = (counted(workloads, stack, size) for size in SIZES)
            slope = (long - short) / (many - few)
            print(f"{stack:<12}{slope:>26.0f}{(short - few * slope) / RUNS:>14.0f}", flush=True)


def counted(workloads: pathlib.Path, stack: str, size: str) -> tuple[int, int]:
    """Instructions, and data packets that arrived."""
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
    return int(refs[1].replace(",", "")), json.loads(done.stdout)["data_packets"]


if __name__ == "__main__":
    program.run(main)
