"""Shares as people write them."""

import re

from flowstart.errors import RequestError


def share(name: str, text: str) -> float:
    """`10%` as a share of one; `name` is the option's."""
    if found := re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*%", text.strip()):
        return float(found[1]) / 100
    option = name.replace("_", "-")
    raise RequestError(f"--{option} `{text}`: a share is needed, such as 10%")
