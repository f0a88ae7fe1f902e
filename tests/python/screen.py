"""Whether a command answers on one screen."""

import re
from typing import Any


def on_one_screen(answer: Any, first: str) -> list[str]:
    """The lines of an answer that fits, and that has `first` among its first ten."""
    assert answer.status == 0, answer.err
    lines: list[str] = answer.out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert re.search(first, " ".join(lines[:10]))
    return lines
