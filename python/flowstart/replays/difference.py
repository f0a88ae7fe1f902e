"""Why simulated times of transfers differ from recorded ones, as far as the recording shows it.

At least half of the transfers that differ must show a cause. Which causes are possible depends on
the sign: a simulation is too slow if its window, rate or buffer is too small, and too fast if it
lacks losses, or pauses of the application. Times may agree although losses differ.
A receive window can be the cause of either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, cast

from flowstart import text
from flowstart.captures import server_log
from flowstart.captures.contents import Capture
from flowstart.inference.gates import Limits
from flowstart.model import stack as stacks
from flowstart.model.document import initial_window
from flowstart.replays.calibration import Calibration
from flowstart.replays.command import Invocation
from flowstart.replays.paths import BATCH_S, FLIGHT_BYTES, ReplayPath
from flowstart.replays.scenario import usual_stack
from flowstart.replays.settings import Settings

if TYPE_CHECKING:
    import polars as pl

MOST = 0.5
"""The share of the differing transfers that must show a cause."""
EARLY = 15 / 16
"""Data that a sender sent after an ACK pass no earlier than this part of a round trip after the
first data: hosts take longer for a SYN than for data."""
CLEARLY = 2.0
"""Shares of lost packets differ by chance by less than this factor."""
LOSS = Limits().loss
"""Shares of lost packets differ by at least this much, which the gate of loss allows a setting."""
FEW = 0.2
"""Losses in a smaller share of transfers change no more of them than may be left unreproduced."""
GAIN = 0.05
"""The least gain of usual settings. A replay takes a transfer as one write. If the sender waited
for more than this part of a transfer, and half a round trip, the window was not the limit."""
UNIFORM = 0.05
"""The largest share of losses that is simulated as losses by chance. Larger shares come from a
queue or a policer, which drop what exceeds a rate: by chance, as many end in timeouts."""
SEGMENT = 1448
"""Payload of a segment with time stamps on Ethernet. Bytes"""
EXAMPLE = "100pkt"
"""A buffer in a command, to be replaced by the path's."""


@dataclass(frozen=True)
class Cause:
    """A probable cause, and how to measure it."""

    finding: str
    """What the recording shows, in a clause."""
    remedy: tuple[str, ...]
    """Commands that measure it or replay with it."""


def _recorded(capture: Capture) -> "pl.DataFrame":
    """By transfer, what the recording has of it and of its connection's direction."""
    import polars as pl

    ways = [
        capture.connections.select(
            connection=pl.col("stream").cast(pl.Int64),
            direction=pl.lit(way),
            # Where data passed twice, the counts of a monitor take some of them for reordered.
            sent_again=pl.max_horizontal(
                f"{way}_retransmissions",
                (pl.col(f"{way}_payload_sum") - pl.col(f"{way}_seen_bytes")) / SEGMENT,
            ),
            sent=pl.col(f"{way}_bytes") / SEGMENT,
            offered=f"{way}_widest_window",
            pacing=f"{way}_pacing",
        )
        for way in ("c2s", "s2c")
    ]
    start, ends = pl.col("start"), ("connection", "direction")
    transfers = capture.transfers.with_row_index("transfer").select(
        pl.col("transfer", "connection").cast(pl.Int64),
        "direction",
        "acked_s",
        passed_s="end_s",
        first=start == start.min().over(ends),
    )
    return transfers.join(pl.concat(ways), on=ends)


def _longer_than_rate() -> "pl.Expr":
    """Whether a transfer lacks losses and took longer than the rate alone requires."""
    import polars as pl

    slower = 8 * pl.col("size_bytes") < pl.col("recorded_s") * pl.col("rate_bps")
    return slower & (pl.col("sent_again") == 0)


@dataclass(frozen=True)
class Shares:
    """Shares of packets that were sent again, and that are dropped in the simulation."""

    again: float
    dropped: float

    @property
    def differ(self) -> bool:
        """Whether the simulation lacks more losses than chance, and than a verdict depends on.

        With more drops than were recorded it rejects more, and recommends nothing that harms.
        """
        return self.again >= CLEARLY * self.dropped and self.again - self.dropped >= LOSS

    def __str__(self) -> str:
        return (
            f"{text.short_share(self.again)} of packets were sent again, and "
            f"{text.short_share(self.dropped)} are dropped in the simulation"
        )


def _shares(rows: "pl.DataFrame") -> Shares:
    connections = rows.unique(["connection", "direction"])
    sent = float(connections["sent"].sum() or 1)
    simulated = float(rows["size_bytes"].sum()) / SEGMENT
    dropped = float(rows["packets_dropped"].sum())
    return Shares(float(connections["sent_again"].sum()) / sent, dropped / simulated)


