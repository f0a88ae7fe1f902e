"""The navigation's lists of pages: `from paths/README.md` in mkdocs.yml is what that page lists.

Whoever adds an algorithm or a path has its page in the navigation without naming it there.
"""

import posixpath
import re
from collections.abc import Mapping
from typing import Any

_FROM = "from "


def expanded(nav: list[Any], texts: Mapping[str, str]) -> list[Any]:
    """A navigation with the lists in it that `from PAGE` stands for; `texts` are all pages'."""
    found: list[Any] = []
    for item in nav:
        if isinstance(item, str) and item.startswith(_FROM):
            found += listed(item.removeprefix(_FROM), texts)
        elif isinstance(item, dict):
            found.append({title: _inner(inner, texts) for title, inner in item.items()})
        else:
            found.append(item)
    return found


def _inner(inner: Any, texts: Mapping[str, str]) -> Any:
    return expanded(inner, texts) if isinstance(inner, list) else inner


def listed(page: str, texts: Mapping[str, str]) -> list[Any]:
    """The page, and in sections as it has them the pages of its own folder that it links."""
    folder = posixpath.dirname(page)
    title, *sections = re.split(r"^## ", texts[page], flags=re.MULTILINE)
    found: list[Any] = [page, *_links(title, folder)]
    for section in sections:
        heading, _, body = section.partition("\n")
        links = _links(body, folder)
        found += [{heading: links}] if links else []
    return found


def _links(text: str, folder: str) -> list[dict[str, str]]:
    """The pages at the beginning of a table's row or of a list's item."""
    links = re.findall(r"^(?:\| |- )\[([^\]]+)\]\(([\w/-]+\.md)\)", text, re.MULTILINE)
    return [{name.strip("`"): posixpath.join(folder, file)} for name, file in links]
