"""The tables of two camps."""

from collections.abc import Sequence

from flowstart_papers.experiment import Cell, Table
from flowstart_papers.mixed_traffic.camps import Camp, Mixture, Setting

Row = dict[str, Cell]

_AT_HALF = (
    "Half have switched: change of each camp's median duration against the same connections "
    "when all use slow start."
)
_CHANGES = (
    "change of their median and 90th percentile against the same connections when all use slow "
    "start (from, to: 95 % confidence)"
)


def all_three(name: str, mixtures: Sequence[Mixture]) -> list[Table]:
    """What the switch brings to those who switch, what it costs the others, and both in seconds."""
    return [
        Table(
            f"{name}-switched",
            f"Flows that switched: {_CHANGES}.",
            [{**_case(each), **_changes(each.switched)} for each in mixtures if each.switched],
        ),
        Table(
            f"{name}-harm",
            f"Flows that stayed with slow start: {_CHANGES}; harm, the part of their median that "
            "is due to the others, and what it is when the others use slow start too.",
            [
                {
                    **_case(each),
                    **_changes(each.stayed),
                    "harm": _rounded(each.harm, 3),
                    "harm by slow start": _rounded(each.harm_by_slow_start, 3),
                }
                for each in mixtures
                if each.stayed
            ],
        ),
        Table(
            f"{name}-durations",
            "Durations, losses and timeouts (of a connection) in both camps.",
            [_durations(each) for each in mixtures],
        ),
    ]


def approvals(name: str, mixtures: Sequence[Mixture]) -> Table:
    """How many of those who asked the routers were given a rate."""
    rows = [
        {**_case(each), "approved (%)": round(each.switched.approved, 1)}
        for each in mixtures
        if each.switched
    ]
    return Table(name, "Requests with an approved rate.", rows)


def glance(name: str, mixtures: Sequence[Mixture]) -> Table:
    """One row for each startup: the change of both camps' medians by setting."""
    rows: dict[str, Row] = {}
    for each in half(mixtures):
        row = rows.setdefault(each.startup, {"startup": each.startup})
        for whose, camp in _camps(each):
            row[f"{label(each.setting)}: {whose} (%)"] = _rounded(
                camp.median.percent if camp else None
            )
    return Table(name, _AT_HALF, list(rows.values()))


def half(mixtures: Sequence[Mixture]) -> list[Mixture]:
    """Those in which half have switched."""
    return [each for each in mixtures if each.share == 50]


def label(setting: Setting) -> str:
    """The setting in a few words: `interval 0.5 s`."""
    return ", ".join(_words(name, value) for name, value in setting.name.items())


def _words(name: str, value: str | float) -> str:
    what, _, unit = name.partition(" (")
    return f"{what} {value} {unit.rstrip(')')}".rstrip()


def _durations(each: Mixture) -> Row:
    row = _case(each)
    for name, camp in _camps(each):
        row |= {
            f"{name}: median (s)": round(camp.median_s, 3) if camp else None,
            f"{name}: 90th percentile (s)": round(camp.late_s, 3) if camp else None,
            f"{name}: loss (%)": round(camp.loss, 2) if camp else None,
            f"{name}: timeouts": round(camp.timeouts, 2) if camp else None,
        }
    return row


def _changes(camp: Camp) -> Row:
    return {
        "median (%)": _rounded(camp.median.percent),
        "median from (%)": _rounded(camp.median.low),
        "median to (%)": _rounded(camp.median.high),
        "90th percentile (%)": _rounded(camp.late.percent),
        "90th from (%)": _rounded(camp.late.low),
        "90th to (%)": _rounded(camp.late.high),
    }


def _case(each: Mixture) -> Row:
    return {**each.setting.name, "startup": each.startup, "share (%)": each.share}


def _camps(each: Mixture) -> list[tuple[str, Camp | None]]:
    return [("switched", each.switched), ("slow start", each.stayed)]


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)
