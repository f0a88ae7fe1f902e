"""Files outside of docs/ that pages link: on the site each has a page, and links lead there.

In the repository `../crates/control/src/lib.rs` is the file itself. On the site that is the page
`source/crates/control/src/lib.rs.md`.
"""

import pathlib
import posixpath
import re
from collections.abc import Iterator, Mapping

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = "source"
ALWAYS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages of the repository's root that the navigation has."""

NOTEBOOKS = "examples/notebooks/"
"""What is here has a page of its own kind."""

_LINK = re.compile(r"(?<=\]\()(?P<file>[^()\s#:]+)(?P<anchor>#[^()\s]*)?(?=\))")
_LANGUAGES = {".rs": "rust", ".py": "python", ".pyi": "python", ".toml": "toml", ".cff": "yaml"}
_UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"


def pages(texts: Mapping[str, str]) -> dict[str, str]:
    """The pages of all files that these pages link, and that those link in turn."""
    found = {_name(file): _page(file) for file in ALWAYS if (ROOT / file).is_file()}
    waiting = [*texts.items(), *found.items()]
    while waiting:
        name, text = waiting.pop()
        for file in _linked(text, name):
            if _name(file) not in found and not file.startswith(NOTEBOOKS):
                found[_name(file)] = _page(file)
                waiting.append((_name(file), found[_name(file)]))
    return found


def with_links(text: str, name: str) -> str:
    """A page of the site, by its name, with links that lead within the site."""

    def lead(found: re.Match[str]) -> str:
        file = _resolved(found["file"], name)
        if file is None:
            return found[0]
        target = file.removeprefix("docs/") if file.startswith("docs/") else _name(file)
        return posixpath.relpath(target, posixpath.dirname(name)) + (found["anchor"] or "")

    return _LINK.sub(lead, text)


def _linked(text: str, name: str) -> Iterator[str]:
    """The files outside of docs/ that a page links."""
    for found in _LINK.finditer(text):
        file = _resolved(found["file"], name)
        if file and not file.startswith("docs/"):
            yield file


def _resolved(link: str, name: str) -> str | None:
    """The file of the repository that a page's link names; None if the page is beside it."""
    page = name.removeprefix(f"{FOLDER}/") if name.startswith(f"{FOLDER}/") else f"docs/{name}"
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
    within = page.startswith("docs/") and file.startswith("docs/")
    return None if within or not (ROOT / file).is_file() else file


def _name(file: str) -> str:
    if file.startswith(NOTEBOOKS):
        return f"notebooks/{pathlib.PurePath(file).stem}.md"
    return f"{FOLDER}/{file}" if file.endswith(".md") else f"{FOLDER}/{file}.md"


def _page(file: str) -> str:
    content = (ROOT / file).read_text("utf-8")
    if file.endswith(".md"):
        return content
    language = _LANGUAGES.get(pathlib.PurePath(file).suffix, "text")
    fence = "`" * (2 + max((len(run) for run in re.findall(r"`+", content)), default=1))
    title = f"# {pathlib.PurePath(file).name}\n\n`{file}`"
    return f"{_UNSEARCHED}{title}\n\n{fence} {language}\n{content.rstrip()}\n{fence}\n"
