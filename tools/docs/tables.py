"""Tables within pages, between marks such as `<!-- named paths -->` that name them."""

import functools
import re
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import flowstart as fs
import gauge
import grid
import grid_words
import kernel_handshakes
import l4s
import paper_pages
import reference
import stack_pages
from flowstart import text
from flowstart.model import path as paths
from flowstart.model.definitions import parts
from reference import cell

_MARKED = re.compile(
    r"(<!-- (?P<name>[\w ]+) -->\n)(?:.*\n)*?(?P<end><!-- end of (?P=name) -->\n)", re.MULTILINE
)


MEASURED = ("kernel", "loaded")
"""Tables that `tools/docs/kernel.py` measures in a machine's kernel."""


def with_tables(page: str) -> str:
    """A page with its marked tables as they are now."""

    def fill(found: re.Match[str]) -> str:
        if found["name"] in MEASURED:
            return found[0]
        return f"{found[1]}{_table(found['name'])}\n{found['end']}"

    return _MARKED.sub(fill, page)


def _table(name: str) -> str:
    """The table of this name; `fields of NetworkPath` and some names is one of those fields."""
    part, *names = name.removeprefix("fields of ").split()
    if name.startswith("fields of "):
        known = {field.name: field for field in parts()[part].fields}
        return reference.table(tuple(known[field] for field in names))
    return TABLES[name]()


# Paths known by name.

_PLAIN = ("about", "rate", "rtt", "buffer", "reverse_rate", "reverse_buffer")


def named_paths() -> str:
    """The paths known by name."""
    rows = ["| name | line | ingredients | about |", "| --- | --- | --- | --- |"]
    for name, fields in paths.named_paths().items():
        line = f"{fields['rate']} × {fields['rtt']}, {fields['buffer']}"
        back = fields.get("reverse_rate")
        line += f"; back {back}" if back else ""
        more = [f"`{key} = {_toml(value)}`" for key, value in fields.items() if key not in _PLAIN]
        link = f"[`{name}`](paths/{name}.md)"
        rows.append(f"| {link} | {line} | {'<br>'.join(more) or '–'} | {cell(fields['about'])} |")
    return "\n".join(rows)


def _toml(value: object) -> str:
    """A value as a scenario file has it, but without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


# What HyStart makes of paths whose round trip varies.

VARYING = ("wifi", "leo", "lte", "geo")
SEEDS = 20


def hystart_on_paths() -> str:
    """Where HyStart leaves slow start, with and without ingredients, and what both take."""
    rows = [
        "| path | left at, of the path's capacity | plain | took | slow start took |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in VARYING:
        path = fs.NetworkPath.named(name)
        plain = fs.NetworkPath(
            **{field: getattr(path, field) for field in _PLAIN if field != "about"}
        )
        left = [_median(_left_at, one, "hystart") for one in (path, plain)]
        took = [_median(_took, path, startup) for startup in ("hystart", "slow-start")]
        shown = [f"{share:.2f}" for share in left] + [text.seconds(time) for time in took]
        rows.append(f"| `{name}` | {' | '.join(shown)} |")
    return "\n".join(rows)


def _median(read: Callable[[dict[str, Any]], float], path: fs.NetworkPath, startup: str) -> float:
    """What is read of a transfer of 10 MB under the linux stack, the median over seeds."""
    found = fs.compare(path, startups=[startup], sizes=["10MB"], repeat=SEEDS, uncertainty=False)
    return statistics.median(map(read, found.records))


def _left_at(row: dict[str, Any]) -> float:
    share: float = row["startup_exit_cwnd_segments"] / row["bdp_pkts"]
    return share


def _took(row: dict[str, Any]) -> float:
    seconds: float = row["fct_s"]
    return seconds


# A scalable flow beside a classic one.

L4S_RTTS = ("10ms", "20ms", "50ms")
L4S_SEEDS = (1, 2, 3)


def prague_beside_cubic() -> str:
    """What the example of L4S prints, the mean over seeds and the range of the ratios."""
    rows = [
        "| round trip | Prague | CUBIC | ratio, over seeds | L: median, 99 % | C: median, 99 % |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for rtt in L4S_RTTS:
        pairs = [l4s.shared("40Mbps", rtt, seed) for seed in L4S_SEEDS]
        cubic, prague = zip(*pairs, strict=True)
        ratios = sorted(p.rate / c.rate for c, p in pairs)
        rates = [f"{statistics.mean(f.rate for f in flows) / 1e6:.1f}" for flows in (prague, cubic)]
        delays = [_milliseconds(flows) for flows in (prague, cubic)]
        shown = [f"{rates[0]} Mbit/s", rates[1], f"{ratios[0]:.2f} to {ratios[-1]:.2f}", *delays]
        rows.append(f"| {rtt.removesuffix('ms')} ms | {' | '.join(shown)} |")
    return "\n".join(rows)


def _milliseconds(flows: Sequence[l4s.Fared]) -> str:
    median = statistics.mean(flow.median for flow in flows)
    late = statistics.mean(flow.late for flow in flows)
    return f"{median * 1e3:.2f} ms, {late * 1e3:.2f} ms"


TABLES: dict[str, Callable[[], str]] = {
    "Prague beside CUBIC": prague_beside_cubic,
    "grid overall": lambda: grid.overall(grid.GRID),
    "grid by size": lambda: grid.by(grid.GRID, "size"),
    "grid with help": lambda: grid.helped(grid.GRID),
    "grid in words": grid_words.in_words,
    "suite overall": lambda: grid.overall(grid.SUITE),
    "suite by path": lambda: grid.by(grid.SUITE, "origin"),
    **{f"gauge {name}": functools.partial(gauge.table, name) for name in gauge.NAMES},
    "handshakes in the kernel": kernel_handshakes.table,
    "named paths": named_paths,
    "papers": paper_pages.listed,
    "not simulated of QUIC stacks": lambda: stack_pages.not_simulated(stack_pages.QUIC),
    "not simulated of systems": lambda: stack_pages.not_simulated(stack_pages.SYSTEMS),
    "HyStart on named paths": hystart_on_paths,
}
"""What stands between the marks of each name."""
