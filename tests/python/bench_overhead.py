"""What a short run costs from Python beyond its packets; the budget is 50 µs.

Run it with `make bench`. The cost of the packets themselves is measured in a run of many
packets and taken off.
"""

import json
import time

from flowstart import _native


def scenario(size: str) -> str:
    path = {"rate": "100Mbps", "rtt": "20ms"}
    return json.dumps(
        {
            "path": path,
            "stack": {"preset": "rfc"},
            "flows": [{"startup": "slow-start", "size": size}],
        }
    )


def best_of(call: object, times: int) -> float:
    assert callable(call)
    costs = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        costs.append(time.perf_counter() - began)
    return min(costs)


def main() -> None:
    packets = 20_000
    long = scenario(f"{packets}pkt")
    per_packet = best_of(lambda: _native.run(long), 20) / packets
    short = scenario("10pkt")
    alone = best_of(lambda: _native.run(short), 3000) - 10 * per_packet
    many = [short] * 10_000
    together = best_of(lambda: _native.run_many(many, 1), 3) / len(many) - 10 * per_packet
    print(f"one packet              {1e9 * per_packet:8.0f} ns")
    print(f"one short run, run      {1e6 * alone:8.1f} µs beyond its packets")
    print(f"one short run, run_many {1e6 * together:8.1f} µs beyond its packets")
    big = [long] * 200
    one, two = (best_of(lambda n=n: _native.run_many(big, n), 3) for n in (1, 2))
    print(f"two workers             {one / two:8.2f} times one")


if __name__ == "__main__":
    main()
