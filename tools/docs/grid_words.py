"""What one learns of the grid, in sentences whose numbers are those that are kept of it."""

from collections.abc import Iterable

import grid
from flowstart.maps.tables import share
from flowstart.text import ratio
from grid import GRID, Row

USUAL = "slow-start"
EARLY = ("hystart", "hystart-plus-plus", "delay-based-slow-start", "vegas-slow-start")
"""Those that mean to leave slow start before a loss."""


def in_words() -> str:
    """The sentences, numbered."""
    rows = grid.rows(GRID)
    sentences = (_first(rows), _loss(), _early(rows), _dominated(rows), _harm(rows))
    return "\n".join(f"{number}. {one}" for number, one in enumerate(sentences, start=1))


def _first(rows: list[Row]) -> str:
    first, *others = rows[:4]
    behind = " and ".join(f"`{row.startup}` ({ratio(row.mean)})" for row in others[:2])
    return (
        f"`{first.startup}` has the lowest regret, {ratio(first.mean)}, before {behind}; it "
        f"retransmits {share(first['retransmitted'])} of its packets for that, and `{USUAL}` "
        f"{share(_of(rows, USUAL)['retransmitted'])}."
    )


def _loss() -> str:
    loss = {row.kind: row.mean for row in grid.rows(GRID, "loss") if row.startup == USUAL}
    size = {row.kind: row.mean for row in grid.rows(GRID, "size") if row.startup == USUAL}
    return (
        f"Random loss, which two thirds of the grid have, decides most: `{USUAL}` takes "
        f"{ratio(loss['no random loss'])} times as long as the best without it and "
        f"{ratio(loss['random loss'])} times with it, and at 20 MB {ratio(size['20 MB'])} times, "
        "because CUBIC, which follows the exit by loss, is slow under random loss."
    )


def _early(rows: list[Row]) -> str:
    early = [_of(rows, name) for name in EARLY]
    usual = _of(rows, USUAL)
    same = [row.startup for row in rows if row.told == usual.told | {"startup": row.startup}]
    return (
        f"An exit before a loss changes little here: {_listed(EARLY)} have a regret of "
        f"{ratio(min(row.mean for row in early))} to {ratio(max(row.mean for row in early))} "
        f"compared with {ratio(usual.mean)} of `{USUAL}`, which has the same results as "
        f"{_listed(name for name in same if name != USUAL)}."
    )


def _dominated(rows: list[Row]) -> str:
    least = min(rows, key=lambda row: _number(row, "dominated"))
    most = max(rows, key=lambda row: _number(row, "dominated"))
    return (
        "Each is dominated somewhere: a better choice costs no other flow more in "
        f"{share(least['dominated'])} of cases for `{least.startup}`, the minimum, and in "
        f"{share(most['dominated'])} for `{most.startup}`, the maximum."
    )


def _harm(rows: list[Row]) -> str:
    web = sorted(rows, key=lambda row: _number(row, "harm_web"))
    warm = max(_number(row, name) for row in rows for name in ("harm_long", "harm_bbr"))
    return (
        f"Startups harm competing web sessions by {share(web[0]['harm_web'])} "
        f"(`{web[0].startup}`) to {share(web[-1]['harm_web'])} (`{web[-1].startup}`); a warm flow, "
        f"CUBIC's or BBR's, is harmed by at most {share(warm)} on average."
    )


def _of(rows: list[Row], startup: str) -> Row:
    return next(row for row in rows if row.startup == startup)


def _number(row: Row, name: str) -> float:
    found = row[name]
    assert found is not None, (row.startup, name)
    return found


def _listed(names: Iterable[str]) -> str:
    """Names with commas, and with an `and` before the last."""
    *others, last = [f"`{name}`" for name in names]
    return f"{', '.join(others)} and {last}" if others else last
