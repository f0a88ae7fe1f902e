"""Checks a site that is built: every link of its own leads somewhere, and nothing is loaded.

`site_check.py FOLDER` follows the links within the site, with their anchors, and refuses whatever
a page would load from elsewhere. With `--external` it also asks whether the pages elsewhere that
the site links are there, and lists those that are not or that could not be asked for.
"""

import pathlib
import posixpath
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

import site_explorer
import site_rust

LOADING = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
}
"""What a browser fetches by itself, by tag and attribute."""
NOT_FETCHED = {"canonical", "next", "prev", "alternate"}
"""Kinds of `<link>` that no browser follows by itself."""
SECONDS = 15
AT_ONCE = 8


class Page(HTMLParser):
    """What a page links, loads, and can be linked at."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes down what a tag links or loads."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if not set(given.get("rel", "").split()) & NOT_FETCHED:
            self.loads += [given[name] for name in LOADING.get(tag, ()) if name in given]


def main(arguments: list[str]) -> int:
    """Checks a site; returns the exit status."""
    folder = pathlib.Path(arguments[0])
    pages = read(folder)
    wrong = sorted({*broken(folder, pages), *foreign(pages)})
    links = sum(len(page.links) + len(page.loads) for page in pages.values())
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    print(f"{folder}: {len(pages)} pages, {links} links within, {len(wrong)} wrong")
    if "--external" in arguments[1:]:
        report_external(pages)
    return 1 if wrong else 0


def read(folder: pathlib.Path) -> dict[str, Page]:
    """The pages of a site by their places, without those of rustdoc and of the explorer."""
    others = tuple(f"{name}/" for name in (site_rust.FOLDER, site_explorer.FOLDER))
    found = {}
    for file in sorted(folder.rglob("*.html")):
        place = file.relative_to(folder).as_posix()
        if place.startswith(others):
            continue
        page = Page()
        page.feed(file.read_text("utf-8"))
        found[place] = page
    return found


def broken(folder: pathlib.Path, pages: dict[str, Page]) -> Iterator[str]:
    """The links within a site that lead nowhere."""
    for place, page in pages.items():
        for link in (*page.links, *page.loads):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
                continue
            target = _target(place, urllib.parse.unquote(parts.path))
            if not (folder / target).is_file():
                yield f"{place}: {link} leads nowhere"
            elif parts.fragment and target in pages:
                known = pages[target].anchors
                if urllib.parse.unquote(parts.fragment) not in known:
                    yield f"{place}: {link} has no such anchor"


def _target(place: str, path: str) -> str:
    """The file of a site that a link on one of its pages names."""
    if not path:
        return place
    # Only the page for what is not there has links from the root, for nobody knows where it stands.
    joined = posixpath.normpath(posixpath.join("/", posixpath.dirname(place), path)).lstrip("/")
    is_folder = posixpath.basename(path) in ("", ".", "..")
    return posixpath.join(joined, "index.html") if is_folder else joined


def foreign(pages: dict[str, Page]) -> Iterator[str]:
    """What pages would load from elsewhere."""
    for place, page in pages.items():
        for load in page.loads:
            if urllib.parse.urlsplit(load).scheme in ("http", "https") or load.startswith("//"):
                yield f"{place}: loads {load}"


def report_external(pages: dict[str, Page]) -> None:
    """Says which linked pages elsewhere are not there, or could not be asked for."""
    links = sorted(
        {
            link.partition("#")[0]
            for page in pages.values()
            for link in page.links
            if link.startswith(("http://", "https://"))
        }
    )
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(links, pool.map(_asked, links), strict=True))
    failed = {link: answer for link, answer in answers.items() if answer}
    for link, answer in failed.items():
        print(f"{link}: {answer}", file=sys.stderr)
    print(f"{len(links)} links to elsewhere: {len(links) - len(failed)} there, {len(failed)} not")


def _asked(link: str) -> str:
    """Why a page elsewhere cannot be read; nothing if it can."""
    request = urllib.request.Request(link, headers={"User-Agent": "flowstart-docs"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):
            return ""
    except urllib.error.HTTPError as error:
        return f"status {error.code}"
    except (OSError, ValueError) as error:
        return f"could not be asked for: {getattr(error, 'reason', error)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
