"""What a startup written in Python costs beyond the same run with slow start, in CPU time.

Run it with `make bench`. The path never drops anything, so that startups last as long as the
transfer; there is one ACK for every two packets.
"""

import json
import time
from typing import Any

import flowstart as fs
from flowstart import _native
from flowstart.model.custom import CustomStartups

PACKETS = 40_000
ROUNDS = 9


class Trivial(fs.Startup):
    """One hook, three fields."""

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        w.cwnd += w.segments(a.acked)


class Rounds(fs.Startup):
    """What a startup that watches delays by rounds asks for, HyStart++ for example."""

    def __init__(self) -> None:
        self.end, self.last, self.now, self.samples = 0, 1 << 62, 1 << 62, 0
        self.least = 1 << 62

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> fs.signals.Reason | None:
        if a.una >= self.end:
            self.end, self.last, self.now, self.samples = a.nxt, self.now, 1 << 62, 0
        rtt = a.rtt
        if rtt is not None:
            self.now = min(self.now, rtt)
            self.least = min(self.least, rtt)
            self.samples += 1
        if self.samples >= 8 and self.now > self.last + 10**12:
            w.ssthresh = w.cwnd
            return "delay"
        if a.cwnd_limited:
            w.cwnd += w.segments(min(a.acked, 8 * w.mss))
        return None


class Delivered(fs.Startup):
    """What a startup that goes by delivery rates asks for, with every hook of the packet path."""

    def __init__(self) -> None:
        self.sent, self.least, self.fastest, self.round_end, self.rounds = 0, 1 << 62, 0.0, 0, 0

    def wants_delivery(self) -> bool:
        return True

    def owns_cwnd(self) -> bool:
        return True

    def in_charge(self, w: fs.Window) -> bool:
        return True

    def on_sent(self, w: fs.Window, s: fs.signals.Sent) -> None:
        if not s.retransmission:
            self.sent = s.seq + s.bytes

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        delivery = a.delivery
        assert delivery is not None
        if a.rtt is not None:
            self.least = min(self.least, a.rtt)
        sample = delivery.sample
        if sample is not None:
            if sample.prior_delivered >= self.round_end:
                self.round_end = delivery.total
                self.rounds += 1
            rate = sample.delivered / sample.interval
            if rate >= self.fastest or not sample.app_limited:
                self.fastest = max(self.fastest, rate)
        w.cwnd = max(10, w.segments(int(3 * self.fastest * self.least)))


def scenario(startup: str, size: int = PACKETS) -> str:
    path = {"rate": "1Gbps", "rtt": "20ms", "buffer": "1000000pkt"}
    flow = {"startup": startup, "size": f"{size}pkt"}
    return json.dumps({"path": path, "stack": {"preset": "rfc"}, "flows": [flow]})


def best_of(call: Any, times: int = ROUNDS) -> float:
    costs = []
    for _ in range(times):
        began = time.process_time()
        call()
        costs.append(time.process_time() - began)
    return min(costs)


def main() -> None:
    plain = best_of(lambda: _native.run(scenario("slow-start")))
    print(f"slow-start  {1e9 * plain / PACKETS:8.0f} ns a packet")
    for kind in (Trivial, Rounds, Delivered):
        custom = CustomStartups()
        name = custom.name(kind)
        natives = custom.natives()
        cost = best_of(lambda name=name, natives=natives: _native.run(scenario(name), natives))
        print(f"{name:11} {1e9 * (cost - plain) / PACKETS:8.0f} ns a packet beyond it")


if __name__ == "__main__":
    main()
