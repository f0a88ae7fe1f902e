"""The page on cached state that is wrong, by the startups that use it.

`tools/docs/pages.py` writes it with the others.
"""

import functools
import itertools
import statistics
from collections.abc import Iterable, Sequence

import flowstart as fs
from flowstart import text
from flowstart.comparison.summary import Summary

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""The cached value as a multiple of the right one."""
SIZES = ("1MB", "10MB")
PATHS = tuple(itertools.product((10, 50), (40, 150), (0.5, 1.0)))
"""Rate in Mbit/s, RTT in ms, buffer in BDP."""
SHORT = {"startup": "slow-start", "size": "100kB"}
"""The competing flow, which opens at the same time."""
STARTUPS = {
    **{a.name: a.name for a in fs.list_algorithms("startup") if "cache" in a.needs},
    "gauge:memory=true": "gauge",
    "c4-initial:memory=true": "c4-initial",
}
"""Startups that use cached state, with the names of their pages."""

HEAD = """<!-- Written by `make docs` from runs; changes here are lost. -->

# Cached state that is wrong

A startup that uses the state of an earlier connection saves round trips. The cached window may be
wrong: the path has changed, or other flows are on it. Here it is a quarter to four times the BDP.

**Answer.** Too small a window is safe with `careful-resume`, `quicly-jumpstart` and `gauge`;
`fast-start`, `stateful-tcp` and `c4-initial` become slower than slow start. Too large a window
harms competing flows: at four times the BDP a short flow next to 10 MB takes {least} to {most}
longer. With `quicly-jumpstart` it takes {limited} longer, because its jump has a separate limit. So
give cached state a short lifetime.

Each cell has three values: the change of the completion time against slow start without a cache,
the share of packets lost, and the change of a competing 100 kB flow that starts at the same time.
They are means over eight paths: 10 and 50 Mbit/s, RTTs of 40 and 150 ms, buffers of 0.5 and 1 BDP;
stack `linux`, CUBIC.

## Wrong window

The cached RTT is right, so the cached rate is wrong by the same factor.
"""
RTT_HEAD = """## Wrong RTT

The cached window is one BDP. A cached RTT that is too short makes the cached rate too high.
`careful-resume` does not jump where the RTT is less than half the cached one.
"""
TAIL = """Reproduce a row, on one path:

    flowstart compare --rate 50Mbps --rtt 150ms --size 1MB \\
      --variant 'right: startup=careful-resume cached_cwnd=1bdp' \\
      --variant 'x4: startup=careful-resume cached_cwnd=4bdp' --startup slow-start

A rate that the client hints (Blitzstart), or a state that it echoes, is cached state from another
source: give it as `cached_cwnd`, with `stateful-tcp:factor=1` to use all of it.

An expired cache is no cache: leave `cached_cwnd` out. In a replay, the state comes from earlier
connections of the capture.
"""


def page() -> str:
    """The whole page."""
    harm = {
        name: _harm([_run(path, startup, SIZES[-1], "cached_cwnd", FACTORS[-1]) for path in PATHS])
        for startup, name in STARTUPS.items()
    }
    limited = harm.pop("quicly-jumpstart")
    words = {"least": min(harm.values()), "most": max(harm.values()), "limited": limited}
    head = HEAD.format(**{name: text.short_share(share) for name, share in words.items()})
    return "\n".join([head, *_table("cached_cwnd"), RTT_HEAD, *_table("cached_rtt"), TAIL])


def _table(field: str) -> list[str]:
    """The changes by startup and factor, for each size."""
    heads = " | ".join(f"× {factor:g}" for factor in FACTORS)
    lines = [f"| startup | size | {heads} |", f"| --- | --- |{' --- |' * len(FACTORS)}"]
    for startup, name in STARTUPS.items():
        for size in SIZES:
            cells = " | ".join(_cell(startup, size, field, factor) for factor in FACTORS)
            page = f"../reference/algorithms/{name}.md"
            lines.append(f"| [{startup}]({page}) | {size.replace('MB', ' MB')} | {cells} |")
    return [*lines, ""]


def _cell(startup: str, size: str, field: str, factor: float) -> str:
    """Change of the completion time, loss, and change of the short flow's time."""
    found = [_run(path, startup, size, field, factor) for path in PATHS]
    change, loss = _mean(s.change for s in found), statistics.fmean(s.loss for s in found)
    return f"{text.short_percent(change)}, {100 * loss:.1f} %, {text.short_percent(_harm(found))}"


def _harm(found: Sequence[Summary]) -> float:
    """The change of the short flow's time, over the paths."""
    return _mean(s.background_change for s in found)


@functools.cache
def _run(
    path: tuple[int, int, float], startup: str, size: str, field: str, factor: float
) -> Summary:
    rate, rtt, buffer = path
    cached = {"cached_cwnd": "1bdp"}
    cached[field] = f"{factor:g}bdp" if field == "cached_cwnd" else f"{factor * rtt:g}ms"
    scenario = {
        "path": {"rate": f"{rate}Mbps", "rtt": f"{rtt}ms", "buffer": f"{buffer:g}bdp"},
        "stack": {"preset": "linux"},
        "flows": [{"size": size}, SHORT],
    }
    variants = [fs.Variant("cached", startup, **cached), fs.Variant("slow-start", "slow-start")]
    return fs.compare(scenario, variants=variants, uncertainty=False).summaries[0]


def _mean(changes: Iterable[float | None]) -> float:
    """The geometric mean of the ratios, less one."""
    return statistics.geometric_mean(1 + change for change in changes if change is not None) - 1
