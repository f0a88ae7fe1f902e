"""Figures and pages."""

import dataclasses
import pathlib
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import flowstart as fs
from flowstart.comparison import report as comparison_report
from flowstart.comparison.execute import execute
from flowstart.comparison.live.plan import LivePlan
from flowstart.comparison.live.result import LiveComparison
from flowstart.inference import Row, Statistic
from flowstart.questions.live import Live
from flowstart.render import charts, html
from flowstart.replays.figures import by_class
from flowstart.replays.summary import ClassSummary
from flowstart.simulation.figures import FigureFacts, over_time, sequence
from made_up_map import cell, write
from made_up_replay import replayed

ABOUT = FigureFacts("5Mbps × 64ms, stack rfc, seed 1")
STARTUPS = ["slow-start", "hystart", "jump-start"]


@pytest.fixture(scope="module")
def result() -> fs.Comparison:
    path = fs.NetworkPath(rate="5Mbps", rtt="64ms", buffer="60pkt")
    return fs.compare(path, startups=STARTUPS, sizes=["10kB", "300kB"])


@pytest.mark.parametrize("sizes", [["10kB"], ["10kB", "20kB"]])
def test_a_result_draws_into_axes_that_are_given(sizes: list[str]) -> None:
    axes = charts.Chart(figsize=(6, 4)).subplots()
    result = fs.compare(
        fs.NetworkPath(rate="5Mbps", rtt="64ms"), startups=["slow-start", "hystart"], sizes=sizes
    )
    assert result.plot(ax=axes) is axes.figure
    assert len(axes.patches if len(sizes) == 1 else axes.lines) == 2


def test_a_run_draws_its_windows_into_axes_that_are_given() -> None:
    axes = charts.Chart(figsize=(6, 4)).subplots()
    run = fs.run({"path": {"rate": "5Mbps", "rtt": "64ms"}, "flows": [{"size": "10kB"}] * 2})
    assert run.plot(ax=axes) is axes.figure
    assert [line.get_label() for line in axes.lines[:2]] == [s.label for s in run.traced().series()]


def test_a_replay_draws_its_slowdowns_into_axes_that_are_given() -> None:
    axes = charts.Chart(figsize=(6, 4)).subplots()
    assert replayed([1.0] * 40, [0.9] * 40).plot(ax=axes) is axes.figure
    assert len(axes.lines) == 2
    assert axes.get_ylabel().startswith("completion time / ideal")
    assert axes.get_legend() is not None


@pytest.fixture
def two_queues(tmp_path: pathlib.Path) -> fs.SweepMap:
    """`a` is best behind the first queue, `b` behind the second."""
    first = cell(0, {"a": 1.0, "b": 2.0}, queue="drop-tail")
    second = cell(1, {"a": 3.0, "b": 1.0}, queue="red")
    return fs.SweepResult.read(write(tmp_path / "sweep", first, second)).map()


@pytest.mark.parametrize(
    ("panel", "numbers"), [(None, ["1.00", "2.00"]), ("red", ["3.00", "1.00"])]
)
def test_a_map_draws_one_queue_into_axes_that_are_given(
    two_queues: fs.SweepMap, panel: str | None, numbers: list[str]
) -> None:
    axes = charts.Chart(figsize=(6, 4)).subplots()
    assert two_queues.plot(ax=axes, panel=panel) is axes.figure
    names = [label.get_text() for label in axes.get_yticklabels()]
    drawn = dict(zip(names, [text.get_text() for text in axes.texts[:2]], strict=True))
    assert [drawn["a"], drawn["b"]] == numbers
    assert panel or "drop-tail" in [text.get_text() for text in axes.texts]


@pytest.fixture
def live() -> LiveComparison:
    """A comparison with a stack that could run nothing."""
    plan = LivePlan.of(
        Live(
            fs.NetworkPath(rate="20Mbps", rtt="60ms"),
            on="noq",
            startups=["slow-start", "hystart"],
            sizes=["20kB"],
        )
    )
    return LiveComparison(plan, execute(plan.comparison, uncertainty=False), {}, interrupted=False)


