"""What a paper published, for experiments that set it beside what they measure."""

import importlib.resources
import tomllib
from collections.abc import Sequence

from flowstart_papers import target
from flowstart_papers.target import Target


class Published:
    """The targets of a paper, and the other values that its figures are marked with.

    The targets stand in the `targets.toml` of its package. Where the paper has a number in words
    ("roughly twice"), or one that is no target, it stands in `published.toml` beside them.
    """

    def __init__(self, package: str, paper: str) -> None:
        self.targets: Sequence[Target] = target.read(package, paper)
        self._by_id = {each.id: each for each in self.targets}
        file = importlib.resources.files(package).joinpath("published.toml")
        self._others = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}

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
