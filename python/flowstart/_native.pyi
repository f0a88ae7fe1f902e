"""The simulator, compiled: scenarios are JSON text, results are columns."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypedDict

Columns: TypeAlias = dict[str, list[Any]]

class Outcomes(TypedDict):
    runs: Columns
    flows: Columns
    transfers: Columns
    links: Columns

class Outcome(Outcomes):
    trace: dict[str, dict[str, Any]] | None

class Batch(Outcomes):
    interrupted: bool

def run(scenario: str) -> Outcome: ...
def run_many(
    scenarios: list[str],
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Batch: ...
def resolve(scenario: str) -> str: ...
def read_capture(path: str, progress: Callable[[int, int | None], object] | None = None) -> str: ...
def catalog() -> str: ...
def schema(kind: str) -> str: ...
def version() -> str: ...