@pytest.mark.parametrize(("panel", "drawn"), [(None, "slow-start"), ("hystart", "hystart")])
def test_live_runs_draw_one_startup_into_axes_that_are_given(
    live: LiveComparison, panel: str | None, drawn: str
) -> None:
    axes = charts.Chart(figsize=(6, 4)).subplots()
    assert live.plot(ax=axes, panel=panel) is axes.figure
    assert axes.get_title().splitlines()[0] == drawn
    assert axes.get_ylim()[0] == 0
    assert axes.get_legend() is not None


def test_a_panel_that_is_unknown_or_has_no_axes_is_refused(
    two_queues: fs.SweepMap, live: LiveComparison
) -> None:
    axes = charts.Chart(figsize=(6, 4)).subplots()
    with pytest.raises(
        fs.RequestError, match="panel: `rde` is not a queue here; did you mean `red`"
    ):
        two_queues.plot(ax=axes, panel="rde")
    with pytest.raises(fs.RequestError, match="panel: `suss` is not a startup here; there are"):
        live.plot(ax=axes, panel="suss")
    for drawn in (two_queues, live):
        with pytest.raises(fs.RequestError, match="panel: `red` is drawn into axes"):
            drawn.plot(panel="red")


def test_completion_has_a_line_per_startup(result: fs.Comparison) -> None:
    figure = result.plot()
    assert isinstance(figure, Figure)
    for axes in figure.axes:
        assert [line.get_label() for line in axes.lines] == STARTUPS
        assert axes.get_xlabel() == "transfer size"


def test_a_single_size_has_bars(path: fs.NetworkPath) -> None:
    figure = fs.compare(path, startups=STARTUPS, sizes=["10kB"]).plot()
    assert len(figure.axes[0].patches) == len(STARTUPS)


def test_many_startups_have_a_panel_each_best_first(path: fs.NetworkPath) -> None:
    startups = [f"slow-start:iw={n}" for n in range(1, 22)]
    result = fs.compare(path, startups=startups, sizes=["10kB", "30kB"])
    panels = [axes for axes in result.plot().axes if axes.get_visible()]
    assert len(panels) == 21
    shown = [axes.get_title().splitlines()[0] for axes in panels]
    assert sorted(shown) == sorted(startups)
    assert shown[-1] == "slow-start:iw=1"  # three round trips more than the best
    order = [name for name in result.order if name in startups]
    assert shown == order
    for figure in (over_time(result.series(), ABOUT), sequence(result.series(), ABOUT)):
        assert [axes.get_title() for axes in figure.axes] == order
    named = [row[0] for row in result.table.rows]
    assert named == order * 2
    single = fs.compare(path, startups=startups, sizes=["10kB"]).plot()
    patches: list[Any] = list(single.axes[0].patches)
    bars = [bar.get_width() for bar in patches]
    assert bars == sorted(bars)


def said(figure: Figure) -> str:
    """What stands above the panels of a figure, as one line."""
    words = [figure.get_suptitle(), *(text.get_text() for text in figure.texts)]
    return " ".join(" ".join(words).split())


@pytest.mark.parametrize("count", [3, 12])
def test_every_figure_says_its_path_stack_and_seed(path: fs.NetworkPath, count: int) -> None:
    startups = [f"slow-start:iw={n}" for n in range(1, count + 1)]
    result = fs.compare(path, startups=startups, sizes=["10kB", "30kB"], seed=7, uncertainty=False)
    for name, draw in comparison_report._drawn(result).items():
        figure, _ = draw()
        assert result.headline in said(figure), name
    assert result.headline.endswith("stack linux, cubic, IW 10, seed 7")
    run = fs.run(fs.Scenario(path=path, flows=[fs.Flow(size="30kB")], seed=3))
    assert run.headline in said(run.plot())
    assert run.headline.endswith("stack linux, cubic, seed 3")


