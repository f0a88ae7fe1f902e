"""Grids of cases, and frames of what their runs came to, compared and summed up."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from flowstart_papers.bootstrap import bootstrap_interval

Case = dict[str, Any]
BASE = "_base"
"""Ends the names of the baseline's columns."""


def grid(**axes: Iterable[Any]) -> list[Case]:
    """All combinations of the values of the axes, the last one moving fastest."""
    values = [list(each) for each in axes.values()]
    return [dict(zip(axes, case, strict=True)) for case in itertools.product(*values)]


def gain(column: str) -> pl.Expr:
    """By how much a value is below the baseline's, in percent of that, as `gain`."""
    base = pl.col(column + BASE)
    return (100 * (base - pl.col(column)) / base).alias("gain")


def versus(
    frame: pl.DataFrame, baseline: object, on: Sequence[str], by: str = "startup"
) -> pl.DataFrame:
    """Every other row beside the baseline's columns in the same case, which end in `_base`."""
    is_base = pl.col(by) == pl.lit(baseline)
    others, base = frame.filter(~is_base), frame.filter(is_base).drop(by)
    if not on:
        return others.join(base, how="cross", suffix=BASE, maintain_order="left")
    return others.join(base, on=list(on), how="left", suffix=BASE, maintain_order="left")


def means(frame: pl.DataFrame, by: Sequence[str], *columns: str) -> pl.DataFrame:
    """The mean of each column over the rows of a case, with its 95 % interval.

    For each column `c` there are `c`, `c_low` and `c_high`. The cases keep their order.
    """
    cases = frame.group_by(by, maintain_order=True).agg(columns)
    found = [cases.select(by)]
    for column in columns:
        drawn = cases[column].to_list()
        bounds = [bootstrap_interval(values) for values in drawn]
        found.append(
            pl.DataFrame(
                {
                    column: [float(np.mean(values)) for values in drawn],
                    f"{column}_low": [low for low, _ in bounds],
                    f"{column}_high": [high for _, high in bounds],
                }
            )
        )
    return pl.concat(found, how="horizontal")


def cell(frame: pl.DataFrame, column: str, **case: object) -> Any:
    """The value of a column in the only row of a case."""
    return frame.filter(**case)[column].item()


def by_case(frame: pl.DataFrame, key: str | Sequence[str], column: str) -> Mapping[Any, Any]:
    """A column by one or several others."""
    names = [key] if isinstance(key, str) else list(key)
    keys = frame[names[0]].to_list() if isinstance(key, str) else frame.select(names).rows()
    return dict(zip(keys, frame[column].to_list(), strict=True))
