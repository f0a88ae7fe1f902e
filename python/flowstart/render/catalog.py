"""The catalog of algorithms as a table."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from flowstart.model.catalog import CERTAINTIES, NEEDS, Algorithm
from flowstart.render import text
from flowstart.render.footnotes import RECONSTRUCTED
from flowstart.render.grid import Column, Grid

KINDS = {
    "startup": "startup algorithms",
    "cc": "congestion control",
    "queue": "queue disciplines",
    "variation": "rate variations (--rate-variation)",
}


def names(found: Iterable[Algorithm]) -> list[str]:
    """The names of each kind, a sentence each."""
    lines = []
    for kind, group in groupby(found, key=lambda algorithm: algorithm.kind):
        known = [algorithm.name for algorithm in group]
        title = KINDS[kind]
        lines.append(f"{len(known)} {title}: {', '.join(known)}.")
    return lines


def table(found: Iterable[Algorithm]) -> Grid:
    """The catalog, an algorithm after the other."""
    titles = ["name", "year", "needs", "what it does"]
    grid = Grid([Column(title, number=False) for title in titles])
    kind = None
    for algorithm in found:
        if algorithm.kind != kind:
            kind = algorithm.kind
            grid.groups[len(grid.rows)] = KINDS[kind]
        name = algorithm.name + (RECONSTRUCTED if algorithm.reconstructed else "")
        needs = ", ".join(algorithm.needs) or text.ABSENT
        grid.rows.append([name, str(algorithm.year), needs, algorithm.summary])
    return grid


def legend(found: Sequence[Algorithm]) -> str:
    """What marks and words in the catalog mean."""
    lines = []
    if any(a.reconstructed for a in found):
        lines.append(f"{RECONSTRUCTED} {CERTAINTIES['reconstructed']}.")
    needed = dict.fromkeys(need for a in found for need in a.needs)
    lines += [f"{need}: {NEEDS.get(need, need)}." for need in needed]
    return "\n".join(lines)