def test_a_picture_of_one_seed_among_several_states_which_it_is() -> None:
    lossy = fs.NetworkPath(rate="5Mbps", rtt="64ms", loss="1%")
    result = fs.compare(lossy, startups=["slow-start"], sizes=["30kB"], repeat=3, uncertainty=False)
    drawn = {name: draw() for name, draw in comparison_report._drawn(result).items()}
    assert "seeds 1 to 3" in said(drawn.pop("completion")[0])
    for figure, caption in drawn.values():
        assert "seeds 1 to 3" not in said(figure)
        assert said(figure).endswith("first flow under test of 30 kB, seed 1, one of 3")
        assert caption.startswith("The first flow under test of 30 kB, seed 1, one of 3: ")


@pytest.mark.slow
def test_who_waits_for_figures_is_told_how_many_there_are(result: fs.Comparison) -> None:
    told: list[tuple[int, int]] = []
    list(result.files(lambda *at: told.append(at)))
    assert told == [(done, 5) for done in range(5)]


def test_panels_write_what_stands_at_ticks_at_the_left_and_at_the_bottom(
    path: fs.NetworkPath,
) -> None:
    startups = [f"slow-start:iw={n}" for n in range(1, 11)]
    result = fs.compare(path, startups=startups, sizes=["30kB"])
    axes = over_time(result.series(), ABOUT).axes
    assert [one.yaxis.get_visible() for one in axes] == [place % 4 == 0 for place in range(10)]
    assert [one.xaxis.get_visible() for one in axes] == [place >= 6 for place in range(10)]
    assert len({(one.get_xlim(), one.get_ylim()) for one in axes}) == 1


def test_flows_over_time(result: fs.Comparison) -> None:
    series = result.series("300kB")
    window, flight, *_, band = over_time(series, ABOUT).axes
    assert "packets" in window.get_ylabel()
    assert "kB" in flight.get_ylabel()
    assert band.get_xlabel() == "time (s)"
    panels = [axes for axes in sequence(series, ABOUT).axes if axes.get_visible()]
    assert [axes.get_title() for axes in panels] == STARTUPS


def test_a_startup_keeps_its_look() -> None:
    alone = charts.looks(["jump-start"])["jump-start"]
    among = charts.looks(["new-one", "slow-start", "jump-start"])
    assert among["jump-start"] == alone
    assert len({(look["color"], str(look["linestyle"])) for look in among.values()}) == 3


def test_more_startups_than_colours_still_differ() -> None:
    names = [f"startup-{i}" for i in range(20)]
    looks = charts.looks(names)
    assert len({str(sorted(look.items(), key=str)) for look in looks.values()}) == 20


def test_the_same_figure_is_the_same_file(result: fs.Comparison) -> None:
    first, second = (charts.svg(result.plot()) for _ in range(2))
    assert first == second
    ET.fromstring(first)


@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_control_character_in_a_picture_is_an_escape(result: fs.Comparison) -> None:
    figure = result.plot()
    figure.suptitle("a\x01b\x1b[31m")
    assert r"a\x01b\x1b[31m" in charts.svg(figure)
    ET.fromstring(charts.svg(figure))


def test_a_page_needs_nothing_else_and_escapes(result: fs.Comparison) -> None:
    parts = [
        html.paragraph("a < b & c"),
        html.table(result.table),
        html.picture(charts.svg(result.plot()), "caption"),
        html.made_by(),
    ]
    page = html.page("<title>", parts)
    assert "&lt;title&gt;" in page
    assert "a &lt; b &amp; c" in page
    assert "<script" not in page
    assert 'src="http' not in page
    assert 'name="viewport"' in page


def test_a_run_shows_itself(path: fs.NetworkPath) -> None:
    run = fs.run(fs.Scenario(path=path, flows=[fs.Flow(size="30kB", count=2)]))
    assert run.flow_samples is None
    assert "<table>" in run._repr_html_()
    assert len(run.plot().axes) == 4


