"""What is known of the transfers under test before anything is simulated."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart.replays.paths import ReplayPath
from flowstart.replays.settings import Settings

if TYPE_CHECKING:
    import polars as pl


def facts(paths: Sequence[ReplayPath], settings: Settings) -> "pl.DataFrame":
    """A row per transfer under test: numbers, network, client, start and size."""
    import polars as pl

    tested = {"both": pl.lit(True), "client": pl.col("from_client")}
    wanted = tested.get(settings.direction, ~pl.col("from_client"))
    parts = [
        path.traffic.transfers.filter(wanted)
        .join(path.traffic.connections.select("connection", client="client_ip"), on="connection")
        .select(
            *("transfer", "connection", "client", "start_s"),
            network=pl.lit(path.name),
            size_bytes="bytes",
        )
        for path in paths
    ]
    return pl.concat(parts).sort("transfer")
