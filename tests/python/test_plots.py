"""Figures and pages."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from matplotlib.figure import Figure

import flowstart as fs
from flowstart import grids, plots, report

STARTUPS = ["slow-start", "hystart", "jump-start"]


@pytest.fixture(scope="module")
def result() -> fs.Comparison:
    path = fs.Path(rate="5Mbps", rtt="64ms", buffer="60pkt")
    return fs.compare(path, startups=STARTUPS, sizes=["10kB", "300kB"])


def test_completion_has_a_line_per_startup(result: fs.Comparison) -> None:
    figure = result.plot()
    assert isinstance(figure, Figure)
    for axes in figure.axes:
        assert [line.get_label() for line in axes.lines] == STARTUPS
        assert axes.get_xlabel() == "transfer size"


def test_a_single_size_has_bars(path: fs.Path) -> None:
    figure = fs.compare(path, startups=STARTUPS, sizes=["10kB"]).plot()
    assert len(figure.axes[0].patches) == len(STARTUPS)


def test_many_startups_have_a_panel_each_best_first(path: fs.Path) -> None:
    startups = [f"slow-start:iw={n}" for n in range(1, 22)]
    result = fs.compare(path, startups=startups, sizes=["10kB", "30kB"])
    panels = [axes for axes in result.plot().axes if axes.get_visible()]
    assert len(panels) == 21
    shown = [axes.get_title().splitlines()[0] for axes in panels]
    assert sorted(shown) == sorted(startups)
    assert shown[-1] == "slow-start:iw=1"  # three round trips more than the best
    for axes in panels:
        assert len(axes.lines) == 21 + 1
    over_time = [axes for axes in plots.over_time(result.series()).axes if axes.get_visible()]
    assert [axes.get_title() for axes in over_time] == startups
    single = fs.compare(path, startups=startups, sizes=["10kB"]).plot()
    patches: list[Any] = list(single.axes[0].patches)
    bars = [bar.get_width() for bar in patches]
    assert bars == sorted(bars)


def test_flows_over_time(result: fs.Comparison) -> None:
    series = result.series("300kB")
    window, flight, queue = plots.over_time(series).axes
    assert "packets" in window.get_ylabel()
    assert "kB" in flight.get_ylabel()
    assert queue.get_xlabel() == "time (s)"
    panels = [axes for axes in plots.sequence(series).axes if axes.get_visible()]
    assert [axes.get_title() for axes in panels] == STARTUPS


def test_a_startup_keeps_its_look() -> None:
    alone = plots.looks(["jump-start"])["jump-start"]
    among = plots.looks(["new-one", "slow-start", "jump-start"])
    assert among["jump-start"] == alone
    assert len({(look["color"], str(look["linestyle"])) for look in among.values()}) == 3


def test_more_startups_than_colours_still_differ() -> None:
    names = [f"startup-{i}" for i in range(20)]
    looks = plots.looks(names)
    assert len({str(sorted(look.items(), key=str)) for look in looks.values()}) == 20


def test_the_same_figure_is_the_same_file(result: fs.Comparison) -> None:
    first, second = (plots.svg(result.plot()) for _ in range(2))
    assert first == second
    ET.fromstring(first)


def test_a_page_needs_nothing_else_and_escapes(result: fs.Comparison) -> None:
    parts = [
        report.paragraph("a < b & c"),
        report.table(grids.comparison(result)),
        report.picture(plots.svg(result.plot()), "caption"),
        report.made_by(),
    ]
    page = report.page("<title>", parts)
    assert "&lt;title&gt;" in page
    assert "a &lt; b &amp; c" in page
    assert "<script" not in page
    assert 'src="http' not in page
    assert 'name="viewport"' in page


def test_a_run_shows_itself(path: fs.Path) -> None:
    run = fs.run(fs.Scenario(path=path, flows=[fs.Flow(size="30kB", count=2)]))
    assert run.flow_samples is None
    assert "<table>" in run._repr_html_()
    assert len(run.plot().axes) == 3