def drawn_queue(figure: Figure) -> tuple[list[float], list[float]]:
    """Times and packets of the only queue of a figure over time; it holds between them."""
    (line,) = figure.axes[2].lines
    assert line.get_drawstyle() == "steps-post"
    return list(map(float, line.get_xdata())), list(map(float, line.get_ydata()))  # type: ignore[arg-type]


def test_a_queue_that_drains_within_a_pause_is_drawn_empty_for_the_rest_of_it() -> None:
    path = fs.NetworkPath(rate="50Mbps", rtt="80ms", buffer="1bdp")
    writes = [fs.spec.Write(at="0s", size="8MB"), fs.spec.Write(at="6s", size="8MB")]
    flow = fs.Flow(startup="hystart", writes=writes)
    scenario = fs.Scenario(path=path, flows=[flow], stack="rfc")
    run = fs.run(scenario, trace=True)
    offers = run.queue_samples
    assert offers is not None
    forward = offers.filter(offers["direction"] == 0)
    gap = int((forward["time_ns"].diff().fill_null(0)).arg_max() or 0)
    last, resumes = forward["time_ns"][gap - 1] / 1e9, forward["time_ns"][gap] / 1e9
    empty = forward["empty_ns"][gap - 1] / 1e9
    assert resumes - last > 3
    assert 0 < empty - last < 0.2

    times, packets = drawn_queue(run.plot())
    falls = [(t, p) for t, p in zip(times, packets, strict=True) if last <= t < resumes]
    assert falls[0][1] > 5
    assert falls[-1][0] == pytest.approx(empty, abs=1e-6)
    assert falls[-1][1] == 0


def test_a_queue_in_an_outage_is_drawn_full_until_the_line_is_back() -> None:
    steps = [{"rate": "20Mbps", "lasts": "1s"}, {"rate": "0bps", "lasts": "2s"}]
    path = {"rate_steps": steps, "rtt": "50ms", "buffer": "60pkt"}
    run = fs.run({"path": path, "flows": [{"size": "4MB"}], "duration": "4s"}, trace=True)
    times, packets = drawn_queue(run.plot())
    before = [p for t, p in zip(times, packets, strict=True) if t < 2.99]
    assert before[-1] == 60
    assert min(p for t, p in zip(times, packets, strict=True) if 3.05 < t < 3.9) < 30


def test_a_flow_that_is_cut_short_is_drawn_to_the_end_of_the_run() -> None:
    steps = [{"rate": "20Mbps", "lasts": "1s"}, {"rate": "0bps", "lasts": "9s"}]
    path = {"rate_steps": steps, "rtt": "50ms"}
    run = fs.run({"path": path, "flows": [{"size": "9MB"}], "duration": "1.2s"}, trace=True)
    *over_time, _ = run.plot().axes
    for axes in over_time:
        assert list(axes.lines[0].get_xdata())[-1] == 1.2  # type: ignore[arg-type]


def test_what_a_discipline_throws_out_leaves_the_queue_that_is_drawn(path: fs.NetworkPath) -> None:
    dropping = dataclasses.replace(path, queue="codel", buffer="200pkt")
    run = fs.run(fs.Scenario(path=dropping, flows=[fs.Flow(size="2MB")]), trace=True)
    series = run.series()[0]
    assert len(series.of("drop"))
    assert series.queue_packets[-1] == 0
    steps = abs(series.queue_packets[1:] - series.queue_packets[:-1])
    assert steps.max() == 1


def test_every_panel_of_sequences_reaches_to_the_end_of_the_longest(path: fs.NetworkPath) -> None:
    short, long = fs.Flow(size="30kB"), fs.Flow(size="300kB", start="1s")
    series = fs.run(fs.Scenario(path=path, flows=[short, long]), trace=True).series()
    end = max(line.time_s[-1] for line in series)
    for axes in sequence(series, ABOUT).axes[:2]:
        assert axes.get_xlim()[0] == 0
        assert axes.get_xlim()[1] >= end


