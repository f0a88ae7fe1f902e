"""What the experiments read from runs and from traces."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.simulation.series import EVENTS, FORWARD
from flowstart_papers.modified_swift_start.hosts import BARE, HEADER, MSS, PROBE, RTT_GAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flowstart.simulation.run import Run

PAUSE_S = 1e-6
"""A shorter time between two packets is rounding."""


def connection(run: "Run") -> dict[str, Any]:
    """How the first flow's connection went, from its SYN to its last acknowledgement."""
    row = run.records[0]
    names = ("complete", "duration_s", "timeouts", "packets_dropped", "packets_arrived")
    return {name: row[name] for name in names}


def crowd(run: "Run") -> dict[str, float]:
    """What connections did to the queue, together, and how long each took on average.

    `twice` are segments that arrived although the receiver had them already, `option_bytes` what
    the acknowledgements on the line have beyond their headers.
    """
    rows = run.records
    needed = sum(math.ceil(row["size_bytes"] / MSS) for row in rows)
    back = next(link for link in run.links.iter_rows(named=True) if link["name"] == "reverse")
    return {
        "queue_pkts": max(row["max_queue_pkts"] for row in rows),
        "dropped": sum(row["packets_dropped"] for row in rows),
        "needed": needed,
        "twice": sum(row["packets_arrived"] for row in rows) - needed,
        "timeouts": sum(row["timeouts"] for row in rows),
        "duration_s": sum(row["duration_s"] for row in rows) / len(rows),
        "reverse_bytes": back["bytes"],
        "option_bytes": back["bytes"] - BARE * back["packets"],
    }


def begun(run: "Run") -> dict[str, float]:
    """How the first flow began, and how it and the flow beside it, if there is one, ended.

    The window is that after the probe; the paced queue is the largest until the second round
    trip is over.
    """
    row, *others = run.records
    ack, queue = _of(run, "ack"), _samples(run, "queue_samples")
    until_ns = 1e9 * (_opened_s(run) + second_round(run)["over_s"])
    paced = (queue["direction"] == FORWARD) & (queue["time_ns"] < until_ns)
    return {
        "window_pkts": float(ack["cwnd"][np.argmax(ack["seq_bytes"] >= PROBE * MSS)]),
        "bdp_pkts": row["bdp_pkts"],
        "paced_queue_pkts": int(queue["packets"][paced].max()),
        "queue_pkts": row["max_queue_pkts"],
        "dropped": row["packets_dropped"],
        "timeouts": row["timeouts"],
        "duration_s": row["duration_s"],
        "other_dropped": sum(other["packets_dropped"] for other in others),
        "other_s": sum(other["duration_s"] for other in others) / max(len(others), 1),
    }


def pairs(run: "Run") -> list[dict[str, float]]:
    """What the first flow's sender learns from each of its two pairs.

    The window in whole bytes when the pair is acknowledged, the round trip of its second
    segment, and the gap that this window and this round trip stand for.
    """
    send, ack = _of(run, "send"), _of(run, "ack")
    found = []
    for last in (1, 3):
        at = np.flatnonzero(ack["seq_bytes"] == (last + 1) * MSS)
        if not at.size:
            break
        rtt_s = float(ack["time_s"][at[0]] - send["time_s"][last])
        window = int(ack["cwnd"][at[0]] * MSS + 1e-6)
        found.append({"rtt_s": rtt_s, "window": window, "gap_s": rtt_s * MSS / window})
    return found


def after_probe(run: "Run") -> float:
    """Segments a second that the window stands for once the probe has been acknowledged.

    The round trip is that of the first segment, as Swift Start takes it.
    """
    send, ack = _of(run, "send"), _of(run, "ack")
    rtt_s = ack["time_s"][np.argmax(ack["seq_bytes"] > 0)] - send["time_s"][0]
    return float(ack["cwnd"][np.argmax(ack["seq_bytes"] >= PROBE * MSS)] / rtt_s)


def second_round(run: "Run") -> dict[str, float]:
    """Segments sent from the first acknowledgement until one comes that covers any of them.

    And when this second round trip is over, in seconds since the connection opened.
    """
    sent_s, ack = _of(run, "send")["time_s"], _of(run, "ack")
    over_s = ack["time_s"][np.argmax(ack["seq_bytes"] > PROBE * MSS)]
    return {
        "segments": int(np.count_nonzero(sent_s < over_s)) - PROBE,
        "over_s": round(float(over_s) - _opened_s(run), 9),
    }


