"""The path on the command line: the one place where its flags are listed."""

import dataclasses
from typing import TYPE_CHECKING

from flowstart.cli.flags import CAPTURE, Flag, Given

if TYPE_CHECKING:
    from flowstart.model.path import Path

FLAGS = (
    Flag("path", "A path known by name; options override it.", "NAME"),
    Flag("rate", "Rate of the bottleneck: 5Mbps.", "RATE", beside=(CAPTURE,)),
    Flag("rtt", "Two-way propagation: 64ms.", "TIME", beside=(CAPTURE,)),
    Flag(
        "buffer",
        "Bottleneck buffer: 60pkt, 90kB. [1bdp, at least 40pkt]",
        "SIZE",
        beside=(CAPTURE,),
    ),
    Flag("queue", "Queue discipline: codel, red:th_min=5. [drop-tail]", "NAME"),
    Flag("loss", "Random loss on the way forward: 1%.", "SHARE", beside=(CAPTURE,)),
    Flag("reverse_rate", "Rate of the way back.", "RATE", beside=(CAPTURE,)),
    Flag("reverse_buffer", "Buffer of the way back.", "SIZE", beside=(CAPTURE,)),
    Flag("reverse_queue", "Discipline of the way back.", "NAME"),
    Flag("reverse_loss", "Random loss on the way back.", "SHARE"),
    Flag("access_rate", "Rate of each host's line.", "RATE"),
    Flag("access_delay", "Delay of each host's line.", "TIME"),
    Flag("access_at", "Which hosts have such a line: both, left or right.", "SIDE"),
    Flag("nic_rate", "Rate of each host's interface.", "RATE"),
    Flag(
        "quick_start",
        "How routers decide on Quick-Start's requests: none, rfc, target:threshold=90%. [by stack]",
        "RULE",
    ),
    Flag(
        "rate_trace",
        "Delivery opportunities instead of a rate: milliseconds, one a line, as Mahimahi has them.",
        "FILE",
    ),
    Flag("reverse_rate_trace", "The same for the way back.", "FILE"),
    Flag(
        "rate_steps",
        "Rates one after the other, over and over: 50Mbps:10s,0bps:100ms.",
        "RATE:TIME,...",
    ),
    Flag(
        "rate_variation",
        "How the rate varies about its mean: steps:every=15s,spread=0.5, wander:sigma=0.4.",
        "MODEL",
    ),
    Flag("policer_rate", "A token bucket before the bottleneck drops what exceeds this.", "RATE"),
    Flag("policer_burst", "Size of that bucket.", "SIZE"),
    Flag("loss_burst", "Packets that --loss strikes in a row, on average. [alone]", "NUMBER"),
    Flag("reverse_loss_burst", "The same on the way back.", "NUMBER"),
    Flag(
        "aggregation",
        "Packets pass in bursts, as on Wi-Fi, this often: 4ms, exponential:mean=4ms.",
        "TIME",
    ),
    Flag("jitter", "Delay on top: uniform:most=5ms, exponential:mean=2ms.", "TIME"),
    Flag("reverse_jitter", "The same on the way back.", "TIME"),
    Flag("jitter_every", "For how long a draw of jitter holds. [one packet]", "TIME"),
    Flag("reordering", "Jitter lets packets overtake others.", type=bool | None),
    Flag("ripple", "How far the round trip swings.", "TIME"),
    Flag("ripple_period", "How long a swing takes.", "TIME"),
    Flag("router_pps", "Packets per second that each router forwards.", type=int | None),
    Flag("ack_batch", "Acknowledgements arrive together, this often.", "TIME"),
    Flag("ack_thinning", "Of each batch only the newest arrives.", type=bool | None),
    Flag(
        "buffer_reading", "Does a buffer hold the packet in service? ns2: yes, linux: no.", "NAME"
    ),
    Flag("hosts", "Pairs of hosts. [one per flow]", type=int | None),
)
"""Its flags, in the order of the help; all but the first are fields of `Path`."""


def read(given: Given) -> "Path | None":
    """The path that was described; None where nothing of one was given."""
    from flowstart.model import specs
    from flowstart.model.path import Path

    names = [field.name for field in dataclasses.fields(Path)]
    fields = {name: given[name] for name in names if name in given}
    if not fields and "path" not in given:
        return None
    if "quick_start" in fields:
        fields["quick_start"] = specs.quick_start(fields["quick_start"])
    if "rate_steps" in fields:
        fields["rate_steps"] = specs.rate_steps(fields["rate_steps"])
    named = Path.named(given["path"]) if "path" in given else Path()
    return named.but(**fields)
