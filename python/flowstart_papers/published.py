"""What a paper published, for experiments that compare it with what they measure."""

import functools
import importlib.resources
import tomllib
from collections.abc import Sequence
from typing import Any

from flowstart_papers import target
from flowstart_papers.target import Target


@functools.cache
def document(package: str) -> dict[str, Any]:
    """The `targets.toml` of a paper's package, or nothing."""
    file = importlib.resources.files(package).joinpath("targets.toml")
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


class Published:
    """The targets of a paper, and the other values that its figures are marked with.

    Where the paper has a number in words ("roughly twice"), or one that is no target, it is in the
    table `printed` of its `targets.toml`.
    """

    def __init__(self, package: str, paper: str) -> None:
        self.targets: Sequence[Target] = target.read(document(package), paper)
        self._by_id = {each.id: each for each in self.targets}
        self._others = document(package).get("printed", {})

    def __getitem__(self, name: str) -> Target:
        return self._by_id[name]

    def number(self, name: str) -> float:
        """The number that the paper prints; of a range without upper end the lower one.

        Raises ValueError where it prints words or two ends.
        """
        if name in self._others:
            return float(self._others[name])
        value = self[name].expected
        if isinstance(value, tuple):
            low, high = value
            value = low if low is not None and high is None else value
        if not isinstance(value, float | int):
            raise ValueError(f"{name}: no number is published")
        return float(value)


@functools.cache
def of(package: str) -> Published:
    """What the paper of a package published."""
    return Published(package, document(package).get("paper", {}).get("name", ""))
