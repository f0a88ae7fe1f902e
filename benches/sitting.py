"""Workloads measured in one sitting: in alternation, so that all meet the same machine."""

import json
import pathlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from failures import BuildError, RequestError

BARE_LOOP = "bare-loop"
"""The workload that all others are measured against (`benches/src/bare_loop.rs`)."""

NO_SUCH_WORKLOAD = 2
"""The exit status of a program that lacks a workload."""


@dataclass(frozen=True)
class Contender:
    """A workload as one build runs it."""

    program: pathlib.Path
    workload: str


@dataclass(frozen=True)
class Result:
    """What came of a workload; the same for builds that simulate the same."""

    data_packets: int
    packets_dropped: int


@dataclass(frozen=True)
class Run:
    """What one run of a workload took and came to."""

    speed: float
    """In million packets per CPU second."""
    result: Result


@dataclass(frozen=True)
class Speeds:
    """How fast a contender was in each round, in million packets per CPU second."""

    rounds: tuple[float, ...]
    result: Result

    @classmethod
    def of(cls, runs: Sequence[Run]) -> "Speeds":
        """The speeds of some runs of the same."""
        return cls(tuple(run.speed for run in runs), runs[0].result)

    @property
    def best(self) -> float:
        """The round that the machine disturbed least."""
        return max(self.rounds)

    @property
    def worst(self) -> float:
        """The round that it disturbed most."""
        return min(self.rounds)


def workloads(program: pathlib.Path, wanted: Sequence[str]) -> list[str]:
    """The workloads that are wanted, all where none is named, as far as the build has them."""
    done = subprocess.run((program, "--names"), capture_output=True, text=True, check=True)
    known = [name for name in done.stdout.split() if name != BARE_LOOP]
    for name in wanted:
        if name not in known:
            raise RequestError(f"WORKLOADS: no workload `{name}`; known are {', '.join(known)}")
    return list(wanted) or known


def alternate(contenders: Sequence[Contender], rounds: int) -> list[Speeds | None]:
    """Measures each contender once a round, and in the other order every other round.

    `None` stands for one whose build has no such workload.
    """
    taken: dict[Contender, list[Run]] = {contender: [] for contender in contenders}
    for turn in range(rounds):
        for contender in list(taken) if turn % 2 == 0 else list(reversed(taken)):
            run = measure(contender)
            if run is None:
                del taken[contender]
            else:
                taken[contender].append(run)
    return [Speeds.of(taken[c]) if c in taken else None for c in contenders]


def measure(contender: Contender) -> Run | None:
    """One run, in a process of its own; `None` where the build has no such workload."""
    command = (contender.program, "--only", contender.workload)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == NO_SUCH_WORKLOAD:
        return None
    if done.returncode != 0:
        raise BuildError(f"{contender.workload} fails:\n{done.stderr.strip()}")
    figures = json.loads(done.stdout)
    result = Result(figures["data_packets"], figures["packets_dropped"])
    return Run(figures["packets_per_cpu_s"] / 1e6, result)
