"""Verdicts on groups of networks, for settings that routes can limit to them.

A group has what two networks of a kind share: the type of access, by round trip and rate, or the
address family. The edges of the types are fixed, so that the data does not choose them. The same
rule judges each group as all traffic, and the errors of all groups together are those of one
verdict (Bonferroni).
"""

import shlex
from typing import TYPE_CHECKING

from flowstart import text
from flowstart.inference.gates import FEWEST_TRANSFERS
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.inference.verdict import MOST_NAMED
from flowstart.replays.answer import Partial

if TYPE_CHECKING:
    import polars as pl


def network_groups(facts: "pl.DataFrame") -> dict[str, list[str]]:
    """The networks of each group that can be judged, by its name; groups may overlap.

    None has all networks, and each has the transfers and connections that a verdict needs.
    """
    import polars as pl

    family = pl.when(pl.col("network").str.contains(":")).then(pl.lit("IPv6"))
    labels = facts.select(
        "network", "connection", "access", family=family.otherwise(pl.lit("IPv4"))
    )
    networks = facts["network"].n_unique()
    network_groups: dict[str, list[str]] = {}
    for column in ("access", "family"):
        parts = labels.group_by(column).agg(
            transfers=pl.len(),
            connections=pl.col("connection").n_unique(),
            networks=pl.col("network").unique(maintain_order=True),
        )
        for row in parts.sort(column).iter_rows(named=True):
            enough = row["transfers"] >= FEWEST_TRANSFERS and row["connections"] >= FEW_CLUSTERS
            if enough and len(row["networks"]) < networks:
                network_groups[row[column]] = row["networks"]
    return network_groups


def line(group: Partial) -> str:
    """What is recommended for a group, its reason and the networks; empty where nothing is."""
    name = group.verdict.recommended
    judged = group.verdict.of(name) if name else None
    if judged is None:
        return ""
    number = text.counted(len(group.networks), "network", "networks")
    shown, more = group.networks[:MOST_NAMED], len(group.networks) - MOST_NAMED
    names = text.listed([*shown, *([f"{more} more"] * (more > 0))])
    share = text.share(group.traffic)
    return (
        f"{name} by route for {number} with {group.name} ({share} of transfers): it "
        f"{judged.reason}: {names}. Deploy: flowstart deploy {shlex.quote(name or '')} --from DIR "
        f"--when {shlex.quote(f'group={group.name}')}"
    )
