"""`make instructions`: instructions per packet of each stack and startup.

Cachegrind counts transfers of 1 MB and of 4 MB over the same random paths. The slope between both
is the cost of a packet. What a run takes besides is the cost of transfers of one packet.
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
from failures import BuildError

STACKS = ("rfc", "ns2", "quic", "linux")
STARTUPS = ("slow-start", "hystart", "gauge")
COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")


def main() -> None:
    """Counts for HEAD, or for the revision that is given."""
    parser = argparse.ArgumentParser(description="instructions per packet")
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument(
        "--guided", action="store_true", help="of a build with a profile of the workloads"
    )
    given = parser.parse_args()
    if not shutil.which("valgrind"):
        raise BuildError("valgrind is missing: it counts the instructions")
    with built([resolve(given.revision)], guided=given.guided) as (workloads,):
        idle, _ = counted(workloads, "--names")
        names = "".join(f"{startup:>12}" for startup in STARTUPS)
        print(f"{'stack':<8}{names}{'mean':>12}{'a run besides':>16}")
        for stack in STACKS:
            print(line(workloads, stack, idle), flush=True)


def line(workloads: pathlib.Path, stack: str, idle: int) -> str:
    """A stack's instructions per packet with each startup, their mean, and those of set-up.

    `idle` are those of the program itself.
    """
    slopes = [slope(workloads, stack, startup) for startup in STARTUPS]
    shown = "".join(f"{each:>12.0f}" for each in (*slopes, sum(slopes) / len(slopes)))
    single = transfers(workloads, stack, "1pkt", STARTUPS[0])
    return f"{stack:<8}{shown}{(single.instructions - idle) / single.runs:>16.0f}"


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
