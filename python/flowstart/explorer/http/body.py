"""The bodies of requests, which are limited while they are read."""

import json
from collections.abc import AsyncIterator
from typing import Any, NoReturn

from starlette.requests import Request

from flowstart.errors import RequestError

MOST_BYTES = 64_000
"""A state is a few hundred bytes."""


class TooLarge(RequestError):
    """A body is longer than anything that could be right."""


async def document(request: Request, most: int = MOST_BYTES) -> Any:
    """The JSON of a request's body of at most so many bytes."""
    text = await read(request, most)
    try:
        found = json.loads(text.decode("utf-8"), parse_constant=_no_number)
        json.dumps(found, ensure_ascii=False).encode()  # raises where a text is half a character
        return found
    except RecursionError:
        raise RequestError("the request is not JSON: it is nested too deeply") from None
    except RequestError:
        raise
    except ValueError as error:  # also what is not Unicode, and numbers of thousands of digits
        raise RequestError(f"the request is not JSON: {str(error)[:100]}") from None


async def read(request: Request, most: int = MOST_BYTES) -> bytes:
    """A request's body of at most so many bytes."""
    return b"".join([piece async for piece in pieces(request, most)])


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


def _no_number(name: str) -> NoReturn:
    raise RequestError(f"the request is not JSON: `{name}` is no number of JSON")