def test_a_run_of_many_flows_says_which_of_them_are_drawn(path: fs.NetworkPath) -> None:
    def titles(flows: int) -> list[str]:
        scenario = fs.Scenario(path=path, flows=[fs.Flow(size="30kB", count=flows)])
        run = fs.run(scenario, trace=True)
        figures = [draw() for draw in run._drawn(run.series()).values()]
        return [figure.legends[0].get_title().get_text() + caption for figure, caption in figures]

    assert all(title.count("the first 6 of 12 flows") == 2 for title in titles(12))
    assert not any("flows" in title for title in titles(6))


def heights(line: Line2D) -> list[float]:
    return list(map(float, line.get_ydata()))  # type: ignore[arg-type]


def test_a_window_that_leaves_its_panel_says_how_far_it_reaches(path: fs.NetworkPath) -> None:
    startups = [f"slow-start:iw={n}" for n in range(1, 9)]
    for high in ("jump-start", "qs-app"):
        result = fs.compare(path, startups=[*startups, high], sizes=["3MB"])
        panels = [axes for axes in over_time(result.series(), ABOUT).axes if axes.get_visible()]
        top = panels[0].get_ylim()[1]
        for axes in panels:
            reach = max(heights(axes.lines[1]))
            said = [note.get_text() for note in axes.texts]
            assert said == ([f"↑ up to {round(reach):,}"] if reach > top else [])
        assert panels[-1].texts


def name(number: int) -> str:
    return f"slow-start:iw={number}" if number else "slow-start"


def harmed(size_class: str, variant: str, share: float) -> Row:
    """So many transfers are harmed."""
    return Row(size_class, variant, Statistic.HARMED_SHARE, share, 0.0, 1.0, 40, 40.0)


def summaries(startups: int) -> list[ClassSummary]:
    """Two size classes under so many startups."""
    return [
        ClassSummary(
            size_class=size_class,
            variant=name(n),
            startup=name(n),
            transfers=40,
            complete=40,
            fct_median_s=1.0,
            fct_p95_s=2.0,
            fct_p99_s=3.0,
            alone_median_s=1.0,
            limited_by="cwnd",
            limited_share=1.0,
            window_share=0.0,
            slowdown_median=1.0 + n,
            slowdown_p95=2.0 + n,
            loss=0.0,
            timeouts=0,
            harmed_share=harmed(size_class, name(n), n / 100) if n else None,
            geomean_ratio=None,
            p50=None,
            p95=None,
            p99=None,
            median_ratio=None,
            worst_network=None,
            worst_share=None,
        )
        for size_class in ("below 10 kB", "all sizes")
        for n in range(startups)
    ]


def test_more_startups_than_markers_have_a_panel_each_in_a_replay() -> None:
    few = by_class(summaries(len(charts.MARKERS)), "slow-start")
    assert len(few.axes) == 2
    assert len({str(line.get_marker()) for line in few.axes[0].lines}) == len(charts.MARKERS)
    many = by_class(summaries(25), "slow-start")
    panels = [axes for axes in many.axes if axes.get_visible()]
    assert [axes.get_title() for axes in panels] == list(
        dict.fromkeys(s.variant for s in summaries(25))
    )
    for n, axes in enumerate(panels):
        baseline, own = map(heights, axes.lines)
        assert (baseline, own) == ([1.0, 1.0], [1.0 + n, 1.0 + n])
        assert [note.get_text() for note in axes.texts] == [f"{n}%" if n else "–"] * 2


def test_a_replay_of_which_nothing_is_known_is_drawn_too() -> None:
    unknown = [
        dataclasses.replace(s, slowdown_median=None, slowdown_p95=None, harmed_share=None)
        for s in summaries(25)
    ]
    figure = by_class(unknown, "slow-start")
    assert [note.get_text() for note in figure.axes[0].texts] == ["–", "–"]
    assert charts.svg(figure)


def test_no_marker_reads_as_an_arrow_on_a_line() -> None:
    assert not {*charts.MARKERS} & {*"^v123|"}
    assert len({*charts.MARKERS}) == len(charts.COLOURS)
