"""The page: one HTML document that holds its script and its style."""

import base64
import hashlib
import importlib.resources
from dataclasses import dataclass

from flowstart.errors import RequestError

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>flowstart</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="app"><noscript>The explorer needs JavaScript.</noscript></div>
<script>{script}</script>
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
    script, style = _part("explorer.js"), _part("explorer.css")
    if "</script" in script.lower() or "</style" in style.lower():
        raise RequestError("the explorer's page ends its own script or style; build it again")
    html = _DOCUMENT.replace("{style}", style).replace("{script}", script)
    policy = {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "img-src": "data: blob:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return Page(html.encode(), "; ".join(f"{name} {value}" for name, value in policy.items()))


def _part(name: str) -> str:
    """A file of the built page."""
    place = importlib.resources.files("flowstart.render").joinpath("page", name)
    if not place.is_file():
        raise RequestError("the explorer's page is not built: run `make page`, or install a wheel")
    return place.read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
