"""What the paper published: the targets, and the values that its figures are marked with."""

import importlib.resources
import tomllib
from collections.abc import Mapping

from flowstart.papers import target

PACKAGE = "flowstart.papers.jump_start"
TARGETS = target.read(PACKAGE, "jump-start")


def _in_words() -> Mapping[str, float]:
    text = importlib.resources.files(PACKAGE).joinpath("published.toml").read_text("utf-8")
    return {name: float(value) for name, value in tomllib.loads(text).items()}


def number(name: str) -> float:
    """The number that the paper prints of a target; of one without upper end the lower."""
    worded = _in_words()
    if name in worded:
        return worded[name]
    (expected,) = (each.expected for each in TARGETS if each.id == name)
    value = expected[0] if isinstance(expected, tuple) else expected
    if not isinstance(value, float | int):
        raise ValueError(f"{name}: no number is published")
    return float(value)
