"""A comparison in words: what stands above and below its table."""

from typing import Any

from flowstart.comparison.result import Comparison
from flowstart.comparison.summary import BASELINE
from flowstart.comparison.tables import MANY
from flowstart.model import custom
from flowstart.render import text
from flowstart.render.marks import MARK


def headline(result: Comparison) -> str:
    """One line on what was compared: path, capacity, buffer and its reading, endpoints, seeds."""
    path = result.resolved["path"]
    where = f"{_line(path)} × {path['rtt']}" if "rtt" in path else f"{len(path['hops'])} hops"
    rows = result.rows
    bdp = f" (BDP {text.count(rows[0]['bdp_pkts'])} pkt)" if rows else ""
    reading = f" read as {result.buffer_reading}" if result.buffer_reading else ""
    seeds = result.plan.seeds
    narrow = [("interface", path.get("nic_rate")), ("line", path.get("access_rate"))]
    beside = [f"{what} {rate}" for what, rate in narrow if rate]
    beside += [f"routers {path['router_pps']} packets/s"] if path.get("router_pps") else []
    parts = [
        where + bdp,
        *beside,
        *_ingredients(path),
        f"buffer {result.buffer}{reading}" if result.buffer else "",
        f"stack {rows[0]['stack']}" if rows else "",
        ", ".join(sorted({row["avoidance"] for row in rows if row["tested"]})),
        f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}",
    ]
    return ", ".join(filter(None, parts))


def _line(path: dict[str, Any]) -> str:
    """The bottleneck's rate in words."""
    if "rate_trace" in path:
        return f"trace {path['rate_trace']}"
    if "rate_steps" in path:
        return " → ".join(step["rate"] for step in path["rate_steps"])
    return str(path["rate"])


def _ingredients(path: dict[str, Any]) -> list[str]:
    """What else a path is made of, in words."""
    loss = path.get("loss", "0")
    words = {
        "rate_variation": "rate {}",
        "policer_rate": f"policer {{}} after {path.get('policer_burst')}",
        "loss_burst": f"loss {loss} in bursts of {{}}",
        "aggregation": "bursts every {}",
        "jitter": "jitter {}" + (" with reordering" if path.get("reordering") else ""),
        "ripple": f"ripple {{}} in {path.get('ripple_period')}",
    }
    return [word.format(path[name]) for name, word in words.items() if name in path]


def legend(result: Comparison) -> str:
    """What columns and marks of the table mean."""
    startups = result.plan.startups
    baseline = custom.short(BASELINE if BASELINE in startups else startups[0])
    order = "soonest first; " if len(startups) > MANY else ""
    acked = "acked: until the sender knew; " if result.measured_by_sender else ""
    best = f"{MARK}: soonest; " if any(s.best for s in result.summaries) else ""
    columns = (
        f"{order}{best}change: against {baseline}; {acked}exit cwnd: the window just before "
        "start-up ended, packets; queue: the most at the bottleneck, packets."
    )
    return "\n".join([columns, *result.notes])
