"""The page: one HTML document that holds its script and its style."""

import base64
import gzip
import hashlib
import importlib.resources
import json
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass

from flowstart.errors import RequestError
from flowstart.explorer.about import about
from flowstart.explorer.settings import PageSettings

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{policy}<title>flowstart</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="app"><noscript>The explorer needs JavaScript.</noscript></div>
{data}<script>{script}</script>
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """The page, and what a browser may do with it."""

    html: bytes
    policy: str
    """Its Content-Security-Policy: this script and this style, and requests to this server."""


def page() -> Page:
    """The page as it was built; raises RequestError where it was not."""
    script, style = _parts()
    policy = _written(_policy(script, style) | {"connect-src": "'self'", **_FRAMES})
    return Page(_document(script, style).encode(), policy)


def static_page(engine: bytes, settings: PageSettings, sample: pathlib.Path) -> bytes:
    """The page with the simulator as a module of WebAssembly, which needs no server.

    `sample` is a capture that it offers to read.
    """
    script, style = _parts()
    policy = _policy(script, style)
    policy["script-src"] += " 'wasm-unsafe-eval'"
    policy["worker-src"] = "blob:"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{_written(policy)}">\n'
    choices = json.dumps({"about": about(settings), "settings": settings.document})
    choices = choices.replace("<", "\\u003c")
    packed, example = _encoded(gzip.compress(engine, mtime=0)), _encoded(sample.read_bytes())
    data = (
        f'<script type="application/json" id="choices">{choices}</script>\n'
        f'<script type="text/plain" id="sample" data-name="{sample.name}">{example}</script>\n'
        f'<script type="text/plain" id="engine">{packed}</script>\n'
    )
    return _document(script, style, meta, data).encode()


_FRAMES = {"frame-ancestors": "'none'"}
"""Which pages may show the page of a server within themselves."""


def _document(script: str, style: str, policy: str = "", data: str = "") -> str:
    document = _DOCUMENT.replace("{policy}", policy).replace("{style}", style)
    # Last, since a script may have anything in it.
    return document.replace("{data}", data, 1).replace("{script}", script, 1)


def _parts() -> tuple[str, str]:
    """Script and style."""
    script, style = _part("explorer.js"), _part("explorer.css")
    if "</script" in script.lower() or "</style" in style.lower():
        raise RequestError("the explorer's page ends its own script or style; build it again")
    return script, style


def _policy(script: str, style: str) -> dict[str, str]:
    """This script and this style, and nothing from elsewhere."""
    return {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _written(policy: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {value}" for name, value in policy.items())


def _part(name: str) -> str:
    """A file of the built page."""
    file = importlib.resources.files("flowstart.render").joinpath("page", name)
    if not file.is_file():
        raise RequestError("the explorer's page is not built: run `make page`, or install a wheel")
    return file.read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
