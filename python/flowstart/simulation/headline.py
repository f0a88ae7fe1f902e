"""What was simulated, in one line: the path, its capacity and buffer, the endpoints, the seeds."""

from collections.abc import Sequence
from typing import Any

from flowstart.model.document import Document
from flowstart.render import text


def headline(
    path: Document,
    rows: Sequence[dict[str, Any]],
    seeds: Sequence[int],
    buffer: str | None,
    iw: int | None = None,
) -> str:
    """One line on a resolved `path` and the flows in `rows`.

    `buffer` is the bottleneck's, `iw` the initial window in packets where all have one.
    """
    where = f"{_line(path)}, {path['rtt']}" if "rtt" in path else f"{len(path['hops'])} hops"
    bdp = f", BDP {text.count(rows[0]['bdp_pkts'])} packets" if rows else ""
    narrow = [("interface", path.get("nic_rate")), ("line", path.get("access_rate"))]
    beside = [f"{what} {rate}" for what, rate in narrow if rate]
    beside += [f"routers {path['router_pps']} packets/s"] if path.get("router_pps") else []
    parts = [
        where + bdp,
        *beside,
        *_ingredients(path),
        f"buffer {buffer}" if buffer else "",
        f"stack {rows[0]['stack']}" if rows else "",
        ", ".join(sorted({row["cc"] for row in rows})),
        f"IW {iw}" if rows and iw else "",
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
