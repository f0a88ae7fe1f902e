"""What the documentation site is made of, as far as that needs no mkdocs."""

import pathlib
import re

import pytest

import flowstart as fs
import site_api
import site_check
import site_explorer
import site_nav
import site_sources

pytestmark = pytest.mark.docs

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_navigation() -> None:
    config = (ROOT / "mkdocs.yml").read_text()
    named = set(re.findall(r"^ +- ([\w/.-]+\.md)$", config, re.MULTILINE))
    lists = re.findall(r"^ +- from ([\w/.-]+\.md)$", config, re.MULTILINE)
    texts = {page.relative_to(DOCS).as_posix(): page.read_text() for page in DOCS.rglob("*.md")}
    for page in lists:
        if page in texts:
            named |= set(re.findall(r"[\w/-]+\.md", str(site_nav.listed(page, texts))))
            named.add(page)
    missing = sorted(set(texts) - named)
    assert not missing, f"`nav` of mkdocs.yml is to name {', '.join(missing)}"


def test_every_file_that_its_configuration_names_exists() -> None:
    config = (ROOT / "mkdocs.yml").read_text()
    named = re.findall(r"\b(?:tools/)?docs/[\w/.-]+\.\w+", config)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_public_name_is_on_a_page_of_the_interface() -> None:
    shown = [name for names in site_api.GROUPS.values() for name in names]
    assert sorted([*shown, "__version__"]) == sorted(fs.__all__)
    assert "::: flowstart.compare" in site_api.pages()["api/comparisons.md"]


def test_a_list_in_the_navigation_has_the_sections_of_its_page() -> None:
    texts = {"x/README.md": "# X\n\n- [one](1.md): a\n\n## More\n\n| [`two`](sub/2.md) | b |\n"}
    listed = ["x/README.md", {"one": "x/1.md"}, {"More": [{"two": "x/sub/2.md"}]}]
    assert site_nav.expanded([{"X": ["from x/README.md"]}, "y.md"], texts) == [
        {"X": listed},
        "y.md",
    ]


def test_a_link_to_a_source_leads_to_its_page_and_others_stay() -> None:
    text = "[a](../Makefile#x) [b](paths.md#loss) [c](https://example.org/Makefile)"
    shown = "[a](source/Makefile.md#x) [b](paths.md#loss) [c](https://example.org/Makefile)"
    assert site_sources.with_links(text, "captures.md") == shown


def test_a_link_of_a_source_leads_back_to_the_pages() -> None:
    text = "[Architecture](docs/maintainers/architecture.md#parts), [licence](LICENSE-MIT)"
    shown = "[Architecture](../maintainers/architecture.md#parts), [licence](LICENSE-MIT.md)"
    assert site_sources.with_links(text, "source/CONTRIBUTING.md") == shown


def test_a_link_to_a_notebook_leads_to_the_page_that_shows_what_it_comes_to() -> None:
    text = "[n](../../examples/notebooks/own-capture.ipynb)"
    assert site_sources.with_links(text, "how-to/x.md") == "[n](../notebooks/own-capture.md)"
    assert "own-capture" not in "".join(site_sources.pages({"how-to/x.md": text}))


def test_a_source_has_a_page_with_all_of_it_whatever_backticks_it_has() -> None:
    links = "[a](../docs/stylesheets/site.css) [b](../tools/docs/site_sources.py)"
    pages = site_sources.pages({"x.md": links})
    assert "source/docs/stylesheets/site.css.md" not in pages  # it is within docs/
    pages = site_sources.pages({"x.md": "[a](../examples/limited_slow_start.py)"})
    page = pages["source/examples/limited_slow_start.py.md"]
    assert (ROOT / "examples" / "limited_slow_start.py").read_text().rstrip() in page


def test_a_link_that_leads_nowhere_an_anchor_that_is_not_there_and_a_load_are_noticed(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="sub/a.html#here">x</a> <a href="sub/a.html#gone">x</a> <a href="b.html">x</a>'
        '<script src="https://example.org/x.js"></script> <a href="https://example.org/">x</a>'
    )
    (tmp_path / "sub" / "a.html").write_text('<h1 id="here"></h1><a href="../">up</a><img src="">')
    pages = site_check.read(tmp_path)
    assert sorted(site_check.broken(tmp_path, pages)) == [
        "index.html: b.html leads nowhere",
        "index.html: sub/a.html#gone has no such anchor",
    ]
    assert list(site_check.foreign(pages)) == ["index.html: loads https://example.org/x.js"]


def test_pages_of_paths_and_algorithms_show_the_explorer_where_it_is_built(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "# A title\n\n![A figure](a.svg)\n\n*Its caption.*\n\nWords.\n"
    shown = site_explorer.with_explorer
    monkeypatch.setattr(site_explorer, "BUILT", tmp_path)
    assert shown(text, "reference/paths/satellite.md") == text
    (tmp_path / "index.html").write_text("the page")
    page = shown(text, "reference/paths/satellite.md")
    assert page.startswith("# A title\n\n![A figure](a.svg)\n\n*Its caption.*\n\n<details")
    assert page.endswith("</details>\n\nWords.\n")
    for way in ("src", "href"):
        assert f'{way}="../../try/index.html#explore?path=satellite&' in page
    assert "&startup=hystart" in shown(text, "reference/algorithms/hystart.md")
    assert "stack=rfc:ecn=l4s&" in shown(text, "reference/algorithms/prague.md")
    assert shown("# A title\n", "start/tutorial.md").startswith("# A title\n\n<details")
    assert shown(text, "start/faq.md") == text
