"""The pages are what `make docs` would write. That what they show runs: test_pages.py."""

import pathlib
import re
import xml.etree.ElementTree as ET

import numpy as np
import polars
import pytest

import flowstart as fs
import pages
import pictures
import published
import tables
from figure import stepped

pytestmark = pytest.mark.docs

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_no_page_is_stale() -> None:
    stale = sorted(str(path.relative_to(ROOT)) for path in pages.stale())
    assert not stale, "run `make docs` and look at what it changes"


def test_the_scenario_of_the_page_on_web_sessions_runs_and_its_filter_finds_responses(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "guides" / "web-sessions.md").read_text()
    blocks = {
        language: re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)[0]
        for language in ("toml", "python")
    }
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "web.toml").write_text(blocks["toml"])
    monkeypatch.chdir(tmp_path)
    names = {"fs": fs, "pl": polars}
    *lines, last = blocks["python"].splitlines()
    exec("\n".join(lines), names)
    handshake_and_two_rounds = 3 * 0.064
    assert handshake_and_two_rounds < eval(last, names) < 1
    assert names["run"].objects["session"].n_unique() == 50


def test_what_is_stale_is_noticed() -> None:
    for old in ("", "yesterday\n"):
        block = f"<!-- examples/cautious_start.py -->\n```python\n{old}```\n\n"
        shown = pages.with_code(f"before\n\n{block}between\n\n{block}after\n")
        assert shown.count("class CautiousStart") == 2
        assert "yesterday" not in shown
        assert [word in shown for word in ("before", "between", "after")] == [True] * 3
        assert pages.with_code(shown) == shown


def test_a_stale_table_is_noticed() -> None:
    marked = "before\n<!-- named paths -->\n| old |\n<!-- end of named paths -->\nafter\n"
    shown = tables.with_tables(marked)
    assert "| old |" not in shown
    assert "| [`wifi`](paths/wifi.md) |" in shown
    assert shown.startswith("before\n<!-- named paths -->\n| name |")
    assert shown.endswith(" |\n<!-- end of named paths -->\nafter\n")


def test_a_line_in_a_figure_holds_its_values_and_keeps_what_happens_within_a_pixel() -> None:
    columns = np.array([10, 10, 10, 10, 10, 20, 30])
    values = [4.0, 9.0, 5.0, 1.0, 3.0, 3.0, 7.0]
    assert stepped(columns, values, lambda value: value) == "M10 4H10V9H10V1H10V3H30V7H30"


def test_every_algorithm_has_a_page_and_a_figure() -> None:
    listed = (DOCS / "reference" / "algorithms" / "README.md").read_text()
    for algorithm in (a for a in fs.list_algorithms() if a.kind in pages.KINDS):
        stem = pages.stem(algorithm)
        page = (DOCS / "reference" / "algorithms" / f"{stem}.md").read_text()
        assert algorithm.source in page
        assert all(f"| `{parameter.name}` |" in page for parameter in algorithm.params)
        assert ("in parts a reconstruction" in page) == algorithm.reconstructed
        assert f"]({stem}.md)" in listed
        figure = (DOCS / "reference" / "algorithms" / f"{stem}.svg").read_text()
        assert ET.fromstring(figure).tag.endswith("svg")
        assert len(figure) < 40_000


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def slug(heading: str) -> str:
    """A heading's anchor, as GitHub and the site make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def test_anchors_of_links_between_pages_exist() -> None:
    missing = []
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for target, anchor in re.findall(r"\]\(([^)#:]*\.md)#([^)]+)\)", page.read_text()):
            headings = re.findall(r"^#+ (.*)$", (page.parent / target).read_text(), re.MULTILINE)
            if anchor not in map(slug, headings):
                missing.append(f"{page.name}: {target}#{anchor}")
    assert missing == []


def test_the_python_example_does_what_the_rust_one_does() -> None:
    # The tests of crates/sim/examples/cautious_start.rs have the same numbers.
    name = f"{ROOT / 'examples' / 'cautious_start.py'}:CautiousStart"
    path = fs.NetworkPath(rate="20Mbps", rtt="100ms")
    row = fs.compare(path, startups=[name], sizes=["3MB"], stack="rfc").records[0]
    assert row["startup_exit_reason"] == "delay"
    assert row["startup_exit_cwnd_segments"] == 158
    assert row["packets_dropped"] == 0


def test_every_startup_has_published_figures_or_a_reason_why_not() -> None:
    startups = [a.name for a in fs.list_algorithms("startup")]
    reasons = {name for name in startups if isinstance(published.of(name), str)}
    assert reasons == set(published.reasons())
    assert {name for name, _ in published.everything()} == set(startups) - reasons


def test_a_published_figure_beyond_its_tolerance_is_missed() -> None:
    figures = {one.what: one for name, one in published.everything() if name == "suss"}
    lost = figures["packets lost of 20 MB on the same path"]
    assert (lost.published, lost.agrees) == ("35 packets", False)
    assert "**missed**" in published.table([lost])


def test_every_miss_of_a_published_figure_has_a_cause_or_is_open() -> None:
    missed = [one for _, one in published.everything() if not one.agrees]
    assert [one.startup for one in missed if one.group != published.PAPERS and not one.why] == []


def test_the_examples_of_the_page_on_crates_are_those_that_the_crates_run() -> None:
    examples = re.findall(
        r"```rust\n(.*?)```", (DOCS / "reference" / "rust.md").read_text(), re.DOTALL
    )
    run = "".join(file.read_text() for file in ROOT.glob("crates/*/README.md"))
    assert len(examples) == 3
    for example in examples:
        assert example in run


def test_every_published_crate_runs_the_example_of_its_readme() -> None:
    for manifest in ROOT.glob("crates/*/Cargo.toml"):
        crate = manifest.parent
        if "publish = false" in manifest.read_text():
            continue
        assert "```rust\n" in (crate / "README.md").read_text(), crate.name
        assert '#![doc = include_str!("../README.md")]' in (crate / "src/lib.rs").read_text()


def test_every_picture_has_its_inputs() -> None:
    names = {file.stem for file in (DOCS / "images").glob("*.png")}
    assert names == {*pictures.INPUTS, "demo"}


@pytest.mark.parametrize("name", pictures.INPUTS)
def test_no_picture_has_inputs_that_have_changed(name: str) -> None:
    assert name not in pictures.stale(), "draw it anew: make grid, gauge, screenshots or papers"


def test_a_changed_input_makes_a_picture_stale(tmp_path: pathlib.Path) -> None:
    for pattern in pictures.INPUTS["map"]:
        file = tmp_path / pattern
        file.parent.mkdir(parents=True)
        file.write_bytes((ROOT / pattern).read_bytes())
    assert pictures.digest("map", tmp_path) == pictures.digest("map")
    file.write_text(file.read_text("utf-8") + "1\n", "utf-8")
    assert pictures.digest("map", tmp_path) != pictures.digest("map")
