"""What is read from the runs of this paper."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flowstart.simulation.run import Run
from flowstart.simulation.series import Series

INITIAL_WINDOW = 4380
"""The bytes that fit RFC 3390's initial window; the paper counts connections above."""
MSS = 1460
THROUGH = 20
"""Transfers over all gateways, each at a random moment of two seconds."""
SHORT = 80
"""Bystanders: connections of 20 packets, ten of them each second."""
NEWCOMERS = 4
CLASSES = {
    "1": (1, 1),
    "2 to 3": (2, 3),
    "4 to 9": (4, 9),
    "10 and more": (10, 10**9),
    "all": (1, 10**9),
}
"""Packets of a response, from and to."""


def transfer(run: Run) -> dict[str, float]:
    """A single transfer."""
    row = run.records[0]
    names = ("duration_s", "packets_dropped", "packets_sent", "timeouts", "min_rtt_s")
    return {name: row[name] for name in names}


def crowd(run: Run) -> dict[str, float]:
    """Many connections: their median duration, and their losses."""
    rows = run.records
    sent, dropped = (sum(row[f"packets_{what}"] for row in rows) for what in ("sent", "dropped"))
    return {
        "median_s": statistics.median(row["duration_s"] for row in rows),
        "loss": dropped / sent,
        "dropped": dropped / len(rows),
        "timeouts": sum(row["timeouts"] for row in rows) / len(rows),
    }


def responses(run: Run) -> dict[str, Any]:
    """The web's responses of more than an initial window, and what the link had to do."""
    flows = run.outcome["flows"].lists()
    answers = run.outcome["objects"].lists()["flow"]
    mine = [i for i in answers if flows["size_bytes"][i] > INITIAL_WINDOW]
    return {
        "duration_s": [flows["duration_s"][i] for i in mine],
        "loss": [flows["packets_dropped"][i] / flows["packets_sent"][i] for i in mine],
        "packets": [flows["packets_arrived"][i] for i in mine],
        "utilisation": run.outcome["links"].lists()["utilisation"][0],
        "min_rtt_s": min(rtt for rtt in flows["min_rtt_s"] if rtt),
    }


def web(run: Run) -> dict[str, float]:
    """The same, summed up: the 25th percentile, how many are late, and their losses."""
    found = responses(run)
    duration, loss = np.asarray(found["duration_s"]), np.asarray(found["loss"])
    return {
        "p25_s": float(np.percentile(duration, 25)),
        "late": int((duration >= 1).sum()),
        "free": float(100 * np.mean(loss == 0)),
        "losses": float(loss.sum()),
        "lossy": int((loss > 0).sum()),
    }