def windows(run: "Run") -> list[list[float]]:
    """The window over time: seconds since the connection opened, and bytes."""
    ack = _of(run, "ack")
    first = int(np.argmax(ack["seq_bytes"] > 0))
    opened_s = _opened_s(run)
    return [
        [0.0, *_rounded(ack["time_s"][first:] - opened_s)],
        [1.0 * PROBE * MSS, *_rounded(ack["cwnd"][first:] * MSS)],
    ]


def flight(run: "Run") -> dict[str, Any]:
    """When each segment was sent, when it arrived, and how many waited before the line.

    Times are seconds since the connection opened, of a run without loss; an arrival is when the
    segment's last bit has left the line.
    """
    opened_s = _opened_s(run)
    queue = _samples(run, "queue_samples")
    mine = (queue["direction"] == FORWARD) & (queue["time_ns"] / 1e9 > opened_s)
    # The queue is empty when its last packet begins to be transmitted.
    began_s = queue["empty_ns"][mine] / 1e9 - opened_s
    return {
        "sent_s": _rounded(_of(run, "send")["time_s"] - opened_s),
        "offered_s": _rounded(queue["time_ns"][mine] / 1e9 - opened_s),
        "began_s": _rounded(began_s),
        "waiting": queue["packets"][mine].tolist(),
    }


def round_trips(run: "Run") -> dict[str, list[float]]:
    """Each acknowledgement's round trip, of the newest segment that it covers, and their mean."""
    send, ack = _of(run, "send"), _of(run, "ack")
    new = np.flatnonzero(np.diff(ack["seq_bytes"], prepend=0) > 0)
    newest = np.ceil(ack["seq_bytes"][new] / MSS).astype(int) - 1
    rtt_s = ack["time_s"][new] - send["time_s"][newest]
    mean_s = [float(rtt_s[0])]
    for sample in rtt_s[1:]:
        mean_s.append(mean_s[-1] + RTT_GAIN * (float(sample) - mean_s[-1]))
    return {
        "time_s": _rounded(ack["time_s"][new] - _opened_s(run)),
        "acked": ack["seq_bytes"][new].tolist(),
        "rtt_s": _rounded(rtt_s),
        "mean_s": _rounded(mean_s),
    }


def pauses(flight: Mapping[str, Any], bps: float) -> list[tuple[float, float]]:
    """From when to when a line of this rate was idle between two packets."""
    takes_s = 8 * (MSS + HEADER) / bps
    began = flight["began_s"]
    ended = [at + takes_s for at in began]
    return [
        (end, begin)
        for end, begin in zip(ended[:-1], began[1:], strict=True)
        if begin - end > PAUSE_S
    ]


def busy_from_s(flight: Mapping[str, Any], bps: float) -> float:
    """From when on the line was never idle again."""
    found = pauses(flight, bps)
    return found[-1][1] if found else float(flight["began_s"][0])


def idle_s(flight: Mapping[str, Any], bps: float, since_s: float, until_s: float) -> float:
    """How long the line was idle from one moment to another."""
    return sum(
        max(0.0, min(end, until_s) - max(begin, since_s)) for begin, end in pauses(flight, bps)
    )


def _samples(run: "Run", name: str) -> "dict[str, NDArray[Any]]":
    trace = run.outcome["trace"]
    if trace is None:
        raise ValueError("the run has no trace")
    samples: dict[str, NDArray[Any]] = trace[name]
    return samples


def _of(run: "Run", event: str) -> "dict[str, NDArray[Any]]":
    """The first flow's samples about one kind of event."""
    samples = _samples(run, "flow_samples")
    mine = (samples["flow"] == 0) & (samples["event"] == EVENTS.index(event))
    found = {name: samples[name][mine] for name in ("time_ns", "seq_bytes", "cwnd")}
    return {**found, "time_s": found["time_ns"] / 1e9}


def _opened_s(run: "Run") -> float:
    return float(_of(run, "open")["time_s"][0])


def _rounded(values: Any) -> list[float]:
    """To a nanosecond or a billionth of a byte: what is kept need not be longer."""
    rounded: list[float] = np.round(values, 9).tolist()
    return rounded
