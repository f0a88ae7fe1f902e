"""Reports with their rows and a script inside, and how large they are."""

import base64
import json
import pathlib
import random
import re
import zlib
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from flowstart import text
from flowstart.cli import main
from flowstart.comparison import report
from flowstart.maps import report as map_rows
from flowstart.maps.sweep_result import read_map, sweep
from flowstart.render import html, interactive
from flowstart.render import listed as listed_rows
from flowstart.render.grid import Column, Grid, RowSource, Where
from flowstart.render.interactive import together
from flowstart.render.listed import ListedRows
from flowstart.sweeps import report as sweep_report

REAL = interactive.PAGE
"""Where `make page` puts the script, if it has been run."""
SCRIPT = "console.log('</script>');"


@pytest.fixture
def built(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script and a style in the place of those that `make page` builds."""
    (tmp_path / "report.js").write_text(SCRIPT)
    (tmp_path / "report.css").write_text("body { margin: 0 }")
    monkeypatch.setattr(interactive, "PAGE", tmp_path)


def unpacked(page: str) -> dict[str, Any]:
    """The rows that a page holds."""
    found = re.search(r'id="data-rows">([^<]*)<', page)
    assert found
    document: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return document


def values(column: dict[str, Any], count: int) -> list[Any]:
    """The values of a packed column, as the script reads them."""
    if "values" in column:
        return list(column["values"])
    if "known" in column:
        return [column["known"][place] for place in column["places"]]
    if "steps" in column:
        return [sum(column["steps"][: i + 1]) for i in range(count)]
    return [column["same"]] * count


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ([3, 3, 3], "same"),
        ([None, None], "same"),
        ([0, 0, 1, 5], "steps"),
        ([5, 1, 3], "values"),
        (["a", "b"] * 10, "known"),
        ([0.5, None, 1e-7], "values"),
        ([], "same"),
    ],
)
def test_a_column_is_packed_in_the_form_that_suits_it_and_read_again(
    given: list[Any], form: str
) -> None:
    found = interactive.encoded(given)
    assert form in found
    assert values(found, len(given)) == given


def test_numbers_are_rounded_to_what_tables_show_of_them() -> None:
    found = interactive.encoded([0.123456, 12345.6, float("inf"), float("nan"), 2.0, 1234567])
    assert found["values"] == [0.1235, 12350, None, None, 2, 1234567]


def test_whole_numbers_that_a_script_cannot_hold_are_text() -> None:
    assert interactive.encoded([2**60, 5])["values"] == ["1152921504606846976", 5]


def test_a_table_says_what_its_numbers_are_made_of_only_where_that_is_known() -> None:
    columns = [Column("name", number=False), Column("time", of="mean of fct_s", compares=True)]
    grid = Grid(columns, rows=[["a", "1 s"]])
    assert "data-" not in html.table(grid)
    grid.sources = [RowSource({"variant": "it's <a>"}, {"variant": "b"})]
    page = html.table(grid)
    assert '<th data-of="mean of fct_s" data-compares>time</th>' in page
    assert """<tr data-rows='{"variant":"it&#x27;s &lt;a&gt;"}' data-against=""" in page


def test_without_the_script_a_report_is_the_page_alone_and_says_how_to_get_more() -> None:
    page = interactive.page("Title", ["<p>text</p>", interactive.picture("<svg/>", "it", "a.svg")])
    assert "<script" not in page
    assert "<svg/>" in page
    assert "make page" in page


@pytest.mark.usefixtures("built")
def test_a_report_names_nothing_that_is_to_be_loaded_but_pictures_beside_it_without_scripts() -> (
    None
):
    figure = interactive.picture("<svg/>", 'a "caption"', "a.svg")
    page = interactive.page("Title", [figure])
    assert '<noscript><img src="a.svg" alt="a &quot;caption&quot;"></noscript>' in page
    assert not re.search(r"(?:src|href)=(?!\"a\.svg)|url\(|@import", page)
    assert page.count("</script>") == 1, "a script's text does not end it"


@pytest.fixture(scope="module")
def compared() -> fs.Comparison:
    path = fs.NetworkPath(rate="20Mbps", rtt="40ms", buffer="50pkt", loss="1%")
    return fs.compare(path, startups=["slow-start", "hystart"], sizes=["20kB", "100kB"], repeat=3)


def test_every_number_of_a_comparison_names_the_rows_that_it_is_the_mean_of(
    compared: fs.Comparison,
) -> None:
    grid = report.traced(compared)
    for line, source in zip(grid.rows, grid.sources, strict=True):
        rows = [
            row
            for row in compared.records
            if all(
                row.get(name) in (wanted if isinstance(wanted, list) else [wanted])
                for name, wanted in source.where.items()
            )
        ]
        assert len(rows) == 3
        times = [row["fct_s"] for row in rows]
        assert line[1] == text.seconds(sum(times) / len(times))
        assert line[2:4] == [text.seconds(min(times)), text.seconds(max(times))]


def test_the_command_of_a_row_gives_that_row_again(compared: fs.Comparison) -> None:
    command = report.listed_rows(compared).command
    assert command
    row = compared.records[-1]
    again = [command.words, *(command.options[n][str(row[n])] for n in command.options)]
    assert " ".join(again) == (
        "flowstart compare --rate 20Mbps --rtt 40ms --buffer 50pkt --loss 1% "
        "--no-uncertainty --startup hystart --size 100kB --seed 3"
    )
    path = fs.NetworkPath(rate="20Mbps", rtt="40ms", buffer="50pkt", loss="1%")
    alone = fs.compare(path, startups=["hystart"], sizes=["100kB"], seed=3, uncertainty=False)
    assert alone.records[0]["fct_s"] == row["fct_s"]


@pytest.mark.slow
@pytest.mark.usefixtures("built")
def test_the_report_of_a_comparison_holds_its_rows_and_is_the_same_every_time(
    compared: fs.Comparison,
) -> None:
    page = report.pictures(compared)["report.html"].decode()
    document = unpacked(page)
    assert document["count"] == document["total"] == len(compared.records)
    columns = {column["name"]: values(column, 12) for column in document["columns"]}
    assert columns["seed"] == [row["seed"] for row in compared.records]
    assert columns["fct_s"] == pytest.approx([row["fct_s"] for row in compared.records], rel=5e-4)
    assert report.pictures(compared)["report.html"].decode() == page


def test_flows_over_time_end_where_the_rows_say_and_keep_their_extremes(
    compared: fs.Comparison,
) -> None:
    (found,) = report.flows_over_time(compared, [("100kB", 100_000)])
    assert [flow["startup"] for flow in found.flows] == compared.order
    for flow in found.flows:
        row = next(
            row
            for row in compared.records
            if (row["variant"], row["size"], row["seed"]) == (flow["startup"], "100kB", 1)
        )
        assert flow["end_s"] == pytest.approx(row["duration_s"], rel=1e-5)
        assert max(flow["lines"]["cwnd"][1]) == pytest.approx(row["max_cwnd_segments"], rel=1e-3)
        assert flow["lines"]["acked"][1][-1] == 100_000
        assert flow["events"]["drop"][2] == row["packets_dropped"]
        bins = sum(flow["lines"]["acked"][0])
        assert bins * found.bin_s == pytest.approx(row["duration_s"], abs=2 * found.bin_s)


def test_a_report_lists_no_more_than_its_most_rows_and_says_where_the_others_are(
    compared: fs.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MOST_ROWS", 8)
    found = report.listed_rows(compared)
    assert found.frame["seed"].unique().to_list() == [1, 2]
    assert found.total == 12
    assert found.left_out.startswith("These are 8 of 12 rows, those of the lowest seeds; rows.par")


def meant(frame: pl.DataFrame, where: Where) -> pl.DataFrame:
    """The rows that a source means, as the script finds them."""
    for name, wanted in where.items():
        known = wanted if isinstance(wanted, list) else [wanted]
        frame = frame.filter(pl.col(name).is_in(known)) if name in frame.columns else frame
    return frame


SWEEP = {
    "startups": ["slow-start", "jump-start"],
    "path": {"rate": ["5Mbps", "20Mbps"], "rtt": "20ms"},
    "flow": {"size": ["10kB", "30kB", "300kB"]},
}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of a sweep of 12 runs."""
    folder = tmp_path_factory.mktemp("swept") / "sweep"
    sweep(SWEEP, folder, workers=1)
    return folder


@pytest.mark.usefixtures("built")
def test_a_sweep_leaves_a_report_and_writes_it_anew(
    tmp_path: pathlib.Path, swept: pathlib.Path
) -> None:
    toml = tmp_path / "sweep.toml"
    toml.write_text(
        'startups = ["slow-start", "jump-start"]\n[path]\nrate = ["5Mbps", "20Mbps"]\n'
        'rtt = "20ms"\n[flow]\nsize = ["10kB", "30kB", "300kB"]\n'
    )
    assert main(["sweep", str(toml), "-o", str(swept), "--workers", "1"]) == 0
    page = (swept / "report.html").read_text()
    assert unpacked(page)["count"] == 12
    (swept / "report.html").unlink()
    assert main(["sweep", str(toml), "-o", str(swept), "--workers", "1"]) == 0
    assert (swept / "report.html").read_text() == page


def test_the_table_of_a_sweep_is_made_of_the_rows_that_it_names(swept: pathlib.Path) -> None:
    found = sweep(SWEEP, swept, workers=1)
    sizes = sweep_report.size_names(found)
    grid = sweep_report.summary(found, sizes)
    rows = sweep_report.rows(found, sizes)
    assert list(grid.groups.values()) == ["10 kB", "30 kB", "300 kB"]
    for line, source in zip(grid.rows, grid.sources, strict=True):
        mine = meant(rows.frame, source.where)
        assert line[1] == str(mine.height) == "2"
        greatest = mine["slowdown"].max()
        assert isinstance(greatest, float)
        assert line[4] == text.ratio(greatest)


def test_the_scenario_of_a_row_gives_that_row_again(
    swept: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = sweep(SWEEP, swept, workers=1)
    rows = sweep_report.rows(found, sweep_report.size_names(found))
    row = rows.frame.row(-1, named=True)
    assert rows.command
    words = rows.command.options["startup"][row["startup"]].split()
    file = tmp_path / "scenario.json"
    file.write_text(row[rows.command.file])
    assert main(["compare", str(file), *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["fct_s"] == row["fct_s"]


def test_a_long_sweep_lists_whole_cells_and_says_so(
    swept: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listed_rows, "MOST_ROWS", 6)
    found = sweep(SWEEP, swept, workers=1)
    rows = sweep_report.rows(found, sweep_report.size_names(found))
    assert rows.frame["cell"].value_counts()["count"].to_list() == [2, 2, 2]
    assert rows.left_out.startswith("These are the rows of 3 of 6 cells, one in 2, with all start")


def test_the_tables_of_a_map_name_the_rows_that_they_are_made_of(swept: pathlib.Path) -> None:
    found = read_map(swept)
    rows = map_rows.rows(found)
    overall, kinds, worst = map_rows.traced(found)
    for grid, at in ((overall, 5), (worst, 1)):
        for line, source in zip(grid.rows, grid.sources, strict=True):
            greatest = meant(rows.frame, source.where)["regret"].max()
            assert isinstance(greatest, float)
            assert line[at] == text.ratio(greatest)
    for line, source in zip(kinds.rows, kinds.sources, strict=True):
        assert line[1] == str(meant(rows.frame, source.where).height)


def test_the_tiles_of_a_map_name_their_rows(swept: pathlib.Path) -> None:
    rows = map_rows.rows(read_map(swept))
    assert rows.heat
    tiles = [tile for panel in rows.heat.panels for tile in panel.tiles]
    assert sum(cells for _, _, _, cells, _ in tiles) == 6
    for name, _, _, cells, means in tiles:
        mine = rows.frame.filter(pl.col("tile") == name)
        assert mine.height == cells * len(means)


def test_documents_are_told_by_what_they_share_and_where_they_differ() -> None:
    one = {"path": {"rate": "1Mbps", "back": "1Mbps"}, "flows": [{"size": 1}], "none": []}
    other = {"path": {"rate": "2Mbps", "back": "2Mbps"}, "flows": [{"size": 1}, {"size": 2}]}
    found = together([one, other])
    assert found.shared == [(("flows", 0, "size"), "1")]
    assert found.columns == [
        ([("path", "rate"), ("path", "back")], ['"1Mbps"', '"2Mbps"']),
        ([("none",)], ["[]", None]),
        ([("flows", 1, "size")], [None, "2"]),
    ]


def made_up(count: int) -> pl.DataFrame:
    """Rows of a comparison with times, counts and windows that differ from row to row."""
    draw = random.Random(1)
    names = [f"startup-{i}" for i in range(28)]
    return pl.DataFrame(
        [
            {
                "run": run,
                "variant": names[run % 28],
                "size": "1MB",
                "size_bytes": 1_000_000,
                "seed": run // 28 + 1,
                "flow": 0,
                "tested": True,
                "complete": True,
                "fct_s": draw.lognormvariate(0, 1),
                "duration_s": draw.lognormvariate(0, 1),
                "slowdown": draw.lognormvariate(1, 1),
                "packets_sent": 685 + (sent := int(draw.expovariate(0.02))),
                "packets_dropped": sent,
                "packets_retransmitted": sent + draw.randrange(3),
                "timeouts": draw.randrange(3),
                "startup_exit_reason": draw.choice(["loss", "delay", None]),
                "startup_exit_s": draw.lognormvariate(0, 1),
                "startup_exit_cwnd_segments": draw.lognormvariate(5, 1),
                "bdp_pkts": 333,
                "max_cwnd_segments": draw.lognormvariate(5, 1),
                "max_queue_pkts": draw.randrange(334),
            }
            for run in range(count)
        ]
    )


def test_ten_thousand_rows_take_at_most_500_kilobytes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = ListedRows(made_up(10_000), "comparison-rows", 10_000)
    written = json.dumps(interactive.document(rows), separators=(",", ":"))
    data = len(base64.b64encode(zlib.compress(written.encode(), 9)))
    script = sum(file.stat().st_size for file in REAL.glob("report.*"))
    with capsys.disabled():
        print(f"\nreport of 10,000 rows: {data:,} bytes of data, {script:,} of script")
    assert data + script <= 500_000
