"""Records what every experiment of the papers comes to: `make papers-record` writes it.

`tests/data/papers/recorded.csv` has the verdict and the value of every target. Tests compare with
it, so that a change of the simulator that moves a number is seen even where the verdict stays.
"""

import csv
import json
import pathlib

from flowstart import papers
from flowstart.papers import runner
from flowstart.papers.lab import Lab, default_cache
from flowstart.papers.runner import Judged

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


if __name__ == "__main__":
    main()
