"""What a DualPI2 queue makes of a Prague flow next to a CUBIC flow: their shares and delays.

`python examples/l4s.py` prints them for 40 Mbit/s and round trips of 10, 20 and 50 ms;
`python examples/l4s.py 120Mbps 20ms` for another rate and another round trip.

RFC 9332 aims at equal rates where the round trips are equal, queues included. At 10 ms they nearly
are: CUBIC's packets wait for 15 ms besides, and Prague grows as over 25 ms. There Prague has 1.2 to
1.4 times the rate. At 20 and 50 ms its round trip is the shorter one, and it has 1.7 to 2.3 times.
"""

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import flowstart as fs
from flowstart.simulation.run import Run

CLASSIC, SCALABLE = 0, 1
SEND, ACK = 0, 2
"""Events of a trace."""
SECONDS = 60
SETTLED = 10
"""Both have left their startups behind after so many seconds."""


@dataclass(frozen=True)
class Fared:
    """How a flow fared once it had settled."""

    rate: float
    """Bits per second that its receiver got, payload only."""
    median: float
    """The delay of the queue, seconds: its round trips beyond the minimum."""
    late: float
    """The delay that one packet in a hundred exceeds."""


def scenario(rate: str, rtt: str, seconds: int = SECONDS, seed: int = 1) -> fs.Scenario:
    """A CUBIC flow and a Prague flow that share one bottleneck."""
    return fs.Scenario(
        path=fs.NetworkPath(rate=rate, rtt=rtt, buffer="2000pkt", queue="dualpi2"),
        stack={"preset": "linux", "ecn": "l4s", "pacing": "internal", "ack": "every"},
        flows=[
            fs.Flow(startup="hystart", cc="cubic"),
            fs.Flow(startup="slow-start", cc="prague", start="1s"),
        ],
        duration=f"{seconds}s",
        seed=seed,
    )


def fared(run: Run, flow: int, least: float, seconds: int = SECONDS) -> Fared:
    """How a flow of a traced run fared, over a path whose empty round trip takes `least`."""
    times, delays, acked = _delays(run, flow, least)
    settled = times >= SETTLED
    payload = np.ptp(acked[settled]) * 8 / (seconds - SETTLED)
    median, late = np.percentile(delays[settled], [50, 99])
    return Fared(float(payload), float(median), float(late))


def _delays(
    run: Run, flow: int, least: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """When acknowledgements came, how long their packets waited, and how far they went."""
    samples = run.flow_samples
    assert samples is not None, "the run has a trace"
    events = samples.filter(flow=flow)
    sent = events.filter(event=SEND)
    # A segment ends where the next one begins.
    left = dict(zip(sent["seq_bytes"].to_list()[1:], sent["time_ns"].to_list()[:-1], strict=True))
    acks = events.filter(event=ACK)
    pairs = zip(acks["time_ns"].to_list(), acks["seq_bytes"].to_list(), strict=True)
    found = [(at, at - left[seq], seq) for at, seq in pairs if seq in left]
    at, rtt, seq = (np.array(column) for column in zip(*found, strict=True))
    return at / 1e9, rtt / 1e9 - least, seq


def in_seconds(time: str) -> float:
    """`20ms` as a number of seconds."""
    return float(time.removesuffix("ms")) / 1e3


def bits(rate: str) -> float:
    """`40Mbps` as a number of bits per second."""
    return float(rate.removesuffix("Mbps")) * 1e6


def shared(rate: str, rtt: str, seed: int = 1, seconds: int = SECONDS) -> tuple[Fared, Fared]:
    """How CUBIC and Prague fared."""
    run = fs.run(scenario(rate, rtt, seconds, seed), trace=True)
    # A data packet's transmission at the bottleneck, and its acknowledgement's.
    least = in_seconds(rtt) + (1500 + 60) * 8 / bits(rate)
    return fared(run, CLASSIC, least, seconds), fared(run, SCALABLE, least, seconds)


def in_ms(flow: Fared) -> str:
    """The delays of a flow as two columns."""
    return f"{flow.median * 1e3:>9.2f} {flow.late * 1e3:>7.2f}"


def main(rate: str = "40Mbps", *rtts: str) -> None:
    """Prints a line for each round trip."""
    print("   rtt   seed   Prague    CUBIC   ratio    L: p50     p99    C: p50     p99")
    for rtt in rtts or ("10ms", "20ms", "50ms"):
        for seed in (1, 2, 3):
            cubic, prague = shared(rate, rtt, seed)
            print(
                f"{rtt:>6} {seed:>6} {prague.rate / 1e6:>8.2f} {cubic.rate / 1e6:>8.2f} "
                f"{prague.rate / cubic.rate:>7.2f} {in_ms(prague)} {in_ms(cubic)}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
