"""Tunes gauge's constants on the tuning paths, with Optuna.

    python examples/gauge/tune.py -o out/gauge-tune --trials 100

The study is kept in the folder; the same command resumes it. What is made small is the mean
regret as a multiple of HyStart++'s, and a penalty for each cost that is above HyStart++'s:
retransmissions, and harm to a long flow, a short one and a call. BBR does not compete, as that
takes ten times as long. No path of the test set is used. Needs `pip install optuna`.
"""

import hashlib
import importlib
import pathlib
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import flowstart as fs
from asking import GAUGE, HYSTART, TUNING, same_build
from constants import Constant, accepted, constants
from flowstart import extras
from flowstart.maps import measures
from judge import Parser, guarded, whole
from measures import ALL, compared_rows
from parts import BESIDE, Extent
from questions import read
from results import find
from shown import COSTS, Table, named

WIDEST = 3.0
"""A constant is between its default over this and times this, as far as that is taken."""
PENALTY = 10.0
"""A percentage point above HyStart++'s counts as much as a tenth of its mean regret."""
NAMES = tuple(named(*cost) for cost in COSTS)
STUDY = "study.db"


@dataclass(frozen=True)
class Outcome:
    """The results of a set of constants compared with HyStart++."""

    ratio: float
    """Of the mean regrets."""
    more: tuple[float, ...]
    """Each of `COSTS`, less HyStart++'s."""

    @property
    def objective(self) -> float:
        """What is made small."""
        return self.ratio + PENALTY * sum(max(0.0, one) for one in self.more)


@dataclass(frozen=True)
class Bounded:
    """A constant and the ends of its range."""

    constant: Constant
    low: float
    high: float


def bounds() -> list[Bounded]:
    """The constants of gauge that are above 0, with their ranges."""
    found = []
    for one in constants(fs.get_algorithm(GAUGE, "startup")):
        if one.number > 0:
            low, high = (one.reach(factor, accepted) for factor in (1 / WIDEST, WIDEST))
            found.append(Bounded(one, low, high))
    return found


def tried(extent: Extent, spec: str) -> Outcome:
    """Runs one set of constants on the tuning paths; its rows are not kept."""
    usual = extent.ask("hystart", TUNING, [HYSTART], BESIDE)
    name = f"trial-{hashlib.sha256(spec.encode()).hexdigest()[:16]}"
    own = extent.ask(name, TUNING, [spec], BESIDE)
    rows = list(compared_rows(read([usual, own], [HYSTART]), "tuning", "", [HYSTART]))
    shutil.rmtree(extent.of(name))
    ratio = find(rows, startup=spec, measure="regret ratio", kind=ALL)
    more = [
        find(rows, startup=spec, measure=f"{measure} difference", kind=kind)
        for measure, kind in COSTS
    ]
    assert ratio is not None and ratio.value is not None
    known = (row.value if row else None for row in more)
    return Outcome(ratio.value, tuple(value or 0.0 for value in known))


def tune(extent: Extent, trials: int, seed: int) -> Any:
    """Resumes the study in the folder until it has so many trials; returns it."""
    optuna = _optuna()
    same_build(extent.folder)
    ranges = bounds()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = f"sqlite:///{extent.folder / STUDY}"
    study = optuna.create_study(study_name=GAUGE, storage=storage, load_if_exists=True)
    done = len(_finished(study))
    study.sampler = optuna.samplers.TPESampler(seed=seed + done)
    if not study.trials:
        study.enqueue_trial({one.constant.name: one.constant.number for one in ranges})

    def objective(trial: Any) -> float:
        settings = [
            one.constant.setting(
                trial.suggest_float(one.constant.name, one.low, one.high, log=True)
            )
            for one in ranges
        ]
        spec = f"{GAUGE}:{','.join(settings)}"
        found = tried(extent, spec)
        trial.set_user_attr("spec", spec)
        trial.set_user_attr("ratio", found.ratio)
        trial.set_user_attr("more", list(found.more))
        return found.objective

    study.optimize(objective, n_trials=max(0, trials - done))
    return study


def _optuna() -> Any:
    extras.require("tuning", "tuning")
    return importlib.import_module("optuna")


def _finished(study: Any) -> list[Any]:
    return [trial for trial in study.trials if "more" in trial.user_attrs]


def table(trials: Sequence[Any]) -> Table:
    """Trials on the Pareto front of mean regret and all costs, the smallest objective first."""
    costs = np.array([[one.user_attrs["ratio"], *one.user_attrs["more"]] for one in trials])
    on_front = measures.front(list(costs.T))
    found = [trial for trial, is_on in zip(trials, on_front, strict=True) if is_on]
    lines = []
    for one in sorted(found, key=lambda one: one.value):
        more = [f"{100 * points:+.2f}" for points in one.user_attrs["more"]]
        ratio, spec = f"{one.user_attrs['ratio']:.4f}", one.user_attrs["spec"]
        lines.append((str(one.number), f"{one.value:.4f}", ratio, *more, spec))
    headings = ("trial", "objective", "mean ÷ HyStart++'s", *NAMES, "constants")
    return Table(headings, lines)


def main(arguments: Sequence[str]) -> None:
    """Reads the command line, tunes, and prints the best and the frontier."""
    parser = Parser(description="Tunes gauge's constants on the tuning paths")
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True, help="a folder")
    parser.add_argument("--trials", type=whole, default=100, help="how many in all")
    parser.add_argument("--paths", type=whole, default=60, help="how many tuning paths")
    parser.add_argument("--seeds", type=whole, default=2, help="how many seeds of each")
    parser.add_argument("--seed", type=whole, default=1, help="the sampler's")
    parser.add_argument("--workers", type=whole, help="how many processes; one per core if absent")
    given = parser.parse_args(arguments)
    extent = Extent(given.out, given.paths, given.seeds, given.workers)
    study = tune(extent, given.trials, given.seed)
    finished = _finished(study)
    best = min(finished, key=lambda one: one.value)
    front = table(finished)
    print(f"best of {len(finished)}: {best.value:.4f}\n{best.user_attrs['spec']}\n\n{front.text()}")
    front.write(given.out / "frontier.csv")


if __name__ == "__main__":
    sys.exit(guarded(main, sys.argv[1:]))
