"""What the server sends back, and what every answer says to the browser."""

import json as encoding

from starlette.responses import Response

SAFE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer."""


def json(document: object, status: int = 200) -> Response:
    """An answer in JSON."""
    text = encoding.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return written(text, status)


def written(text: str, status: int = 200) -> Response:
    """An answer that is JSON already."""
    return Response(text.encode(), status, SAFE, "application/json")


def binary(frame: bytes) -> Response:
    """An answer with a binary tail."""
    return Response(frame, headers=SAFE, media_type="application/octet-stream")


def html(page: bytes, policy: str) -> Response:
    """A page with its Content-Security-Policy."""
    return Response(
        page, headers=SAFE | {"Content-Security-Policy": policy}, media_type="text/html"
    )


def refusal(status: int, sentence: str) -> Response:
    """A refusal: one sentence, as JSON."""
    return json({"error": " ".join(sentence.split())}, status)
