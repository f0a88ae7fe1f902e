"""The explorer's page that needs no server, in the site, and within the site's pages.

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
FIGURE = re.compile(r"^!\[.*\]\(.*\)$(\n\n\*.*\*$)?", re.MULTILINE)
"""A figure with its caption."""
PATHS, ALGORITHMS = "reference/paths", "reference/algorithms"
"""Folders whose pages are of a path, or of an algorithm."""
VIEWS = {
    "guides/explorer.md": ("the explore view in this browser", "explore"),
    "start/tutorial.md": ("a tour of five steps", "tour"),
    "start/quick-start.md": ("the explore view in this browser", "explore"),
}
"""What other pages show: in words, and as the part of the address after `#`."""
STAGES = {
    "startup": ("size=3MB&rtt=100ms", "slow-start"),
    "cc": ("size=100MB&rtt=50ms", "reno"),
}
"""What an algorithm's figure is drawn with, by kind, and what stands pale behind it."""


def with_explorer(markdown: str, name: str) -> str:
    """A page with the explorer below its first figure, or its title, if it has a state for it.

    It is loaded when a reader opens it.
    """
    found = _view(name)
    if found is None or not (BUILT / "index.html").is_file():
        return markdown
    words, state = found
    up = posixpath.relpath(FOLDER, posixpath.dirname(name) or ".")
    address = f"{up}/index.html#{state}"
    # HTML, since mkdocs knows nothing of this page; site_check.py follows the link.
    shown = (
        f'<details class="try"><summary>Try it: {words}</summary>'
        f'<iframe loading="lazy" src="{address}" title="{words}"></iframe>'
        f'<p><a href="{address}">Open it on a separate page</a></p></details>'
    )
    place = FIGURE.search(markdown) or TITLE.search(markdown)
    end = place.end() if place else 0
    return f"{markdown[:end]}\n\n{shown}{markdown[end:]}"


def _view(name: str) -> tuple[str, str] | None:
    """What a page shows."""
    folder, _, file = name.rpartition("/")
    subject = file.removesuffix(".md")
    if folder == PATHS and subject in named_paths():
        state = f"explore?path={subject}&size=10MB&startup=slow-start&startup=hystart"
        return "this path in the explorer", state
    found = next((one for one in fs.list_algorithms() if one.name == subject), None)
    if folder == ALGORITHMS and found and found.kind in STAGES:
        traffic, pale = STAGES[found.kind]
        stack = "rfc:ecn=l4s&queue=dualpi2" if "l4s" in found.needs else "rfc"
        startups = "&".join(f"startup={one}" for one in dict.fromkeys((pale, subject)))
        state = f"explore?rate=20Mbps&buffer=1bdp&{traffic}&stack={stack}&{startups}"
        return "this algorithm in the explorer", state
    return VIEWS.get(name)


def copy(site: pathlib.Path) -> None:
    """Puts the page into a site that is built."""
    if (BUILT / "index.html").is_file():
        shutil.copytree(BUILT, site / FOLDER, dirs_exist_ok=True)
