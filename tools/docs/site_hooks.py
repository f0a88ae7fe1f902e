"""What the documentation site adds to the pages of docs/ while it is built; mkdocs calls this.

Written then, and nowhere in the repository, are the Python interface, out of its docstrings; the
notebooks with what their cells come to; the sources that pages link; and the Rust interfaces.
"""

import pathlib
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

import site_api
import site_explorer
import site_nav
import site_notebooks
import site_rust
import site_sources

ROOT = pathlib.Path(__file__).parents[2]
WORKER = "javascripts/iframe-worker.js"
WORKER_SOURCE = "web/node_modules/iframe-worker/shim/index.js"
"""What the search needs where pages are files, which browsers let start no worker."""


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are written now, and the navigation's lists of pages."""
    written = site_api.pages() | {site_rust.NAME: site_rust.page()}
    pictures: dict[str, bytes] = {}
    for notebook in site_notebooks.NOTEBOOKS:
        shown = site_notebooks.page(notebook)
        written[shown.name] = shown.text
        pictures |= shown.pictures
    for name, content in (written | pictures).items():
        files.append(File.generated(config, name, content=content))
    files.append(File.generated(config, WORKER, abs_src_path=str(ROOT / WORKER_SOURCE)))
    for name, text in site_sources.pages(_texts(files)).items():
        file = File.generated(config, name, content=text)
        file.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(file)
    config.nav = site_nav.expanded(config.nav, _texts(files))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page whose links to sources lead to the pages of these, with the explorer."""
    name = page.file.src_uri
    return site_explorer.with_explorer(site_sources.with_links(markdown, name), name)


def on_post_build(config: Any, **_: Any) -> None:
    """Adds rustdoc's pages, and the explorer's page that needs no server."""
    site_rust.copy(pathlib.Path(config.site_dir))
    site_explorer.copy(pathlib.Path(config.site_dir))


def _texts(files: Files) -> dict[str, str]:
    return {
        file.src_uri: file.content_string
        for file in files.documentation_pages(inclusion=InclusionLevel.is_included)
    }