def small_responses(run: Run) -> list[dict[str, Any]]:
    """Medians and losses of the web's responses by size, small ones too."""
    flows = run.outcome["flows"].lists()
    mine = [
        (-(-flows["size_bytes"][i] // MSS), flows["duration_s"][i], flows["packets_dropped"][i])
        for i in run.outcome["objects"].lists()["flow"]
    ]
    found = []
    for name, (low, high) in CLASSES.items():
        group = [one for one in mine if low <= one[0] <= high]
        durations = [duration for _, duration, _ in group]
        found.append(
            {
                "packets": name,
                "responses": len(group),
                "median_s": float(np.median(durations)),
                "mean_s": float(np.mean(durations)),
                "lossy": 100 * float(np.mean([dropped > 0 for _, _, dropped in group])),
            }
        )
    return found


def loss(rows: Sequence[Mapping[str, Any]]) -> float:
    """In percent of what was sent."""
    dropped, sent = (sum(row[f"packets_{what}"] for row in rows) for what in ("dropped", "sent"))
    return float(100 * dropped / sent)


def gateways(run: Run) -> dict[str, Any]:
    """The transfers over the whole path, and those of the first, the last and all gateways."""
    count = len(run.document["path"]["hops"])
    through, others = run.records[:THROUGH], run.records[THROUGH:]
    each = len(others) // count
    return {
        "median_s": statistics.median(row["duration_s"] for row in through),
        "loss": loss(through),
        "others_loss": loss(others),
        "first_loss": loss(others[:each]),
        "last_loss": loss(others[-each:]),
    }


def harm(run: Run) -> dict[str, float]:
    """What bystanders and newcomers lost, and how long they took."""
    rows = run.records
    groups = {"bystanders": rows[:SHORT], "newcomers": rows[SHORT : SHORT + NEWCOMERS]}
    found = {f"{name}_loss": loss(group) for name, group in groups.items()}
    return found | {
        f"{name}_s": sum(row["duration_s"] for row in group) / len(group)
        for name, group in groups.items()
    }


def delivered(run: Run) -> dict[str, Any]:
    """Bytes by flow so far, and how the last flow has found its losses."""
    last = run.records[-1]
    return {
        "bytes": [row["bytes_delivered"] for row in run.records],
        "timeouts": last["timeouts"],
        "fast_retransmits": last["fast_retransmits"],
    }


def whole(run: Run) -> dict[str, float]:
    """Until the last connection was done, from the first one's opening, and what was lost."""
    rows = run.records
    opened = min(row["opened_s"] for row in rows)
    return {
        "duration_s": max(row["opened_s"] + row["duration_s"] for row in rows) - opened,
        "dropped": sum(row["packets_dropped"] for row in rows),
        "timeouts": sum(row["timeouts"] for row in rows),
    }


def in_turn(run: Run) -> dict[str, float]:
    """Of connections in turn, the first one and the mean of the others."""
    first, *others = run.records
    return {
        "first_s": first["duration_s"],
        "others_s": sum(row["duration_s"] for row in others) / len(others),
        "first_dropped": first["packets_dropped"],
        "last_dropped": others[-1]["packets_dropped"],
    }


def filling(run: Run) -> dict[str, Any]:
    """The window that keeps the path full, and when it was open."""
    series = run.series()[0]
    times, opened = series.time_s, series.time_s[series.of("open")[0]]
    acks = times[series.of("ack")]
    # One ACK for each packet: at the end the path is full, and a round trip is a window.
    window = int((acks > acks[-1] - (opened - times[0])).sum())
    sends = series.of("send")
    mss = run.records[0]["size_bytes"] // run.records[0]["packets_sent"]
    reached = sends[np.argmax(series.flight_bytes[sends] >= window * mss)]
    return {
        "window": window,
        "after_s": float(times[reached] - opened),
        "sent_bytes": int(series.seq_bytes[reached]),
    }


def window(run: Run) -> dict[str, Any]:
    """The window when the first flight has been repaired, and over time."""
    row, series = run.records[0], run.series()[0]
    flight, acks = series.of("send"), series.of("ack")
    end = int(series.seq_bytes[flight].max()) + MSS
    repaired = acks[series.seq_bytes[acks] >= end][0]
    return {
        "timeouts": row["timeouts"],
        "D": len(flight),
        "R": int((series.of("retransmit") < repaired).sum()),
        "cwnd": float(series.cwnd[repaired]),
        "time_s": series.time_s[series.at_sender].tolist(),
        "cwnd_over_time": series.cwnd[series.at_sender].tolist(),
    }


def ending(run: Run) -> dict[str, Any]:
    """When the first flight ended, and what happened then."""
    row, series = run.records[0], run.series()[0]
    exit_s = row["opened_s"] + row["startup_exit_s"]
    return {
        "D": row["size_bytes"] // MSS,
        "sent": int((series.time_s[series.of("send")] <= exit_s).sum()),
        "reason": row["startup_exit_reason"],
        "exit_s": exit_s,
        "last_send_s": _time(series, "send", -1),
        "first_ack_s": _time(series, "ack", 0),
    }


def _time(series: Series, event: str, which: int) -> float:
    return float(series.time_s[series.of(event)[which]])
