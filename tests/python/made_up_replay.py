"""Replays of which nothing is known but how long transfers took."""

from collections.abc import Sequence

import polars as pl

from flowstart.captures.contents import Capture
from flowstart.replays.answer import Criteria, Questions, Times, answer
from flowstart.replays.result import Replay
from flowstart.replays.settings import Settings
from flowstart.replays.summary import LimitShares, Rows
from flowstart.replays.validity import Examined

NAMES = ("slow-start", "first", "second")
NETWORK = "10.0.0.0/24"


def facts(
    transfers: int,
    *,
    size: int = 20_000,
    networks: Sequence[str] = (),
    connections: Sequence[int] = (),
) -> pl.DataFrame:
    """So many transfers, each on a connection of its own and over one network unless told."""
    return pl.DataFrame(
        {
            "transfer": list(range(transfers)),
            "connection": list(connections) or list(range(transfers)),
            "client": [f"10.0.0.{number % 200}" for number in range(transfers)],
            "start_s": [float(number) for number in range(transfers)],
            "network": list(networks) or [NETWORK] * transfers,
            "size_bytes": [size] * transfers,
            "access": ["RTT below 30 ms, 10 Mbit/s or more"] * transfers,
            "request_s": [0.0] * transfers,
        }
    )


def rows(*times: Sequence[float | None], mode: str = "together") -> pl.DataFrame:
    """A row for each variant and transfer, by slow start first; None never ended."""
    return pl.DataFrame(
        [
            {
                "variant": name,
                "mode": mode,
                "transfer": number,
                "complete": time is not None,
                "fct_s": time,
                "duration_s": time,
                "slowdown": time,
                **{share: float(share == "cwnd_share") for share in LimitShares.SHARES},
                "packets_sent": 10,
                "packets_dropped": 0,
                "packets_retransmitted": 0,
                "timeouts": 0,
            }
            for name, column in zip(NAMES, times, strict=False)
            for number, time in enumerate(column)
        ],
        schema_overrides=dict.fromkeys(("fct_s", "duration_s", "slowdown"), pl.Float64),
    )


def times(*columns: Sequence[float | None]) -> Times:
    """The same as inference takes them."""
    found = Times(packets=True)
    found.add(rows(*columns))
    return found


def replayed(
    *columns: Sequence[float | None],
    size: int = 20_000,
    networks: Sequence[str] = (),
    criteria: Criteria | None = None,
) -> Replay:
    """A replay of such transfers."""
    known = facts(len(columns[0]), size=size, networks=networks)
    store, together = Rows(), times(*columns)
    store.add(rows(*columns))
    names = NAMES[: len(columns)]
    connections = pl.DataFrame({"server_port": [443]})
    transfers = pl.DataFrame({"start": [0.0]})
    nothing = Capture(("none",), connections, transfers, [], {}, warnings=[], notes=[])
    return Replay(
        capture=nothing,
        settings=Settings(names),
        questions=Questions(),
        examined=Examined(),
        paths=[],
        left_out={},
        store=store,
        facts=known,
        together=together,
        alone=Times(),
        answer=answer(known, together, names, NAMES[0], criteria or Criteria()),
    )
