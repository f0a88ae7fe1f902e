"""What lines over time cost beyond the same runs without them.

Run it with `make bench`. 50 Mbit/s × 80 ms, six startups, 600 columns, 2 threads; and one flow of
100 MB over 1 Gbit/s × 100 ms. Milliseconds of the call, the best of several, and the bytes of what
comes back.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from flowstart import _native
from flowstart.model.custom import CustomStartups
from flowstart.simulation.batch import run_many
from flowstart.simulation.trajectories import TimeWindow, Traced, trajectories

STARTUPS = (
    "slow-start",
    "limited-slow-start",
    "hystart",
    "hystart-plus-plus",
    "jump-start",
    "search",
)
NONE = CustomStartups()
ROUNDS = 15


def scenario(startup: str, size: str, rate: str, rtt: str, trace: bool = False) -> str:
    """One flow."""
    flows = [{"startup": startup, "size": size}]
    return json.dumps(
        {
            "path": {"rate": rate, "rtt": rtt},
            "stack": {"preset": "rfc"},
            "flows": flows,
            "trace": trace,
        }
    )


def best_of(run: Callable[[], Any]) -> float:
    """Milliseconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def size_of(found: Traced) -> int:
    """Bytes of all lines and events."""
    flows = [flow for of in found.found for flow in of]
    lines = [line for flow in flows for line in (*flow.lines.values(), *flow.events.values())]
    return sum(len(line.bins) + len(line.values) for line in lines)


def measure(title: str, scenarios: list[str], workers: int) -> None:
    """Prints a line."""

    def with_lines() -> Traced:
        return trajectories(scenarios, [[0]] * len(scenarios), TimeWindow(600), NONE, workers)

    with_ms = best_of(with_lines)
    without_ms = best_of(lambda: run_many(scenarios, workers, None, NONE))
    print(f"{title:<28}{with_ms:8.1f} ms{without_ms:8.1f} ms{size_of(with_lines()):>9} bytes")


def main() -> None:
    """Measures."""
    print(f"{'':<28}{'with':>11}{'without':>11}{'lines':>15}")
    for size in ("1MB", "10MB"):
        scenarios = [scenario(name, size, "50Mbps", "80ms") for name in STARTUPS]
        measure(f"{size}, six startups", scenarios, 2)
    long = ("slow-start", "100MB", "1Gbps", "100ms")
    measure("100 MB over 1 Gbit/s", [scenario(*long)], 1)
    whole = best_of(lambda: _native.run(scenario(*long, trace=True)))
    print(f"{'the same, every event':<28}{whole:8.1f} ms")


if __name__ == "__main__":
    main()
