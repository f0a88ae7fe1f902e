"""Records what every experiment of the papers comes to: `make papers-record` writes it.

`tests/data/papers/recorded.csv` has the verdict and the value of every target, `readings.csv` how
many statements hold in each grid of readings, `cross.txt` what the cross-table says. Tests compare
with them, so that a change of the simulator that moves a number is seen even where the verdict
stays. The cross-table's picture goes to the pages.
"""

import csv
import json
import pathlib
from collections.abc import Iterable

import flowstart_papers as papers
from flowstart_papers import counting, runner
from flowstart_papers.counting import Counted
from flowstart_papers.experiment import Held
from flowstart_papers.lab import Lab, default_cache
from flowstart_papers.runner import Judged
from flowstart_papers.target import Verdict

FOLDER = pathlib.Path(__file__).parents[1] / "data" / "papers"
FILE = FOLDER / "recorded.csv"
READINGS = FOLDER / "readings.csv"
CROSS = FOLDER / "cross.txt"
PICTURE = FOLDER.parents[2] / "docs" / "images" / "cross.png"
PICTURE_DPI = 100
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


def counts(held: Held) -> dict[str, str]:
    """How many statements hold under a paper's readings."""
    numbers = {"of": held.of, "literal": held.literal, "least": held.least, "most": held.most,
               "readings": held.readings}  # fmt: skip
    return {name: str(number) for name, number in numbers.items()}


def lines(answers: Iterable[str]) -> str:
    """Sentences, a line each."""
    return "".join(f"{answer}\n" for answer in answers)


def main() -> None:
    """Runs everything; what the laboratory has kept is not run again."""
    known = papers.load()
    found: dict[str, tuple[str, str]] = {}
    grids: list[dict[str, str]] = []
    for paper, experiment in runner.choose(known, [], everything=True):
        print(experiment.id, flush=True)
        done = runner.run(paper, experiment, Lab(default_cache()))
        found |= {one.target.id: row(one) for one in done.judged}
        if done.findings.held:
            grids.append({"experiment": experiment.id, **counts(done.findings.held)})
        if experiment.id == "CROSS":
            CROSS.write_text(lines(done.findings.answers), encoding="utf-8")
            done.findings.pictures[0].draw().savefig(PICTURE, dpi=PICTURE_DPI)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("target", "verdict", "value"))
        writer.writerows((name, *found[name]) for name in sorted(found))
    with READINGS.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(grids[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(grids)
    print(headline(), readings())


def recorded_readings() -> dict[str, dict[str, str]]:
    """By experiment, how many statements hold under its readings, as was recorded."""
    with READINGS.open(encoding="utf-8") as file:
        return {line.pop("experiment"): line for line in csv.DictReader(file)}


def readings() -> str:
    """How many hold literally and over all readings, which the pages print."""
    said = [
        f"{name.removesuffix('-READINGS')} {each['least']} to {each['most']} of {each['of']}, "
        f"literally {each['literal']}"
        for name, each in recorded_readings().items()
    ]
    return f"Over all readings of what the papers leave open hold: {'; '.join(said)}."


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
