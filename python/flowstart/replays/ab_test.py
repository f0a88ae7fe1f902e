"""The size of an A/B test of what a replay recommends, from the transfers that it replayed."""

from typing import TYPE_CHECKING, cast

import numpy as np

from flowstart.deployment import Population, TestPlan, plan
from flowstart.inference import Group
from flowstart.replays.times import classes

if TYPE_CHECKING:
    import polars as pl


def test_plan(facts: "pl.DataFrame", group: Group, variant: int, seed: int) -> TestPlan | None:
    """A test of one column of a group's times against the first, which is the baseline's."""
    import polars as pl

    transfers = next(found for name, found, _ in classes(facts) if name == group.name)
    mine = facts.filter(pl.col("transfer").is_in(transfers.tolist()))
    starts, clients = facts["start_s"], mine["client"].rank("dense")
    return plan(
        Population(
            base_s=group.times[:, 0],
            variant_s=group.times[:, variant],
            networks=mine["network"].rank("dense").to_numpy().astype(np.int64),
            connections=mine["connection"].to_numpy().astype(np.int64),
            clients=None if clients.null_count() else clients.to_numpy().astype(np.int64),
            lasts_s=cast("float", starts.max()) - cast("float", starts.min()),
        ),
        seed=seed,
    )
