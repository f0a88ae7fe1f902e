"""The page on exits that are taken back, by startups without and with `resume=true`.

`tools/docs/pages.py` writes it with the others.
"""

import functools
import pathlib
import statistics
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

import flowstart as fs
from crowd import BOTTLENECKS, contention, of_runs
from flowstart import text

SWEEP = pathlib.Path(__file__).parents[2] / "examples" / "resume.toml"
VARYING, LOSSY, WIRES = ("leo", "wifi", "lte"), "lossy-wifi", ("fibre", "cable")
PATHS = (*VARYING, LOSSY, *WIRES)
STACKS = ("linux", "quic")
SIZE, SEEDS, CROWDS = "10MB", 60, 4
HYSTART, RESUMED, CAUTIOUS = "hystart", "hystart:resume=true", "hystart-plus-plus"
SEARCH, SEARCHING = "search", "search:resume=true"
STARTUPS = (HYSTART, RESUMED, CAUTIOUS, SEARCH, SEARCHING)
UNCHANGED = "hystart-plus-plus:resume=true"

PAGE = """<!-- Written by `make docs` from runs; changes here are lost. -->

# Resume: exits that are taken back

An exit by delay, ACK train or missing deliveries is a hypothesis: the path is full. The packets
in flight test it, because they left faster than the delivery rate of the exit. With `resume=true`,
`hystart`, `hystart-plus-plus` and `search` keep the window until these packets are acknowledged.
If they were delivered as fast as they were sent, and faster than before, the startup resumes.
Otherwise the exit is final.

**Answer.** It helps HyStart. Over `leo`, `wifi` and `lte`, 10 MB take {linux} less time with
the stack `linux`, {quic} less with `quic`; over
`lossy-wifi`, where CUBIC reacts to random losses, it is {lossy}.
HyStart++ takes {ahead} less than that, but loses more packets. Over `fibre` and `cable`, `linux`
loses no more than without. SEARCH gains only on `lossy-wifi`, and loses more there. HyStart++
changes by less than 2 %: its slower growth is such a test.

**Harm.** The test costs an RTT, and a small flow can take more of a full path. Among 200 flows
that use it, loss is {crowd}. The harm to a long flow is
{harm}. With `quic`, 10 MB over `cable` take {cable} longer.
So use it where paths vary, or instead of HyStart++; elsewhere HyStart alone harms less.

## Alone

10 MB with CUBIC: median time of {seeds} seeds, mean number of lost packets.

{alone}

## Next to other flows

Changes of the time are against HyStart++. `long` and `short` are [competing
flows](../guides/sweeps.md#competing-flows-and-harm) on the {paths} paths of
`examples/resume.toml`, next to 1 MB and 10 MB. `200 flows` of mixed sizes share one of six
bottlenecks; their time is the p95.

{others}

    flowstart compare --path leo --size 10MB --startup hystart,hystart:resume=true,hystart-plus-plus
    flowstart sweep examples/resume.toml -o out/resume
"""


def page() -> str:
    """The whole page."""
    _check()
    ratios = [
        _ratio(stack, path, CAUTIOUS, RESUMED) for stack in STACKS for path in (*VARYING, LOSSY)
    ]
    return PAGE.format(
        **{
            stack: _range(_ratio(stack, path, RESUMED, HYSTART) for path in VARYING)
            for stack in STACKS
        },
        lossy=_range(_ratio(stack, LOSSY, RESUMED, HYSTART) for stack in STACKS),
        ahead=_range(ratios),
        crowd=_three({startup: loss for startup, (_, loss) in _crowd().items()}),
        harm=_three({startup: _harm(startup) for startup in STARTUPS}),
        cable=text.share(round(_ratio("quic", "cable", RESUMED, HYSTART) - 1, 2)),
        seeds=SEEDS,
        alone="\n".join(_alone_table()),
        paths=_beside()["path"].n_unique(),
        others="\n".join(_others_table()),
    )


def _check() -> None:
    """What the page says without a number."""
    lost = {cell: losses for cell, (_, losses) in _alone().items()}
    for stack in STACKS:
        for path in PATHS:
            assert lost[stack, path, CAUTIOUS] > lost[stack, path, RESUMED], path
            assert abs(_ratio(stack, path, UNCHANGED, CAUTIOUS) - 1) < 0.02, path
            gains = _ratio(stack, path, SEARCHING, SEARCH) < 0.99
            assert gains == ((stack, path) == ("linux", LOSSY)), (stack, path)
    for path in WIRES:
        assert lost["linux", path, RESUMED] <= lost["linux", path, HYSTART], path


def _ratio(stack: str, path: str, startup: str, base: str) -> float:
    """A startup's time as a multiple of another's."""
    return _alone()[stack, path, startup][0] / _alone()[stack, path, base][0]


