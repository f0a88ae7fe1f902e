"""Names with parameters as people write them: `limited-slow-start:max_ssthresh=100`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flowstart._native import split
from flowstart.errors import RequestError

ALL, UNAIDED = "all", "unaided"
"""What stands for several startups: the catalog's, and those of it that need no help."""


def listed(option: str, text: str | None, usual: Sequence[str]) -> Sequence[str]:
    """A list option's pieces, or `usual` where it is not given; empty text is refused."""
    if text is None:
        return usual
    pieces = split(text)
    if not pieces:
        raise RequestError(f"--{option} `{text}`: empty; leave it out for the usual ones")
    if "" in (piece.strip() for piece in text.split(",")):
        raise RequestError(f"--{option} `{text}`: empty at a comma; leave the comma out")
    return pieces


def texts(what: str, values: Sequence[str]) -> Sequence[str]:
    """`values`, which must be a list of text: a lone word would be taken letter by letter."""
    if isinstance(values, str) or not all(isinstance(piece, str) for piece in values):
        raise RequestError('a list of text is needed, such as ["..."]', (what,), repr(values))
    return values


def unique(what: str, values: Sequence[str]) -> tuple[str, ...]:
    """`values` as a tuple; refuses an empty list and what is given twice."""
    texts(what, values)
    if not values:
        raise RequestError(f"no {what} is given")
    twice = next((g for i, g in enumerate(values) if g in values[:i]), None)
    if twice is not None:
        raise RequestError(f"{what} `{twice}` is given twice")
    return tuple(values)


def pairs(fields: Mapping[str, Any]) -> str:
    """Names and values in order, as the simulator's text."""
    return json.dumps(list(fields.items()), default=str)
