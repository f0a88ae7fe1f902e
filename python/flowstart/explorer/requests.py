"""Requests of the page: bodies, which are limited while they are read, and fields of a type."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.explorer.threads import in_thread

MOST_BYTES = 64_000
"""A state is a few hundred bytes."""
LONGEST = 300
"""Letters of a text that a person gives."""
LARGEST = 10**9


class TooLarge(RequestError):
    """A body is longer than anything that could be right."""


async def read(request: Request) -> bytes:
    """A request's body, unless that is too large."""
    return b"".join([piece async for piece in pieces(request, MOST_BYTES)])


async def pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    """A request's body piece by piece; raises TooLarge once it has more than so many bytes."""
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced[:20]) > most:
        raise _too_large(int(announced[:20]), most)
    length = 0
    async for piece in request.stream():
        length += len(piece)
        if length > most:
            raise _too_large(length, most)
        yield piece


def _too_large(length: int, most: int) -> TooLarge:
    return TooLarge(f"the request has {length} bytes or more; at most {most} are read")


class Fields:
    """The fields of a request; null is as if a field were not there."""

    def __init__(self, body: bytes, known: Sequence[str]) -> None:
        """Raises RequestError where the body is not JSON with fields that are all `known`."""
        self._found: dict[str, Any] = json.loads(_native.request_fields(body, list(known)))

    def __contains__(self, name: str) -> bool:
        """Whether a field is there."""
        return name in self._found

    def any(self, name: str) -> Any:
        """A field of any type; None where it is not there."""
        return self._found.get(name)

    def whole(self, name: str, usual: int | None = None) -> int:
        """A whole number; without `usual` it has to be there."""
        right = f"a whole number from 0 to {LARGEST} is needed"
        number: int = self._checked(
            name, usual, right, lambda value: type(value) is int and 0 <= value <= LARGEST
        )
        return number

    def text(self, name: str, usual: str | None = None) -> str:
        """A text; without `usual` it has to be there."""
        right = f"a text of at most {LONGEST} letters is needed"
        value: str = self._checked(name, usual, right, _is_text)
        return value

    def texts(self, name: str, usual: Sequence[str]) -> list[str]:
        """A list of texts."""
        texts: list[str] = self._checked(
            name,
            list(usual),
            "a list of texts is needed",
            lambda value: isinstance(value, list) and all(map(_is_text, value)),
        )
        return texts

    def flag(self, name: str) -> bool:
        """Whether it is true; false where it is not there."""
        right = "true or false is needed"
        return self._checked(name, False, right, lambda value: isinstance(value, bool)) is True

    def _checked(self, name: str, usual: Any, right: str, is_right: Callable[[Any], bool]) -> Any:
        value = self._found.get(name, usual)
        if is_right(value):
            return value
        problem = "missing;" if value is None else f"`{str(value)[:50]}`:"
        raise RequestError(f"{name}: {problem} {right}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def posted(path: str, known: Sequence[str], answer: Callable[[Fields], Any]) -> Route:
    """An address that takes `known` fields and responds with what `answer` makes of them."""

    async def handle(request: Request) -> Response:
        fields = Fields(await read(request), known)
        return JSONResponse(await in_thread(lambda: answer(fields)))

    return Route(path, handle, methods=["POST"])
