"""The parts of the judging: the requests of each, and what it makes of the answers."""

import dataclasses
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import constants
import flowstart as fs
from asking import COMPARED, GAUGE, HELD_OUT, HYSTART, TUNING, Question, ask, reference, sweep_in
from crowd import crowd
from flowstart.maps.outcomes import Flags
from measures import CORE, Measures, compared_rows, judged_rows
from named_paths import named
from processor import processor
from questions import Judged, read
from results import Row

BESIDE = (*CORE, "probe")
STACKS, AVOIDANCES = ("linux", "rfc", "quic"), ("cubic", "reno", "bbr")
USUAL = "linux cubic"
CAREFUL = "careful-resume"
"""Needs a memory, so it is not of the reference set; the map of regret shows it."""


@dataclass(frozen=True)
class Extent:
    """How much a part runs."""

    folder: pathlib.Path
    paths: int
    seeds: int
    workers: int | None = None

    def of(self, name: str) -> pathlib.Path:
        """The folder of one of its sweeps."""
        return self.folder / name

    def ask(
        self,
        name: str,
        file: str,
        startups: Sequence[str],
        companies: Sequence[str] = BESIDE,
        stacks: Sequence[str] = STACKS[:1],
        avoidances: Sequence[str] = AVOIDANCES[:1],
    ) -> pathlib.Path:
        """A sweep over its paths and seeds, of which what is missing is run."""
        lists = (tuple(startups), tuple(companies))
        endpoints = (tuple(stacks), tuple(avoidances))
        question = Question(file, *lists, self.paths, self.seeds, *endpoints)
        return ask(question, self.of(name), self.workers)


def baseline(extent: Extent) -> list[Row]:
    """The reference set and gauge on the test set; next to BBR, on five in eight paths.

    A run next to BBR takes ten times as long as the others, so only the three compared have one.
    """
    judged = _asked_baseline(extent)
    rows = list(judged_rows(judged, "baseline", USUAL))
    fewer = dataclasses.replace(extent, paths=max(1, extent.paths * 5 // 8))
    beside = fewer.ask("bbr", HELD_OUT, COMPARED, ["bbr"])
    known = read([beside], COMPARED[1:])
    return [*rows, *compared_rows(known, "baseline", USUAL, COMPARED[1:])]


def _asked_baseline(extent: Extent) -> Judged:
    """The questions of the baseline, of which what is missing is run."""
    shown = [*reference(), CAREFUL]
    extent.ask("reference", HELD_OUT, shown)
    extent.ask("gauge", HELD_OUT, [GAUGE])
    return of_baseline(extent.folder)


def of_baseline(folder: pathlib.Path, also: Sequence[str] = ()) -> Judged:
    """What the baseline in a folder has answered, with those startups besides the reference set."""
    folders = [sweep_in(folder / name) for name in ("reference", "gauge")]
    return read(folders, reference(), [*reference(), GAUGE, *also])


def stacks(extent: Extent) -> list[Row]:
    """Three stacks by three avoidances, on the test set."""
    folder = extent.ask("compared", HELD_OUT, COMPARED, BESIDE, STACKS, AVOIDANCES)
    judged = read([folder], COMPARED[1:])
    rows: list[Row] = []
    for stack in STACKS:
        for cc in AVOIDANCES:
            own = judged.kept(_has(judged, "stack", stack) & _has(judged, "cc", cc))
            setting = f"{stack} {cc}"
            rows += compared_rows(own, "stacks", setting, COMPARED[1:])
            rows += Measures(own, "stacks", setting).pairs(GAUGE, [HYSTART])
    return rows


def _has(judged: Judged, column: str, word: str) -> Flags:
    return np.asarray(judged.cells[column].to_numpy() == word)


def ablations(extent: Extent) -> list[Row]:
    """Gauge without each of its parts, on tuning paths."""
    found = constants.ablations(fs.get_algorithm(GAUGE, "startup"))
    return _varied([extent.ask("ablations", TUNING, [*COMPARED, *found])], "ablations")


def halved_and_doubled(extent: Extent) -> list[Row]:
    """Gauge with each constant halved and doubled, on tuning paths."""
    return _varied(
        [extent.ask("constants", TUNING, [*COMPARED, *_halved_and_doubled()])], "constants"
    )


def _halved_and_doubled() -> list[str]:
    return constants.halved_and_doubled(fs.get_algorithm(GAUGE, "startup"), constants.accepted)


def frontier(extent: Extent) -> list[Row]:
    """Gauge with other values of the constants that trade harm for speed, on tuning paths.

    Halves and doubles are those of the part `constants`, which is run where it is missing.
    """
    known = _halved_and_doubled()
    between = constants.frontier(fs.get_algorithm(GAUGE, "startup"), constants.accepted)
    found = [spec for spec in between if spec not in known]
    beside = dataclasses.replace(extent, folder=extent.folder.parent / "constants")
    folders = [
        beside.ask("constants", TUNING, [*COMPARED, *known]),
        extent.ask("frontier", TUNING, [*COMPARED, *found]),
    ]
    shown = constants.of(constants.FRONTIER, [*known, *found])
    return _varied(folders, "frontier", [*COMPARED, *shown])


def _varied(
    folders: Sequence[pathlib.Path], part: str, startups: Sequence[str] | None = None
) -> list[Row]:
    judged = read(folders, COMPARED[1:], startups)
    return list(compared_rows(judged, part, USUAL, [GAUGE, HYSTART]))


def everybody(extent: Extent) -> list[Row]:
    """Everybody uses it: contention and web load."""
    return crowd(extent.of("crowd"), extent.seeds, extent.workers)


def named_paths(extent: Extent) -> list[Row]:
    """Every named path next to HyStart++."""
    return named(extent.seeds, extent.workers)


def cpu(_extent: Extent) -> list[Row]:
    """Processor time per packet compared with HyStart++'s; measured anew each time."""
    return list(processor())


@dataclass(frozen=True)
class Part:
    """What is judged by one name, with the usual number of paths and seeds."""

    run: Callable[[Extent], list[Row]]
    paths: int
    seeds: int

    @property
    def about(self) -> str:
        """Its first line."""
        return (self.run.__doc__ or "").splitlines()[0]


PARTS = {
    "baseline": Part(baseline, 160, 5),
    "stacks": Part(stacks, 40, 2),
    "ablations": Part(ablations, 40, 2),
    "constants": Part(halved_and_doubled, 30, 2),
    "frontier": Part(frontier, 30, 2),
    "crowd": Part(everybody, 0, 10),
    "named": Part(named_paths, 0, 20),
    "cpu": Part(cpu, 0, 0),
}
"""All of them, by name; a part that draws no path has none."""
