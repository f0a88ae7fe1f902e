"""Algorithm 1: its constants, read from what Hybrid Slow Start does."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALL_RTTS = tuple(range(8, 34, 2))
"""At 10 Mbit/s their BDPs are 7 to 27 packets, so trains are long enough before cwnd is 16."""
GAPS_MS = (1.8, 1.9, 1.98, 2.0, 2.02, 2.1, 2.2)
"""Between ACKs, by the link's rate."""
TRAINS = ((100.0, 100.0), (100.0, 120.0), (100.0, 160.0), (400.0, 160.0))
DELAYS = (10, 20, 30, 40, 60, 100, 160, 200)
"""Round-trip times in ms."""
FAST_MBPS = 1000.0
STEPS = tuple(i / 4 for i in range(-6, 7))
"""How far from the expected threshold a burst delays a round, in ms."""


def small(rtt: float) -> Document:
    """A path of a few packets."""
    link = setups.path(10, rtt) | {"buffer": "60pkt"}
    # Rounds of 3, 6, 12 pass 16 within a round.
    ends = setups.stack(setups.EVERY, iw="3")
    return setups.one(link, f"{setups.HYBRID},detect=train", "2s", ends=ends)


def spaced(gap_ms: float) -> Document:
    """A link that spaces ACKs so far; the sender's clock is exact."""
    link = setups.path(setups.PACKET_BITS / 1e3 / gap_ms, 200, 3)
    startup = f"{setups.HYBRID},detect=train,tick=0s"
    return setups.one(link, startup, "4s", ends=setups.stack(setups.EVERY))


def train(mbps: float, rtt: float) -> Document:
    """A train on an empty path, by an exact clock."""
    startup = f"{setups.HYBRID},tick=0s"
    return setups.one(setups.path(mbps, rtt), startup, "5s", ends=setups.stack(setups.EVERY))


def expected_rise(rtt: float) -> int:
    """Algorithm 1's eta, in ticks of 1 ms."""
    return max(2, math.ceil(rtt / 16))


def delayed(rtt: float, rise_ms: float) -> Document:
    """A flow whose third round of ACKs waits behind a burst for about so long."""
    burst = round(rise_ms * FAST_MBPS * 1e3 / setups.PACKET_BITS)
    link = setups.path(FAST_MBPS, rtt) | {"buffer": "100000pkt"}
    startup = f"{setups.HYBRID},detect=delay"
    ends = setups.stack(setups.EVERY, iw="16")
    run = setups.one(link, startup, f"{4 * rtt / 1e3:g}s", cc="none", ends=ends)
    other = {
        "startup": f"{setups.SLOW_START},iw={burst},ssthresh={burst}",
        "cc": "none",
        "handshake": False,
        "start": f"{2 * rtt - 0.01:g}ms",
        "size": f"{burst}pkt",
    }
    return run | {"flows": [*run["flows"], other]}


def run(lab: Lab) -> Findings:
    """The five constants."""
    probes = [(rtt, expected_rise(rtt + 1) + step) for rtt in DELAYS for step in STEPS]
    documents = [
        *map(small, SMALL_RTTS),
        *map(spaced, GAPS_MS),
        *(train(*path) for path in TRAINS),
        *(delayed(*probe) for probe in probes),
    ]
    results = iter(lab.runs(documents, measures.leaving, trace=True))
    lowest = min(next(results)["cwnd"] for _ in SMALL_RTTS)
    spacing = max(gap for gap in GAPS_MS if next(results)["by"] == "ack-train")
    halves = [_half(next(results)["rounds"]) for _ in TRAINS]
    delays = [(rtt, one) for (rtt, _), one in zip(probes, results, strict=True)]
    samples = {one["rounds"][-1]["acks"] for _, one in delays if one["by"] == "delay"}
    rises = [_rise(rtt, [one for other, one in delays if other == rtt]) for rtt in DELAYS]
    words = _words(lowest, samples, spacing, halves, rises)
    return Findings(
        measured={"hy.alg.const": Measured(words)},
        answers=[
            (
                f"No exit comes below {lowest:.0f} packets, trains break at gaps above {spacing:g} "
                f"ms, a train ends slow start at {min(halves):.3f} to {max(halves):.3f} of the "
                f"minimum round-trip time, and delay does with ACK {', '.join(map(str, samples))} "
                "of a round."
            ),
        ],
        tables=[
            Table(
                "rise",
                "The minimum rise of a round's delay that ends slow start, in ticks of 1 ms.",
                rises,
            )
        ],
        pictures=[
            Picture(
                "rise",
                "The minimum rise that ends slow start, and max(2, lastRTT/16).",
                lambda: draw(rises),
            )
        ],
    )


def _half(rounds: Sequence[dict[str, float]]) -> float:
    """The last train over the least round-trip time."""
    return rounds[-1]["train_s"] / min(one["rtt_s"] for one in rounds)


def _ticks(seconds: float) -> int:
    return math.ceil(round(1e3 * seconds, 6))


def _rise(rtt: float, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The minimum rise that counted, the largest that did not."""
    rises: dict[bool, list[int]] = {True: [], False: []}
    for one in found:
        before, after = one["rounds"][0], one["rounds"][1]
        rise = _ticks(after["rtt_s"]) - _ticks(before["rtt_s"])
        rises[one["by"] == "delay"].append(rise)
    last = _ticks(found[0]["rounds"][0]["rtt_s"])
    return {
        "RTT (ms)": rtt,
        "lastRTT (ticks)": last,
        "least rise that ends (ticks)": min(rises[True]),
        "largest that does not (ticks)": max(rises[False]),
        "max(2, ceil(lastRTT/16))": expected_rise(last),
    }


def _words(
    lowest: float,
    samples: set[int],
    spacing: float,
    halves: Sequence[float],
    rises: Sequence[dict[str, Any]],
) -> str:
    """The constants as the target has them."""
    half = all(0.5 <= share < 0.505 for share in halves)
    eta = all(
        row["least rise that ends (ticks)"]
        == row["max(2, ceil(lastRTT/16))"]
        == row["largest that does not (ticks)"] + 1
        for row in rises
    )
    return (
        f"low_ssthresh {lowest:.0f}, nSampling {'/'.join(map(str, sorted(samples)))}, "
        f"spacing {spacing:g} ms, train limit {'dMin/2' if half else 'not dMin/2'}, "
        f"eta {'' if eta else 'not '}max(2 ticks, ceil(lastRTT/16))"
    )


def draw(rises: Sequence[dict[str, Any]]) -> "Figure":
    """The minimum rises over the round-trip time."""
    from flowstart_papers import drawing

    last = [row["lastRTT (ticks)"] for row in rises]
    least = [row["least rise that ends (ticks)"] for row in rises]
    return drawing.single(
        drawing.Axis("lastRTT (ms)"),
        drawing.Axis("rise (ms)", limits=(0, None)),
        {"least rise that ends slow start": (last, least)},
        published={"least rise that ends slow start": (last, [expected_rise(rtt) for rtt in last])},
    )


EXPERIMENTS = (
    Experiment(
        id="HY-ALG",
        figure="Algorithm 1",
        question="Which constants does Hybrid Slow Start show when paths are made to probe them?",
        run=run,
        quick=True,
    ),
)
