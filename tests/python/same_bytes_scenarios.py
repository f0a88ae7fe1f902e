"""What is simulated wherever results are to be the same: `make same-bytes-record` writes the list.

`tests/data/same-bytes/scenarios.jsonl` has one scenario a line with a name. Every startup,
cc, queue discipline and variation of the catalog is in one, and every preset, recovery and
path known by name (`test_same_bytes.py` checks that). They are small: all together take a second
or two in an optimised build, and have to run in an emulator too.
"""

import json
import pathlib
import tomllib
from collections.abc import Iterator
from typing import Any, TypeAlias

import flowstart as fs
from flowstart import _native
from flowstart.model import catalog

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "data" / "same-bytes"
SCENARIOS = FOLDER / "scenarios.jsonl"

Document: TypeAlias = dict[str, Any]

HELPFUL = {
    "rate": "20Mbps",
    "rtt": "100ms",
    "buffer": "1bdp",
    "nic_rate": "1Gbps",
    "quick_start": {"admission": "target"},
}
LOSSY = {
    "rate": "20Mbps",
    "rtt": "40ms",
    "buffer": "0.5bdp",
    "loss": "1%",
    "reverse_loss": "1%",
}
PLAIN = {"rate": "20Mbps", "rtt": "40ms", "buffer": "1bdp"}
RECOVERIES = ("go-back-n", "tahoe", "reno", "newreno", "sack", "ns2-sack", "rack", "quic")
CONTINUED = {"bbr-startup": "bbr", "vegas-slow-start": "vegas"}
"""The avoidances that go on with what a startup has."""

INGREDIENTS: dict[str, Document] = {
    "access": {"access_rate": "100Mbps", "access_delay": "2ms"},
    "asymmetric": {"reverse_rate": "200kbps", "reverse_buffer": "20pkt"},
    "router": {"router_pps": 1500},
    "outages": {
        "rate": None,
        "rate_steps": [{"rate": "20Mbps", "lasts": "300ms"}, {"rate": "0bps", "lasts": "30ms"}],
    },
    "trace": {"rate": None, "rate_trace": "crates/sim/tests/paths/uneven.trace"},
    "policer": {"rate": "50Mbps", "policer_rate": "10Mbps", "policer_burst": "50kB"},
    "bursts": {"loss": "1%", "loss_burst": 5},
    "aggregation": {"aggregation": "exponential:mean=4ms"},
    "jitter": {"jitter": "uniform:most=5ms"},
    "reordering": {"jitter": "uniform:most=5ms", "reordering": True},
    "slow-jitter": {"jitter": "exponential:mean=2ms", "jitter_every": "10ms"},
    "ripple": {"ripple": "10ms", "ripple_period": "300ms"},
    "ack-thinning": {"ack_batch": "5ms", "ack_thinning": True},
}

SHIPPED = ("quinn", "noq", "s2n", "quiche", "neqo", "picoquic", "quicly", "tquic")
"""Presets with the windows of their receivers, which are compared without."""
RECEIVERS = (
    *("quinn", "s2n", "quiche", "quiche-0.29.2", "neqo", "picoquic", "quicly", "tquic"),
    *("quic-go", "msquic", "mvfst", "ngtcp2", "lsquic", "aioquic", "go-quic"),
    *("chrome", "firefox", "curl"),
)

ENDPOINTS: dict[str, Document] = {
    **{
        f"receiver {name}": {"preset": "quic", "receiver": name, "window": "100kB"}
        for name in RECEIVERS
    },
    "rfc9002 pacing": {"preset": "quic", "pacing": "rfc9002"},
    "0-rtt": {"preset": "quic", "handshake": "0-rtt"},
    "tls": {"preset": "quic", "handshake": "tcp+tls13", "server_flight": "5kB"},
    "receive buffer": {
        "preset": "linux",
        "receive_buffer": "131072B",
        "receive_buffer_max": "6MB",
    },
    "delayed acks": {"preset": "rfc", "ack": "delayed", "ack_every": 4, "ack_timer": "20ms"},
    "coarse ticks": {"preset": "ns2", "tick": "100ms"},
    "interrupts": {"preset": "rfc", "interrupt_min": "60us", "sack_cost": "10us"},
    "sharing": {"preset": "rfc", "sharing": "ensemble"},
}


def flow(startup: str, cc: str = "reno", size: str = "1MB") -> Document:
    return {"startup": startup, "cc": cc, "size": size, "cached_cwnd": "1bdp"}


def startups() -> Iterator[tuple[str, Document]]:
    """Every startup under every preset, without losses and with some."""
    for startup in catalog.list_algorithms("startup"):
        cc = CONTINUED.get(startup.name, "reno")
        for number, preset in enumerate(_native.STACKS):
            lossy = number % 2 == 0
            window = {"window": "unlimited"} if preset in SHIPPED else {}
            yield (
                f"startup {startup.name} {preset}",
                {
                    "path": LOSSY if lossy else HELPFUL,
                    "stack": {"preset": preset, **window},
                    "flows": [flow(startup.name, cc)],
                    "trace": preset in ("rfc", "linux"),
                },
            )