def _rates(paths: Sequence[ReplayPath]) -> "pl.DataFrame":
    """The simulated rate of each network and direction."""
    import polars as pl

    rows = [
        (path.name, towards, bps)
        for path in paths
        for towards, bps in zip((True, False), path.rates_bps, strict=True)
    ]
    return pl.DataFrame(rows, ("network", "towards_remote", "rate_bps"), orient="row")


def _rtts(paths: Sequence[ReplayPath]) -> "pl.DataFrame":
    """The simulated round trip of each connection; that of `--rtt` without a handshake."""
    import polars as pl

    connections = [path.traffic.connections for path in paths]
    rows = pl.concat(
        connection.select("connection", rtt_s="least_rtt_s") for connection in connections
    )
    return rows.unique("connection")


@dataclass(frozen=True)
class Difference:
    """What was recorded and simulated of transfers that are compared."""

    invocation: Invocation
    simulated: Settings
    rows: "pl.DataFrame"
    """One per transfer."""

    @classmethod
    def of(
        cls,
        invocation: Invocation,
        paths: Sequence[ReplayPath],
        compared: "pl.DataFrame",
        calibration: Calibration,
    ) -> "Difference | None":
        """Of transfers under test; None for a log, which has no packets that could show a cause.

        `compared` has `transfer`, `network`, `towards_remote`, `size_bytes` and `ratio`.
        """
        if server_log.is_log(invocation.capture):
            return None
        columns = ("transfer", "packets_dropped", "recorded_s", "simulated_s")
        rows = compared.join(_recorded(invocation.capture), on="transfer")
        rows = rows.join(calibration.every.select(columns), on="transfer")
        rows = rows.join(_rates(paths), on=("network", "towards_remote"))
        return cls(invocation, calibration.settings, rows.join(_rtts(paths), on="connection"))

    def held_back(self) -> dict[str, float]:
        """The networks in which senders waited for something else than their window.

        With the share of transfers that lack losses and took clearly longer than simulated ones.
        """
        import polars as pl

        waited_s = pl.col("recorded_s") - pl.col("simulated_s")
        clearly = (pl.col("ratio") < 1 - GAIN) & (waited_s > pl.col("rtt_s") / 2)
        slower = (_longer_than_rate() & clearly).fill_null(value=False)
        shares = self.rows.group_by("network").agg(share=slower.mean()).sort("network")
        return dict(shares.filter(pl.col("share") > FEW).iter_rows())

    def unlike_losses(self) -> dict[str, Shares]:
        """The networks whose recorded losses the simulation lacks, with their shares."""
        import polars as pl

        rows = self.rows.sort("network")
        parts = rows.partition_by("network", as_dict=True, maintain_order=True)
        lossy = pl.any_horizontal(pl.col("sent_again", "packets_dropped") > 0)
        shares = {
            str(name): _shares(mine)
            for (name,), mine in parts.items()
            if cast("float", mine.select(lossy.mean()).item() or 0.0) >= FEW
        }
        return {name: share for name, share in shares.items() if share.differ}

    def cause(self, part: "pl.DataFrame") -> Cause | None:
        """The probable cause of the differences of these transfers; None if none shows."""
        if part.is_empty():
            return None
        rows = self.rows.join(part.select("transfer"), on="transfer", how="semi")
        mine = Difference(self.invocation, self.simulated, rows)
        if cast("float", part["ratio"].median()) > 1:
            losses = (mine.losses,) if _shares(rows).differ else ()
            causes = (mine.rate, mine.window, *losses, mine.overflow, mine.receive_window)
        else:
            causes = (mine.losses, mine.receive_window, mine.pacing, mine.pauses)
        return next(filter(None, (examine() for examine in causes)), None)

    def window(self) -> Cause | None:
        """First flights that are larger than the simulated initial window."""
        import polars as pl

        stack = usual_stack(self.simulated)
        stack = {**stacks.preset(stack["preset"]), **stack, **self.simulated.reference.fields}
        window = initial_window(stack)
        at_once = pl.col("first") & (pl.col("passed_s") < EARLY * pl.col("rtt_s"))
        shown = self.rows.filter(at_once & (pl.col("size_bytes") > window * SEGMENT))
        if shown.height < MOST * self.rows.height:
            return None
        segments = ceil(cast("float", shown["size_bytes"].median()) / SEGMENT)
        return Cause(
            f"window: {self._of(shown)} passed in one flight, of {segments} segments; the "
            f"simulated initial window is {window}",
            (
                "ip route show  # on each server: initcwnd",
                self.invocation.with_options(
                    "--variant", f"now:iw={segments}", "--baseline", "now"
                ),
            ),
        )

    def overflow(self) -> Cause | None:
        """Losses of the simulation that the recording does not have."""
        import polars as pl

        shown = self.rows.filter(pl.col("packets_dropped") > 0)
        shares = _shares(self.rows)
        if shown.height < MOST * self.rows.height or shares.dropped < CLEARLY * shares.again:
            return None
        return Cause(f"buffer: {shares}", (self._buffer(),))

    def rate(self) -> Cause | None:
        """Data that passed faster than the simulated path carries them."""
        import polars as pl

        passed = 8 * pl.col("size_bytes") / (pl.col("acked_s") + BATCH_S)
        faster = (pl.col("size_bytes") >= FLIGHT_BYTES) & (passed > pl.col("rate_bps"))
        shown = self.rows.with_columns(passed_bps=passed).filter(faster)
        if shown.height < MOST * self.rows.height:
            return None
        columns = ("network", "passed_bps", "rate_bps")
        name, bps, simulated = shown.sort("passed_bps").select(columns).row(-1)
        rate = text.rate(bps)
        return Cause(
            f"rate: {self._of(shown)} passed at more than the simulated rate, up to {rate} of "
            f"{text.rate(simulated)}",
            (self.invocation.with_options("--network", f"{name}:rate={rate.replace(' ', '')}"),),
        )

    def losses(self) -> Cause | None:
        """Retransmissions of the recording that the simulation does not have."""
        import polars as pl

        shown = self.rows.filter(pl.col("sent_again") > 0)
        shares = _shares(self.rows)
        if shown.height < MOST * self.rows.height or shares.again < CLEARLY * shares.dropped:
            return None
        if shares.again > UNIFORM:
            return Cause(
                f"a policer, or a buffer smaller than simulated: {shares}",
                (self._buffer(), self._sustained()),
            )
        share = f"{100 * shares.again:.2g}%"
        options = self.invocation.with_options("--loss", share)
        return Cause(f"losses: {shares}", (options, self._buffer()))

    def receive_window(self) -> Cause | None:
        """Receivers that offered less than their path holds."""
        import polars as pl

        holds = pl.col("rate_bps") * pl.col("rtt_s") / 8
        less = (pl.col("offered") < holds) & (pl.col("offered") < pl.col("size_bytes"))
        shown = self.rows.with_columns(holds=holds).filter(less)
        if shown.height < MOST * self.rows.height:
            return None
        offered, holds_bytes = shown.sort("offered").select("offered", "holds").row(0)
        return Cause(
            f"receive window: {self._of(shown)} had less than rate × round trip on offer, down "
            f"to {_kilobytes(offered)} of {_kilobytes(holds_bytes)}",
            ("sysctl net.ipv4.tcp_rmem  # on the receivers",),
        )

    def pacing(self) -> Cause | None:
        """Senders that paced transfers which were slower than the path and the windows allow."""
        import polars as pl

        shown = self._slower().filter(pl.col("pacing") > 0)
        if shown.height < MOST * self.rows.height:
            return None
        pace = cast("float", shown["pacing"].median())
        return Cause(
            f"pacing of the sender: {self._of(shown)} had no losses and were paced, at about "
            f"{pace:.2g} windows per round trip",
            ("ss -tin  # on the server, during transfers: pacing_rate",),
        )

    def pauses(self) -> Cause | None:
        """Transfers without losses that were slower than the path and the windows allow."""
        import polars as pl

        shown = self._slower()
        if shown.height < MOST * self.rows.height:
            return None
        round_trips = pl.max_horizontal(pl.col("recorded_s") / pl.col("rtt_s"), 1.0)
        under_way = shown.select(pl.col("size_bytes") / round_trips)
        middle = cast("float", under_way.to_series().median())
        return Cause(
            f"application, send buffer or pacing: {self._of(shown)} had no losses and took longer "
            f"than rate and windows allow, with about {_kilobytes(middle)} under way",
            ("ss -tin  # on the server: app_limited, sndbuf_limited, pacing_rate",),
        )

    def _slower(self) -> "pl.DataFrame":
        return self.rows.filter(_longer_than_rate())

    def _buffer(self) -> str:
        """The command that replays with another buffer of the network that differs most."""
        return self.invocation.with_options("--network", f"{self._network}:buffer={EXAMPLE}")

    def _sustained(self) -> str:
        """The command that replays with the rate at which the longest transfers passed."""
        import polars as pl

        mine = self.rows.filter(pl.col("network") == self._network)
        longest = mine.sort("size_bytes", "recorded_s").row(-1, named=True)
        rate = text.rate(8 * longest["size_bytes"] / longest["recorded_s"]).replace(" ", "")
        return self.invocation.with_options("--network", f"{self._network}:rate={rate}")

    @property
    def _network(self) -> str:
        """The network with the most of these transfers."""
        return str(self.rows["network"].mode().sort()[0])

    def _of(self, shown: "pl.DataFrame") -> str:
        return f"{shown.height} of {text.counted(self.rows.height, 'transfer', 'transfers')}"


def _kilobytes(size: float) -> str:
    return text.size(round(size, -3) if size >= 1000 else round(size))
