"""Records what every experiment of the papers comes to: `make papers-record` writes it.

`tests/data/papers/recorded.csv` has the verdict and the value of every target. Tests compare with
it, so that a change of the simulator that moves a number is seen even where the verdict stays.
"""

import csv
import json
import pathlib

from flowstart import papers
from flowstart.papers import counting, runner
from flowstart.papers.counting import Counted
from flowstart.papers.lab import Lab, default_cache
from flowstart.papers.runner import Judged
from flowstart.papers.target import Verdict

FILE = pathlib.Path(__file__).parents[1] / "data" / "papers" / "recorded.csv"
DIGITS = 6


def row(judged: Judged) -> tuple[str, str]:
    """Verdict and value of a target, numbers in six significant digits."""
    value = judged.measured.value if judged.measured else None
    return str(judged.verdict), "" if value is None else json.dumps(_rounded(value))


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def main() -> None:
    """Runs everything; what the laboratory has kept is not run again."""
    known = papers.load()
    found = {one.target.id: row(one) for one in runner.uncheckable(known)}
    for paper, experiment in runner.choose(known, [], everything=True):
        print(experiment.id, flush=True)
        done = runner.run(paper, experiment, Lab(default_cache()))
        found |= {one.target.id: row(one) for one in done.judged}
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("target", "verdict", "value"))
        writer.writerows((name, *found[name]) for name in sorted(found))
    print(headline())


def recorded() -> dict[str, tuple[str, str]]:
    """Verdict and value by target, as they were recorded."""
    with FILE.open(encoding="utf-8") as file:
        return {row["target"]: (row["verdict"], row["value"]) for row in csv.DictReader(file)}


def headline() -> str:
    """The headline of what was recorded, which the pages print."""
    kept = recorded()
    return counting.headline(
        Counted(target, Verdict(kept[target.id][0]), bool(paper.fitted(target.id)))
        for paper in papers.load()
        for target in paper.targets
    )


if __name__ == "__main__":
    main()