def _range(ratios: Iterable[float]) -> str:
    """By how much the time is shorter."""
    gains = [round(1 - ratio, 2) for ratio in ratios]
    return f"{100 * min(gains):.0f}–{text.share(max(gains))}"


@functools.cache
def _alone() -> dict[tuple[str, str, str], tuple[float, float]]:
    """Median time and mean losses by stack, path and startup."""
    cells = [(k, p, s) for k in STACKS for p in PATHS for s in (*STARTUPS, UNCHANGED)]
    scenarios = [
        fs.Scenario(
            path=fs.NetworkPath.named(path),
            flows=[fs.Flow(size=SIZE, startup=startup)],
            stack=stack,
            seed=seed,
        )
        for stack, path, startup in cells
        for seed in range(1, SEEDS + 1)
    ]
    frame = fs.run_many(scenarios).frame.sort("run")
    times, losses = frame["fct_s"].to_list(), frame["packets_dropped"].to_list()
    found = {}
    for index, cell in enumerate(cells):
        runs = slice(index * SEEDS, (index + 1) * SEEDS)
        found[cell] = statistics.median(times[runs]), statistics.fmean(losses[runs])
    return found


def _alone_table() -> Iterator[str]:
    yield f"| stack | path | {' | '.join(f'`{startup}`' for startup in STARTUPS)} |"
    yield f"| --- | --- |{' ---: |' * len(STARTUPS)}"
    for stack in STACKS:
        for path in PATHS:
            pairs = [_alone()[stack, path, startup] for startup in STARTUPS]
            cells = " | ".join(f"{text.short_seconds(t)}, {lost:.0f}" for t, lost in pairs)
            yield f"| {stack} | `{path}` | {cells} |"


@functools.cache
def _beside() -> pl.DataFrame:
    """The sweep's rows, with those of HyStart++ on the same path."""
    with tempfile.TemporaryDirectory() as folder:
        rows = fs.sweep(SWEEP, folder).frame
    rows = rows.with_columns(path=pl.struct("origin", "rate_bps", "rtt_s", "buffer_pkts"))
    base = rows.filter(pl.col("startup") == CAUTIOUS)
    return rows.join(base.select("cell", base_s="fct_s"), on="cell")


@functools.cache
def _crowd() -> dict[str, tuple[float, float]]:
    """The p95 of completion times as a multiple of HyStart++'s, and the loss, of 200 flows."""
    places = [(b, seed) for b in BOTTLENECKS for seed in range(1, CROWDS + 1)]
    scenarios = [contention(b, startup, seed) for startup in STARTUPS for b, seed in places]
    runs = of_runs(fs.run_many(scenarios), of_flows=True)
    of = {
        startup: runs.slice(index * len(places), len(places))
        for index, startup in enumerate(STARTUPS)
    }
    base = of[CAUTIOUS]["p95"].to_list()
    return {
        startup: (
            _mean_ratio(rows["p95"].to_list(), base),
            sum(rows["packets_dropped"].to_list()) / sum(rows["packets_sent"].to_list()),
        )
        for startup, rows in of.items()
    }


def _mean_ratio(times: Sequence[float], base: Sequence[float]) -> float:
    """The geometric mean of the ratios."""
    return statistics.geometric_mean(a / b for a, b in zip(times, base, strict=True))


def _harm(startup: str) -> float:
    """The mean harm to a long flow."""
    is_next_to_it = (pl.col("startup") == startup) & (pl.col("competing") == "long")
    return statistics.fmean(_beside().filter(is_next_to_it)["harm"])


def _three(of: Mapping[str, float]) -> str:
    """HyStart's share with resume, without, and HyStart++'s."""
    shares = (f"{100 * of[startup]:.1f} %" for startup in (RESUMED, HYSTART, CAUTIOUS))
    return "{} (HyStart {}, HyStart++ {})".format(*shares)


def _others_table() -> Iterator[str]:
    yield "| startup | long: time, lost, harm | short: time, lost, harm | 200 flows: time, lost |"
    yield "| --- | ---: | ---: | ---: |"
    for startup in STARTUPS:
        rows = _beside().filter(pl.col("startup") == startup)
        cells = [_cell(rows.filter(pl.col("competing") == kind)) for kind in ("long", "short")]
        time, lost = _crowd()[startup]
        cells.append(_joined(time, [lost]))
        yield f"| `{startup}` | {' | '.join(cells)} |"


def _cell(rows: pl.DataFrame) -> str:
    time = _mean_ratio(rows["fct_s"].to_list(), rows["base_s"].to_list())
    lost = statistics.fmean(rows["packets_dropped"] / rows["packets_sent"])
    return _joined(time, [lost, statistics.fmean(rows["harm"])])


def _joined(time: float, shares: Sequence[float]) -> str:
    return ", ".join([text.short_percent(time - 1), *(f"{100 * one:.1f} %" for one in shares)])
