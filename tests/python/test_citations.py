"""Each section of an RFC that code, comments or pages cite exists in that RFC."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECTIONS = tomllib.loads((ROOT / "tests/data/rfc-sections.toml").read_text())
"""Titles by section and RFC."""
NO_TEXT = {
    "9113": "HTTP/2",
    "9369": "QUIC version 2",
    "9406": "HyStart++",
    "9768": "AccECN",
    "9937": "PRR",
    "9959": "Careful Resume",
}
"""RFCs whose text was not at hand when the table was made."""
SUFFIXES = {".rs", ".py", ".md", ".toml", ".ts", ".c", ".h"}
COMMENT = re.compile(r"\n[ \t]*(?://[/!]?|#+|\*)?[ \t]*")
"""The end of a line of a comment, and what the next begins with."""
NUMBER = r"(?:\d+|[A-Z])(?:\.\d+)*\b"
CITATION = re.compile(
    rf"\bRFC ?(?P<rfc>\d{{3,5}})(?:\]\([^)]*\))?,? ?(?:§|[Ss]ections? |[Aa]ppendix )"
    rf"(?P<sections>{NUMBER}(?:(?: and |-|–|, )§?{NUMBER}(?! ?ms))*)"
)


def citations_of(text: str) -> Iterator[tuple[str, str]]:
    """RFC and section of each citation."""
    for match in CITATION.finditer(COMMENT.sub(" ", text)):
        for section in re.findall(NUMBER, match["sections"]):
            yield match["rfc"], section


@cache
def cited() -> dict[tuple[str, str], str]:
    """A file that has it, by RFC and section."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = [ROOT / name for name in listed.splitlines() if Path(name).suffix in SUFFIXES]
    return {
        citation: str(path.relative_to(ROOT))
        for path in paths
        if path.is_file() and path != Path(__file__)
        for citation in citations_of(path.read_text(errors="replace"))
    }


def test_each_cited_section_exists() -> None:
    unknown = {
        f"RFC {rfc} §{section}": path
        for (rfc, section), path in cited().items()
        if rfc not in NO_TEXT and section not in SECTIONS.get(rfc, {})
    }
    assert unknown == {}


def test_each_rfc_of_the_table_is_cited() -> None:
    assert {rfc for rfc, _ in cited()} == {*SECTIONS, *NO_TEXT}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RFC 5681 §3.1", [("5681", "3.1")]),
        ("RFC 9000, section 17; RFC 9369", [("9000", "17")]),
        ("// (RFC 4782\n/// appendix D: below)", [("4782", "D")]),
        ("RFC 6298 §5.2 and 5.3", [("6298", "5.2"), ("6298", "5.3")]),
        ("RFC 8033 §4.2, RFC 9331 §4", [("8033", "4.2"), ("9331", "4")]),
        ("[RFC 4007 §6](https://x) and RFC 9002 §A.7", [("4007", "6"), ("9002", "A.7")]),
        ("RFC 5681 begins with ten", []),
    ],
)
def test_citations_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert list(citations_of(text)) == expected
