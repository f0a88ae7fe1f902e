"""Shares as people write them."""

import re

from flowstart.errors import RequestError


def share(name: str, given: object) -> float:
    """`10%`, or a number from Python, as a share of one; `name` is the argument's."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given)
    if isinstance(given, str) and (
        found := re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*%", given.strip())
    ):
        return float(found[1]) / 100
    raise RequestError(f"{name}: `{given}`: a share is needed, such as 10%")
