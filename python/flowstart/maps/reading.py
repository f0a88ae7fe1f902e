"""Reads the table that `flowstart sweep` wrote."""

import os
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart.errors import RequestError
from flowstart.maps.outcomes import CASE, Floats, LeftOut, Numbers, Outcomes, Shares, numbered
from flowstart.model import specs
from flowstart.model.catalog import needs_help
from flowstart.model.variants import Variant
from flowstart.sweeps.execution.store import Store

if TYPE_CHECKING:
    import polars as pl


CELL = (
    *("cell", "hash", "competing", "seed", "buffer_bdp", "bdp_pkts"),
    *CASE,
)
"""Columns that are the same for all startups of a cell."""
OUTCOME = ("cell", "startup", "error", "fct_s", "complete", "retransmitted_share", "harm")
"""Columns that each startup of a cell has for itself."""
ROWS = 1_000_000
"""About how many rows are held at once while matrices are filled."""


def scan(folder: str | os.PathLike[str]) -> "pl.LazyFrame":
    """The table of a sweep, one row per cell and startup.

    Raises RequestError where the folder has none.
    """
    import polars as pl

    path = pathlib.Path(folder)
    wanted = "a folder that `flowstart sweep ... -o DIR` has written is needed"
    if not path.is_dir():
        problem = "this is a file" if path.exists() else "there is no such folder"
        raise RequestError(f"{folder}: {problem}; {wanted}")
    store = Store(path)
    if not store.parts():
        raise RequestError(f"{folder}: it holds no part of a sweep; {wanted}")
    try:
        table = store.scan()
        columns = table.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise RequestError(f"{folder}: parts cannot be read: {reason}; {wanted}") from None
    missing = [name for name in (*CELL, *OUTCOME, "scenario") if name not in columns]
    if missing:
        raise RequestError(f"{folder}: its parts have no column `{missing[0]}`; {wanted}")
    return table


def unfinished(folder: str | os.PathLike[str]) -> bool:
    """Whether parts of the sweep are missing."""
    store = Store(pathlib.Path(folder))
    return store.is_begun and store.complete is None


def variants(folder: str | os.PathLike[str]) -> dict[str, Variant]:
    """Those of the sweep's variants that are more than a startup, by name."""
    store = Store(pathlib.Path(folder))
    said = store.said["variants"] if store.is_begun else []
    variants = [Variant(**v) for v in said]
    return {v.name: v for v in variants if v != Variant(v.name, v.name, stack={})}


def read_outcomes(
    folder: str | os.PathLike[str], startups: Sequence[str] | None = None
) -> Outcomes:
    """The cells that all startups have in common; all there are unless `startups` are given.

    Raises RequestError where the folder holds no sweep, a damaged file, or no cell that all have
    in common.
    """
    import polars as pl

    Store(pathlib.Path(folder)).check_intact()
    table = scan(folder)
    names = _startups(table, startups, str(folder))
    told = table.filter(pl.col("startup").is_in(names))
    firsts = told.select(CELL).unique("cell", keep="first")
    cells = (
        firsts.collect(engine="streaming")
        .sort("cell")
        .with_columns(pl.col(pl.String).fill_null(""))
    )
    cells = _with_questions(cells, told.filter(pl.col("startup") == names[0]))
    matrices = _filled(told, cells["cell"].to_numpy(), names)
    return _in_common(cells, matrices, names, str(folder))


def _startups(table: "pl.LazyFrame", wanted: Sequence[str] | None, folder: str) -> tuple[str, ...]:
    """The startups of the sweep, in its order; those that are wanted of them."""
    import polars as pl

    known = table.select(pl.col("startup").unique(maintain_order=True)).collect().to_series()
    names = known.to_list()
    return tuple(names) if wanted is None else chosen("startup", wanted, names, folder)


def chosen(
    option: str, wanted: Sequence[str], known: Sequence[str], folder: str
) -> tuple[str, ...]:
    """The names that are wanted of those known.

    `all` are all, `unaided` those that need no help, `-NAME` is all but one.
    """
    groups = {specs.ALL: known, specs.UNAIDED: [name for name in known if not needs_help(name)]}
    names: list[str] = []
    for name in wanted:
        if name in groups:
            names += [member for member in groups[name] if member not in names]
        elif name.startswith("-") and name[1:] in names:
            names.remove(name[1:])
        elif name in known:
            names += [name] if name not in names else []
        else:
            raise RequestError(
                f"`{name}` is not in {folder}, which has {', '.join(known)}", (option,)
            )
    if not names:
        raise RequestError(f"nothing is left; {folder} has {', '.join(known)}", (option,))
    return tuple(names)


