"""What is read from a run, and how two transfers compare."""

import math
from typing import Any

import numpy as np

from flowstart.simulation.run import Run
from flowstart.simulation.series import EVENTS
from flowstart_papers.measures import first
from flowstart_papers.quick_start_low_latency.setups import LITERAL

PACKET_BITS = 1500 * 8
CODES = [40_000 << n for n in range(1, 16)]
"""The rates that a request can name, in bit/s."""
BEGIN = 5
"""When a transfer next to a load begins, in seconds: the load is steady by then."""
LAST_LINK = f"forward-{len(LITERAL.links) - 1}"
"""The second router link: what the first has lost does not count as use."""


def ending(run: Run) -> dict[str, Any]:
    """How the first transfer of a run ended, in seconds from the SYN to the last ACK."""
    row = first(run)
    return {
        "seconds": row["duration_s"],
        "dropped": row["packets_dropped"],
        "timeouts": row["timeouts"],
    }


def _samples(run: Run) -> Any:
    return (run.outcome["trace"] or {})["flow_samples"]


def _first_of(samples: Any, event: str) -> Any:
    """Where the first flow has an event."""
    return np.flatnonzero((samples["flow"] == 0) & (samples["event"] == EVENTS.index(event)))


def look(run: Run) -> dict[str, Any]:
    """The opening of the only transfer, and its flights: bursts with half a round trip between."""
    row, samples = first(run), _samples(run)
    opened = _first_of(samples, "open")[0]
    handshake = samples["time_ns"][opened].item() / 1e9
    sends = samples["time_ns"][_first_of(samples, "send")] / 1e9
    return {
        "seconds": row["duration_s"],
        "dropped": row["packets_dropped"],
        "handshake": handshake,
        "window": samples["cwnd"][opened].item(),
        "flights": 1 + int(np.count_nonzero(np.diff(sends) > handshake / 2)),
    }


def granted(window: float, handshake: float) -> int:
    """The only rate that opens such a window after such a handshake, in bit/s."""
    windows = {math.floor(code * handshake / PACKET_BITS): code for code in CODES}
    return windows[round(window)]


def loaded(run: Run) -> dict[str, float]:
    """What others delivered in the second before in bit/s; the first flow's opening and time."""
    samples = _samples(run)
    at, opened = samples["time_ns"] / 1e9, _first_of(samples, "open")[0]
    before = (at >= BEGIN - 1) & (at < BEGIN)
    acked = (samples["flow"] != 0) & before & (samples["event"] == EVENTS.index("ack"))
    return {
        "load": float(np.count_nonzero(acked) * PACKET_BITS),
        "window": samples["cwnd"][opened].item(),
        "handshake": at[opened].item() - BEGIN,
        "seconds": first(run)["duration_s"],
    }


def burst(run: Run) -> dict[str, Any]:
    """A transfer, with which window its first lost packet was sent again, and the burst beside."""
    _, *other = run.records
    samples = _samples(run)
    again = _first_of(samples, "retransmit")
    return {
        **ending(run),
        "window": samples["cwnd"][again][0].item() if len(again) else None,
        "burst_dropped": other[0]["packets_dropped"] if other else 0,
    }


def last_write(run: Run) -> dict[str, float]:
    """Seconds from when the application had its last bytes until they were acknowledged."""
    write = run.transfers.to_dicts()[-1]
    return {"seconds": float(write["acked_s"] - write["available_s"])}


def lateness(run: Run) -> dict[str, float]:
    """Mean seconds from writing to delivery."""
    writes = run.transfers.to_dicts()
    waits = [each["delivered_s"] - each["available_s"] for each in writes]
    return {"seconds": float(np.mean(waits))}


def served(run: Run) -> dict[str, float]:
    """The first flow's time, and the window in packets that it opened with."""
    samples = _samples(run)
    window = samples["cwnd"][_first_of(samples, "open")][0].item()
    return {"seconds": run.records[0]["duration_s"], "window": window}


def used(run: Run) -> float:
    """The share of the run, in percent, for which the second router link transmitted."""
    links = {row["name"]: row["utilisation"] for row in run.links.to_dicts()}
    return 100 * float(links[LAST_LINK])


def sessions_used(run: Run) -> dict[str, float]:
    """The use of the link, the responses that asked for a rate, and those that got one."""
    asked = [row for row in run.records if row["startup"].startswith("quick-start")]
    # Quick-Start ends so where a rate was approved, and otherwise as slow start does.
    approved = [row for row in asked if row["startup_exit_reason"] == "router"]
    return {"used": used(run), "asked": len(asked), "approved": len(approved)}