def avoidances() -> Iterator[tuple[str, Document]]:
    for cc in catalog.list_algorithms("cc"):
        for preset in ("linux", "quic"):
            ecn = {"ecn": "l4s"} if "l4s" in cc.needs else {}
            yield (
                f"cc {cc.name} {preset}",
                {
                    "path": LOSSY,
                    "stack": {"preset": preset, **ecn},
                    "flows": [flow("slow-start", cc.name, "3MB")],
                    "trace": True,
                },
            )


def recoveries() -> Iterator[tuple[str, Document]]:
    for recovery in RECOVERIES:
        yield (
            f"recovery {recovery}",
            {
                "path": {**LOSSY, "loss": "3%"},
                "stack": {"preset": "rfc", "recovery": recovery},
                "flows": [flow("slow-start", size="600kB")],
                "trace": True,
            },
        )


def queues() -> Iterator[tuple[str, Document]]:
    """Two flows through every discipline, and a scalable one beside a classic one."""
    two = [flow("slow-start", size="2MB"), {**flow("hystart", size="1MB"), "start": "300ms"}]
    for queue in catalog.list_algorithms("queue"):
        marks = any(parameter.name == "ecn" for parameter in queue.params)
        for ecn in (False, True) if marks else (False,):
            name = f"{queue.name}:ecn={str(ecn).lower()}" if marks else queue.name
            path = {**PLAIN, "buffer": "2bdp", "queue": name}
            stack = {"preset": "linux", "ecn": ecn}
            yield f"queue {name}", {"path": path, "stack": stack, "flows": two}
    for name in ("dualpi2", "fq-codel"):
        yield (
            f"l4s {name}",
            {
                "path": {**PLAIN, "buffer": "400pkt", "queue": name},
                "stack": {"preset": "linux", "ecn": "l4s"},
                "flows": [flow("slow-start", "prague", "2MB"), flow("hystart", "cubic", "2MB")],
                "trace": True,
            },
        )


def paths() -> Iterator[tuple[str, Document]]:
    """What a path may be made of, and paths known by name."""
    made = dict(INGREDIENTS)
    for variation in catalog.list_algorithms("variation"):
        made[variation.name] = {"rate_variation": f"{variation.name}:every=50ms"}
    for name, fields in made.items():
        path = {field: value for field, value in {**PLAIN, **fields}.items() if value is not None}
        flows = [flow("hystart", "cubic", "1MB"), flow("bbr-startup", "bbr", "1MB")]
        yield (
            f"ingredient {name}",
            {"path": path, "stack": {"preset": "linux"}, "flows": flows, "trace": True},
        )
    for name in named_paths():
        path = fs.Scenario(path=fs.NetworkPath.named(name)).to_dict()["path"]
        flows = [flow("slow-start", "cubic", "1MB"), flow("jump-start", "reno", "100kB")]
        yield f"path {name}", {"path": path, "stack": {"preset": "quic"}, "flows": flows}


def named_paths() -> list[str]:
    file = ROOT / "python" / "flowstart" / "model" / "paths.toml"
    return list(tomllib.loads(file.read_text(encoding="utf-8")))


def endpoints() -> Iterator[tuple[str, Document]]:
    """What endpoints may do otherwise, in several writes and a flow after that."""
    writes = [{"at": "0s", "size": "100kB"}, {"at": "1s", "size": "20kB"}]
    flows = [{"startup": "slow-start", "writes": writes}, {**flow("hystart"), "start": "3s"}]
    for name, stack in ENDPOINTS.items():
        yield f"endpoints {name}", {"path": LOSSY, "stack": stack, "flows": flows, "trace": True}


def crowds() -> Iterator[tuple[str, Document]]:
    """Many flows, web sessions, and the examples."""
    many = {**flow("jump-start", size="30kB"), "count": 500, "stagger": "5ms"}
    path = {**PLAIN, "rate": "50Mbps", "loss": "0.1%"}
    for seed in (1, 2):
        yield (
            f"crowd seed {seed}",
            {"path": path, "stack": {"preset": "linux"}, "flows": [many], "seed": seed},
        )
    for name in ("scenario", "web"):
        example = tomllib.loads((ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8"))
        if isinstance(example.get("stack"), str):
            example["stack"] = {"preset": example["stack"]}
        yield f"example {name}", example


def scenarios() -> dict[str, Document]:
    """All, by name."""
    groups = (startups, avoidances, recoveries, queues, paths, endpoints, crowds)
    return dict(each for group in groups for each in group())


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"name": name, "scenario": each}) for name, each in scenarios().items()]
    SCENARIOS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