def _with_questions(cells: "pl.DataFrame", rows: "pl.LazyFrame") -> "pl.DataFrame":
    """Cells with `question`, the first of those that differ in their seed only.

    Cells that no column tells apart may still differ, as in the size of an impairment, so their
    scenarios are compared. `rows` has one of each cell.
    """
    import polars as pl

    alike = cells.filter(pl.len().over(*CASE, "competing") > 1)["cell"]
    if alike.is_empty():
        return cells.with_columns(question="cell")
    seedless = pl.col("scenario").str.replace(r'"seed": ?\d+', "").hash()
    texts = rows.filter(pl.col("cell").is_in(alike.implode())).select("cell", text=seedless)
    joined = cells.join(texts.collect(), on="cell", how="left", maintain_order="left")
    first = pl.col("cell").first().over(*CASE, "competing", "text")
    return joined.with_columns(question=first).drop("text")


def _filled(
    table: "pl.LazyFrame", numbers: Numbers, names: Sequence[str]
) -> tuple[Floats, Shares, Shares]:
    """Completion times, retransmitted shares and harm, cells × startups; NaN without a row."""
    import polars as pl

    shape = (len(numbers), len(names))
    times = np.full(shape, np.nan)
    retransmitted, harm = (np.full(shape, np.nan, dtype=np.float32) for _ in range(2))
    index = pl.col("startup").replace_strict(list(names), list(range(len(names))))
    done = pl.when(pl.col("complete")).then("fct_s").otherwise(float("inf"))
    wanted = table.filter(pl.col("error").fill_null("") == "").select(
        "cell",
        index.cast(pl.Int64).alias("index"),
        done.fill_null(float("inf")).alias("time"),
        pl.col("retransmitted_share").fill_null(0.0).cast(pl.Float32),
        pl.col("harm").cast(pl.Float32),
    )
    step = max(1, ROWS // len(names))
    for first in range(0, len(numbers), step):
        block = numbers[first : first + step]
        part = wanted.filter(pl.col("cell").is_between(block[0], block[-1])).collect()
        at = np.searchsorted(numbers, part["cell"].to_numpy()), part["index"].to_numpy()
        times[at] = part["time"].to_numpy()
        retransmitted[at] = part["retransmitted_share"].to_numpy()
        harm[at] = part["harm"].to_numpy()
    return times, retransmitted, harm


def _in_common(
    cells: "pl.DataFrame",
    matrices: tuple[Floats, Shares, Shares],
    names: tuple[str, ...],
    folder: str,
) -> Outcomes:
    """The cells in which every startup has an outcome and one of them completed."""
    import polars as pl

    times, retransmitted, harm = matrices
    absent = np.isnan(times)
    whole = ~absent.any(axis=1)
    hopeless = whole & np.isinf(times).all(axis=1)
    kept = whole & ~hopeless
    if not kept.any():
        raise RequestError(f"{folder}: {_why_nothing(absent, names)}")
    lacking = [
        ",".join(name for name, gone in zip(names, row, strict=True) if gone)
        for row in absent[~whole]
    ]
    missing = cells.filter(pl.Series(~whole)).select("cell", "hash")
    left_out = LeftOut(
        missing.with_columns(pl.Series("startups", lacking, dtype=pl.String)), int(hopeless.sum())
    )
    common = numbered(cells.filter(pl.Series(kept)))
    return Outcomes(names, common, times[kept], retransmitted[kept], harm[kept], left_out)


def _why_nothing(
    absent: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]", names: Sequence[str]
) -> str:
    """Why no cell can be compared."""
    shares = absent.mean(axis=0)
    if not shares.any():
        return "no startup completed a transfer in any cell"
    worst = int(shares.argmax())
    return (
        f"no cell has all {len(names)} startups, and `{names[worst]}` is missing in most; "
        f"leave it out with --startup all,-{names[worst]}"
    )
