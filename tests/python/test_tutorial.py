"""The tutorial's sentences with numbers or relations, against the runs that they describe."""

import math
import pathlib
import re
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from shown_texts import unchecked_numbers

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "start" / "tutorial.md"
MSS, PACKET_BITS = 1448, 12_000


def exercises() -> list[str]:
    """The prose of each exercise in one line, without commands, output and targets of links."""
    text = PAGE.read_text(encoding="utf-8").split("Terms are in")[0]
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    prose = ["\n".join(p for p in part.splitlines() if not p.startswith("    ")) for part in parts]
    prose = [re.sub(r"\]\([^)]*\)", "]", re.sub(r"<[^>]*>", "", part)) for part in prose]
    return [" ".join(part.split()) for part in prose]


def run(path: dict[str, Any], size: str, startup: str, **more: Any) -> fs.Run:
    flow = {"startup": startup, "size": size} | more.pop("flow", {})
    return fs.run({"path": path, "flows": [flow], **more}, trace=True)


def round_trips() -> list[str]:
    row = run({"rate": "1Gbps", "rtt": "100ms"}, "100kB", "slow-start").records[0]
    packets = math.ceil(100_000 / MSS)
    assert packets == row["packets_sent"] == 10 + 20 + 40
    assert row["fct_s"] / 0.1 == pytest.approx(3.5, rel=0.01)
    return [
        "Exercise 1: how many",
        f"100 kB are {packets} packets. Slow start begins with 10.",
        "1 Gbit/s, 100 ms",
        f"10 + 20 + 40 = {packets} packets",
        f"3.5 RTTs, {1e3 * row['fct_s']:.0f} ms",
    ]


def buffers() -> list[str]:
    path = {"rate": "20Mbps", "rtt": "100ms"}
    bdp = int(20e6 * 0.1 / PACKET_BITS)
    slow = [
        run(path | {"buffer": f"{b}bdp"}, "10MB", "slow-start").records[0] for b in (0.25, 1, 4)
    ]
    exits = [row["startup_exit_cwnd_segments"] for row in slow]
    for window, buffer in zip(exits[1:], (1, 4), strict=True):
        assert window == pytest.approx(2 * (1 + buffer) * bdp, rel=0.02)
    assert exits[0] < 2 * 1.25 * bdp, "the burst overflows a small buffer earlier"
    middle = run(path | {"buffer": "1bdp"}, "10MB", "slow-start")
    samples = middle.flow_samples
    assert samples is not None
    drops = samples.filter(pl.col("event") == 6)["time_ns"]
    # Within one round trip through a full buffer.
    burst = int((drops < drops[0] + 200_000_000).sum())
    assert burst == pytest.approx(exits[1] / 2, rel=0.01)
    lost, sent = slow[1]["packets_dropped"], slow[1]["packets_sent"]
    assert lost - burst == pytest.approx(140, abs=2)
    reno = run(path | {"buffer": "1bdp"}, "10MB", "slow-start", flow={"cc": "reno"}).records[0]
    hystart = run(path | {"buffer": "1bdp"}, "10MB", "hystart").records[0]
    assert hystart["startup_exit_reason"] == "ack-train"
    window = hystart["startup_exit_cwnd_segments"]
    small = run(path | {"buffer": "0.25bdp"}, "10MB", "hystart").records[0]
    assert small["startup_exit_reason"] == "loss"
    return [
        "Exercise 2: what",
        f"20 Mbit/s and 100 ms, so it holds {bdp} packets",
        "a buffer of 0.25, 1 and 4 times",
        f"2 × ({bdp} + {bdp}) packets, and half of them are lost, about {burst}",
        f"by 30 %, to {0.7 * exits[1]:.0f} packets, which still exceeds {2 * bdp}",
        f"about 140 more are lost, {lost} in all: {100 * lost / sent:.1f} % of the packets",
        f"halves the window, {reno['packets_dropped']} are",
        f"half a BDP of ACKs, {bdp // 2}, and",
        "The round of 80 is too short. In the round of 160",
        f"reaches {window:.0f} packets: {window / bdp:.2f} BDP",
        "1.0 to 1.5 BDP",
    ]


def without_slow_start() -> list[str]:
    path = {"rate": "5Mbps", "rtt": "64ms", "buffer": "60pkt"}
    bdp = int(5e6 * 0.064 / PACKET_BITS)
    stack = {"preset": "ns2", "iw": "3"}

    def change(packets: int) -> float:
        slow, jump = (
            float(run(path, f"{packets}pkt", name, stack=stack).records[0]["fct_s"])
            for name in ("slow-start", "jump-start")
        )
        return jump / slow - 1

    changes = {packets: change(packets) for packets in [*range(1, 6), *range(80, 100), 128, 400]}
    assert changes[1] == pytest.approx(0, abs=0.001)
    slower = [packets for packets, value in changes.items() if value > 0.01]
    assert slower == [2, 3, *(packets for packets in changes if packets >= 87)]
    last = run(path, "86pkt", "jump-start", stack=stack).records[0]
    first = run(path, "87pkt", "jump-start", stack=stack).records[0]
    assert (last["packets_dropped"], first["packets_dropped"]) == (0, 1)
    return [
        "Exercise 3: is",
        "5 Mbit/s, 64 ms and 60 packets of buffer",
        f"hold {bdp} + 60 = {bdp + 60} packets",
        "with 2 and 3, pacing delays",
        "From 4 to 86 packets",
        "From 87 packets on",
        "Figure 1 of",
    ]


EXERCISES = (round_trips, buffers, without_slow_start)


@pytest.mark.parametrize("number", range(len(EXERCISES)))
def test_sentences_of_an_exercise_have_the_numbers_of_its_runs(number: int) -> None:
    text, facts = exercises()[number], EXERCISES[number]()
    assert unchecked_numbers(text, facts) == []


def test_every_exercise_is_checked() -> None:
    assert len(exercises()) == len(EXERCISES)
