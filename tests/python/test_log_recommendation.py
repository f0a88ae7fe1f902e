"""Recommendations from servers' logs, against those from the paths as they were."""

import dataclasses
import pathlib
from typing import Any

import pytest

import flowstart as fs
from flowstart.captures.contents import Capture, PathEstimate, RemoteNetwork
from flowstart.replays.request import replay
from made_up_logs import Network, columns, networks, write

MIXES = 20
SIZES = (60e3, 1.0)
KINDS: tuple[dict[str, Any], ...] = (
    {"rates_bps": (20e6, 200e6), "rtts_s": (0.05, 0.2), "sizes": SIZES},
    {"rates_bps": (1e6, 5e6), "rtts_s": (0.02, 0.08), "sizes": SIZES},
    {"rates_bps": (20e6, 200e6), "rtts_s": (0.05, 0.2), "sizes": (30e3, 1.2)},
    {"rates_bps": (3e6, 60e6), "rtts_s": (0.01, 0.1)},
)
"""Of every four mixes: two where a larger window gains, one where it harms, and one in between."""


def with_truth(capture: Capture, found: list[Network]) -> Capture:
    """The same log with the rates and buffers that its paths had."""
    of = {one.name: one for one in found}

    def known(way: PathEstimate, network: Network) -> PathEstimate:
        buffer = network.buffer_packets
        return dataclasses.replace(
            way, rate_bps=network.rate_bps, buffer_packets=buffer, buffer_at_least=False
        )

    def group(one: RemoteNetwork) -> RemoteNetwork:
        there, back = (known(way, of[one.network]) for way in one.ways)
        return dataclasses.replace(one, to_remote=there, from_remote=back)

    return dataclasses.replace(capture, groups=[group(one) for one in capture.groups])


def choice(capture: Capture) -> str | None:
    """What is recommended for all traffic; None for what there is."""
    found = replay(
        capture,
        variants=["iw30: startup=hystart cc=cubic iw=30"],
        startups=["hystart"],
        baseline="hystart",
        uncertainty=False,
    )
    return found.answer.verdict.recommended


@pytest.mark.long
@pytest.mark.slow
def test_a_log_gives_the_recommendation_that_its_paths_would(tmp_path: pathlib.Path) -> None:
    pairs = []
    for number in range(101, 101 + MIXES):
        found = networks(number, count=3, transfers=(110, 130), **KINDS[number % len(KINDS)])
        file = write(found, number, tmp_path / f"{number}.csv")
        capture = fs.read_capture(file, columns=columns(number))
        pairs.append((choice(with_truth(capture, found)), choice(capture)))
    assert sum(truth == estimate for truth, estimate in pairs) >= 18, pairs
    assert sum(truth is not None for truth, _ in pairs) >= 8, pairs
