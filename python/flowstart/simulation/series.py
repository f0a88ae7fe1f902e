"""A flow's trace as the lines that figures draw."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.render import thinning
from flowstart.simulation import frames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flowstart._native import Outcome

EVENTS = ("send", "retransmit", "ack", "timeout", "syn", "open", "drop", "mark", "syn-drop")
"""What a sample of a flow is about, by its number in the trace."""

FORWARD, REVERSE = 0, 1
"""The numbers of a hop's directions in the trace."""


@dataclass(frozen=True)
class Series:
    """One flow over time, and the queue of its narrowest hop in its direction."""

    label: str
    bdp_pkts: float
    time_s: "NDArray[Any]"
    event: "NDArray[Any]"
    seq_bytes: "NDArray[Any]"
    """The first byte of what was sent, dropped or marked; of an ACK, the byte it expects."""
    cwnd: "NDArray[Any]"
    """In segments."""
    flight_bytes: "NDArray[Any]"
    """In bytes."""
    end_s: float
    """Until when the flow and the queue are as they were last: its end, or the run's."""
    queue_time_s: "NDArray[Any]"
    """When the queue was offered a packet, or one left it."""
    queue_packets: "NDArray[Any]"
    """What it holds from then on."""
    limit_time_s: "NDArray[Any]"
    """When another reason began to limit the flow."""
    limit: "NDArray[Any]"
    """Which one, by its number in `_native.LIMITS`."""

    def of(self, event: str) -> "NDArray[Any]":
        """The indices of the samples about one kind of event."""
        return np.flatnonzero(self.event == EVENTS.index(event))

    @property
    def at_sender(self) -> "NDArray[Any]":
        """The indices of the samples that tell the window: not those of drops and marks."""
        return np.flatnonzero(self.event < EVENTS.index("drop"))

    def thinned(self, columns: int) -> "NDArray[Any]":
        """Those of them that a picture so many pixels wide needs, and every timeout."""
        told = self.at_sender
        column = thinning.columns(self.time_s[told], columns)
        timeouts = np.searchsorted(told, self.of("timeout"))
        return told[thinning.thin(column, self.cwnd[told], self.flight_bytes[told], keep=timeouts)]

    def queue_thinned(self, columns: int) -> "NDArray[Any]":
        """The indices that a picture so many pixels wide needs of the queue."""
        column = thinning.columns(self.queue_time_s, columns)
        return thinning.thin(column, self.queue_packets)


MOST_FLOWS = 6
"""More flows of a run are not told apart in a figure."""


def of_run(outcome: "Outcome") -> list[Series]:
    """The series of a traced run's first flows, labelled by number where several."""
    flows = range(min(_count(outcome), MOST_FLOWS)) if outcome["trace"] else ()
    startups = outcome["flows"].lists()["startup"]
    several = len(flows) > 1
    return [
        of_flow(outcome, flow, f"{flow}: {startups[flow]}" if several else startups[flow])
        for flow in flows
    ]


def shown(outcome: "Outcome") -> str | None:
    """Which flows of a run have a series, where not all do."""
    flows = _count(outcome)
    return f"the first {MOST_FLOWS} of {flows} flows" if flows > MOST_FLOWS else None


def _count(outcome: "Outcome") -> int:
    return len(outcome["flows"])


def of_flow(outcome: "Outcome", flow: int, label: str) -> Series:
    """The series of one flow of a traced run."""
    trace = outcome["trace"]
    if trace is None:
        raise ValueError("the run has no trace")
    row = frames.rows(outcome["flows"])[flow]
    samples = trace["flow_samples"]
    mine = samples["flow"] == row["flow"]
    forward = row["direction"] == "forward"
    time_s = samples["time_ns"][mine] / 1e9
    (run,) = frames.rows(outcome["runs"])
    turns = trace["limit_turns"]
    limited = turns["flow"] == row["flow"]
    return Series(
        label=label,
        bdp_pkts=row["bdp_pkts"],
        time_s=time_s,
        limit_time_s=turns["time_ns"][limited] / 1e9,
        limit=turns["limit"][limited],
        end_s=time_s[-1] if row["complete"] or row["reset"] else run["simulated_s"],
        **{name: samples[name][mine] for name in ("event", "seq_bytes", "cwnd", "flight_bytes")},
        **_queue(
            trace["queue_samples"],
            trace["queue_departures"],
            (trace["flows"]["narrowest_hop"][flow], FORWARD if forward else REVERSE),
        ),
    )


def _queue(
    offers: dict[str, "NDArray[Any]"],
    departures: dict[str, "NDArray[Any]"],
    link: tuple[int, int],
) -> dict[str, "NDArray[Any]"]:
    """What the queue of a hop and direction holds from each offer and departure to the next."""
    hop, direction = link
    mine = (offers["hop"] == hop) & (offers["direction"] == direction)
    offered_s, held = offers["time_ns"][mine] / 1e9, offers["packets"][mine].astype(int)
    accepted = np.cumsum(~offers["dropped"][mine])
    mine = (departures["hop"] == hop) & (departures["direction"] == direction)
    left_s = departures["time_ns"][mine] / 1e9
    # The queue has accepted what it holds and what has left it; so which packets left before
    # an offer follows from their number, also where both happen at the same time.
    number = np.arange(1, len(left_s) + 1)
    after = np.searchsorted(accepted - held, number)
    before = np.append(0, accepted)[after]
    return {
        "queue_time_s": np.insert(offered_s, after, left_s),
        # One that finds the queue empty leaves it as it comes.
        "queue_packets": np.insert(held, after, np.maximum(before - number, 0)),
    }
