"""Shares as people write them on the command line."""

import re

from flowstart.cli.flags import option
from flowstart.errors import RequestError


def share(name: str, text: str) -> float:
    """`10%` as a share of one; `name` is the option's."""
    if found := re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*%", text.strip()):
        return float(found[1]) / 100
    raise RequestError(f"{option(name)} `{text}`: a share is needed, such as 10%")
