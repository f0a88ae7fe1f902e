"""Requests to the simulator: sweeps over the paths of the training set or the test set."""

import functools
import hashlib
import pathlib
import sys
import tomllib
from dataclasses import dataclass
from typing import Any

import flowstart as fs
from flowstart import _native
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import of_startups

HERE = pathlib.Path(__file__).parent
TUNING, HELD_OUT = "tuning", "held_out"
"""The files of paths."""
GAUGE = "gauge"
HYSTART = "hystart-plus-plus"
QUICLY = "quicly-jumpstart:max_packets=0"
COMPARED = (GAUGE, HYSTART, QUICLY)
"""What every part has."""
BUILD = "build.txt"


@functools.cache
def reference() -> tuple[str, ...]:
    """The startups whose fastest is the measure of regret; `gauge` is not among them."""
    told = tomllib.loads((HERE / "reference.toml").read_text("utf-8"))
    found = of_startups(told["startups"], CustomStartups())
    return tuple(one.name for one in found if one.name not in told["without"])


@dataclass(frozen=True)
class Question:
    """A sweep of one of the two files, with other startups, fewer paths or fewer seeds."""

    file: str
    startups: tuple[str, ...]
    companies: tuple[str, ...]
    paths: int
    seeds: int
    stacks: tuple[str, ...] = ("linux",)
    avoidances: tuple[str, ...] = ("cubic",)

    def document(self) -> dict[str, Any]:
        """What the sweep's file would say."""
        told = tomllib.loads((HERE / f"{self.file}.toml").read_text("utf-8"))
        return told | {
            "startups": list(self.startups),
            "stack": list(self.stacks),
            "cc": list(self.avoidances),
            "seeds": _seeds(told["seeds"], self.seeds),
            "competing": {"kinds": list(self.companies)},
            "sample": told["sample"] | {"paths": self.paths},
        }


def _seeds(told: int | list[int], wanted: int) -> int | list[int]:
    """So many seeds: of each path's own where the file has a number, else from its first one on."""
    return wanted if isinstance(told, int) else [told[0] + place for place in range(wanted)]


def ask(question: Question, folder: pathlib.Path, workers: int | None) -> pathlib.Path:
    """Runs what is missing of a sweep in `folder`, which it returns.

    `fs.sweep` does not distinguish builds of one version, so the build is noted next to the rows
    of `gauge`. Raises RequestError where they are of another one.
    """
    has_gauge = any(name.partition(":")[0] == GAUGE for name in question.startups)
    if has_gauge:
        same_build(folder)
    swept = fs.sweep(
        question.document(),
        sweep_in(folder),
        workers=workers,
        progress=_progress(folder),
        approve=lambda _: True,
    )
    if swept.interrupted:
        raise KeyboardInterrupt
    if swept.failures:
        raise fs.SimulationError(f"{folder}: {swept.failures[0]}")
    if has_gauge:
        same_build(folder)  # the build may have changed meanwhile
    return sweep_in(folder)


def sweep_in(folder: pathlib.Path) -> pathlib.Path:
    """Where the rows of a question are."""
    return folder / "sweep"


def same_build(folder: pathlib.Path) -> None:
    """Notes the build in a new folder; refuses a folder with the results of another one."""
    build = hashlib.sha256(pathlib.Path(_native.__file__).read_bytes()).hexdigest()
    noted = folder / BUILD
    if noted.exists() and noted.read_text("utf-8").strip() != build:
        raise fs.RequestError(f"{folder}: it holds results of another build; remove it first")
    folder.mkdir(parents=True, exist_ok=True)
    noted.write_text(f"{build}\n", "utf-8")


def _progress(folder: pathlib.Path) -> Any:
    def told(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{folder}: {done} of {total} cells", end="", file=sys.stderr, flush=True)

    return told
