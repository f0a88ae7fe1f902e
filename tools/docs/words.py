"""The words of the pages that a person writes, counted.

    make docs-words    # words and banned words a page, and in total

Code blocks and what `make docs` writes do not count.
"""

import collections
import pathlib
import re

from markdown_it import MarkdownIt

from banned import banned

ROOT = pathlib.Path(__file__).parents[2]
OF_THE_ROOT = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
GENERATED = "<!-- Written by `make docs`"
MEASURED = ("docs/maintainers/coverage.md", "docs/maintainers/speed-record.md")
"""Pages that other targets of the Makefile write."""

_FILLED = re.compile(
    r"^<!-- (?P<mark>[\w ]+) -->$.*?^<!-- end of (?P=mark) -->$", re.MULTILINE | re.DOTALL
)
_DOC_COMMENT = re.compile(r"^\s*//[/!] ?(.*)$", re.MULTILINE)
_LINK = re.compile(r"\]\([^)\s]*\)")
_WORD = re.compile(r"[A-Za-z]{2}")


def pages() -> dict[str, str]:
    """What a person wrote of each page: its name and its text."""
    files = [*map(ROOT.joinpath, OF_THE_ROOT), *sorted((ROOT / "docs").rglob("*.md"))]
    texts = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in files}
    return {
        name: prose(text)
        for name, text in texts.items()
        if not text.startswith(GENERATED) and name not in MEASURED
    }


def doc_comments() -> str:
    """The doc comments of all crates, without code."""
    sources = (file.relative_to(ROOT) for file in (ROOT / "crates").rglob("*.rs"))
    texts = ((ROOT / file).read_text("utf-8") for file in sources if "target" not in file.parts)
    return unquoted("\n".join(line for text in texts for line in _DOC_COMMENT.findall(text)))


def prose(text: str) -> str:
    """A page without code blocks, generated parts and the targets of links."""
    tokens = MarkdownIt().parse(_FILLED.sub("", text))
    return "\n\n".join(_LINK.sub("]", one.content) for one in tokens if one.type == "inline")


def count(text: str) -> int:
    """The words of a text: what has two letters in succession."""
    return sum(bool(_WORD.search(word)) for word in text.split())


def unquoted(text: str) -> str:
    """A text without code in its sentences."""
    return re.sub(r"`[^`]*`", "``", text)


def main() -> None:
    """Prints the counts."""
    written = pages()
    found: collections.Counter[str] = collections.Counter()
    for name, text in sorted(written.items(), key=lambda page: -count(page[1])):
        words = [word.lower() for word in banned(unquoted(text))]
        found.update(words)
        print(f"{count(text):7} {len(words):4}  {name}")
    print(f"{sum(map(count, written.values())):7} {found.total():4}  {len(written)} pages")
    print(", ".join(f"{word} {number}" for word, number in found.most_common()))


if __name__ == "__main__":
    main()
