"""The explorer's page that needs no server, in the site, and links to it from the site's pages.

It is left out where `make page` could not build it.
"""

import pathlib
import posixpath
import re
import shutil

import flowstart as fs
from flowstart.model.path import named_paths

ROOT = pathlib.Path(__file__).parents[2]
BUILT = ROOT / "out/page"
FOLDER = "try"
"""Where the site has it."""
TITLE = re.compile(r"^# .*$", re.MULTILINE)
PATHS, ALGORITHMS = "paths", "algorithms"
"""Folders whose pages are of a path, or of an algorithm."""
VIEWS = {
    "explorer.md": ("the explore view in this browser", "explore"),
    "tutorial.md": ("a tour of five steps", "tour"),
    "quick-start.md": ("the explore view in this browser", "explore"),
}
"""What other pages link: in words, and as the part of the address after `#`."""


def with_link(markdown: str, name: str) -> str:
    """A page with a link to the explorer below its title, if there is one for it."""
    found = _view(name)
    if found is None or not (BUILT / "index.html").is_file():
        return markdown
    words, state = found
    up = posixpath.relpath(FOLDER, posixpath.dirname(name) or ".")
    # HTML, since mkdocs knows nothing of this page; site_check.py follows the link.
    link = f'<p><a href="{up}/index.html#{state}">Try it</a>: {words}.</p>'
    return TITLE.sub(lambda title: f"{title[0]}\n\n{link}", markdown, count=1)


def _view(name: str) -> tuple[str, str] | None:
    """What a page links."""
    folder, _, file = name.rpartition("/")
    subject = file.removesuffix(".md")
    if folder == PATHS and subject in named_paths():
        state = f"explore?path={subject}&size=10MB&startup=slow-start&startup=hystart"
        return "this path in the explorer", state
    kinds = {one.name: one.kind for one in fs.list_algorithms()}
    if folder == ALGORITHMS and kinds.get(subject) in ("startup", "cc"):
        others = "" if subject == "slow-start" else "startup=slow-start&"
        state = f"explore?rate=50Mbps&rtt=80ms&size=10MB&{others}startup={subject}"
        return "this algorithm in the explorer", state
    return VIEWS.get(name)


def copy(site: pathlib.Path) -> None:
    """Puts the page into a site that is built."""
    if (BUILT / "index.html").is_file():
        shutil.copytree(BUILT, site / FOLDER, dirs_exist_ok=True)
