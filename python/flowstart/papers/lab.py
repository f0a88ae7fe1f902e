"""Where experiments run their scenarios: in parallel, and never twice.

What a scenario came to is kept by content: the scenario, the simulator, and the source of the
module that reads the run. A second time is instant, an interrupted one goes on where it was, and a
change of the simulator or of a reading runs again what it touches.
"""

import ast
import contextvars
import copy
import functools
import hashlib
import importlib
import inspect
import json
import os
import pathlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypeVar

from flowstart import _native
from flowstart.model import scenario as scenarios
from flowstart.model.document import Document
from flowstart.model.scenario import ScenarioLike
from flowstart.render import files
from flowstart.simulation import bounds
from flowstart.simulation import run as simulation
from flowstart.simulation.batch import cores
from flowstart.simulation.run import Run

T = TypeVar("T")
Progress = Callable[[int, int], object]


def default_cache() -> pathlib.Path:
    """`FLOWSTART_CACHE`, or `flowstart` in the user's cache folder."""
    given = os.environ.get("FLOWSTART_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(given) if given else pathlib.Path(base) / "flowstart"


class Lab:
    """Runs scenarios for an experiment and keeps what was read from them."""

    def __init__(
        self,
        cache: pathlib.Path | None,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`cache` is the folder to keep results in, None for none; `workers` all cores."""
        self._cache = cache
        self._workers = workers or cores()
        self._progress = progress or (lambda _done, _total: None)
        self._found: dict[str, Any] = {}
        """What was asked of this laboratory before."""
        self.seconds = 0.0
        """What the runs so far took, those that were kept from earlier included."""

    def runs(
        self,
        scenario_likes: Sequence[ScenarioLike],
        read: Callable[[Run], T],
        *,
        trace: bool = False,
    ) -> list[T]:
        """What `read` finds in the run of each scenario, in their order.

        `read` is a plain function of a module that returns what JSON can hold; it may read
        nothing but the run. With `trace`, the run has its trace.
        """
        documents = [
            scenarios.document(like) | ({"trace": True} if trace else {}) for like in scenario_likes
        ]
        keys = [_key(document, read) for document in documents]
        wanted = dict(zip(keys, documents, strict=True))
        new = {key: document for key, document in wanted.items() if key not in self._found}
        found = {key: kept for key in new if (kept := self._kept(key)) is not None}
        self._run_missing(new, read, found)
        self._found |= found
        self.seconds += sum(entry["seconds"] for entry in found.values())
        return [copy.deepcopy(self._found[key]["read"]) for key in keys]

    def _run_missing(
        self, wanted: Mapping[str, Document], read: Callable[[Run], Any], found: dict[str, Any]
    ) -> None:
        """Runs those that are not in `found` and puts them there."""
        pool = ThreadPoolExecutor(self._workers)
        try:
            futures = {
                # A thread has the limits of this request only in a copy of its context.
                pool.submit(contextvars.copy_context().run, _measure, document, read): key
                for key, document in wanted.items()
                if key not in found
            }
            with bounds.current().watched():
                for future in as_completed(futures):
                    key = futures[future]
                    found[key] = future.result()
                    self._keep(key, found[key])
                    self._progress(len(found), len(wanted))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _place(self, key: str) -> pathlib.Path | None:
        return self._cache / "papers" / key[:2] / f"{key}.json" if self._cache else None

    def _kept(self, key: str) -> Any:
        place = self._place(key)
        return json.loads(place.read_bytes()) if place and files.is_intact(place) else None

    def _keep(self, key: str, entry: Any) -> None:
        place = self._place(key)
        if place is None:
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        partial = place.with_suffix(f".{secrets.token_hex(8)}")
        partial.write_bytes(files.document(entry))
        partial.replace(place)


def _measure(document: Document, read: Callable[[Run], Any]) -> dict[str, Any]:
    began = time.perf_counter()
    result = read(simulation.run(document))
    # Through JSON at once, so that a first run and a second one see the same types.
    return {
        "read": json.loads(json.dumps(result, allow_nan=False)),
        "seconds": round(time.perf_counter() - began, 4),
    }


def _key(document: Document, read: Callable[[Run], Any]) -> str:
    parts = [
        json.dumps(document, sort_keys=True),
        read.__qualname__,
        _source(read.__module__),
        _simulator(),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def _source(module: str) -> str:
    """The text of a module, and of those of the papers' that it imports, directly or not."""
    found: dict[str, str] = {}
    wanted = [module]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = pathlib.Path(inspect.getfile(importlib.import_module(name))).read_text(
                encoding="utf-8"
            )
            wanted += _imported(found[name])
    return "".join(found[name] for name in sorted(found))


def _imported(source: str) -> list[str]:
    """The modules of the papers that a source imports."""
    froms = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    names = [
        name
        for node in froms
        if (node.module or "").startswith("flowstart.papers")
        for name in (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))
    ]
    return [name for name in names if _is_module(name)]


def _is_module(name: str) -> bool:
    """Whether it is a module, and no package and no name in one."""
    parent, _, last = name.rpartition(".")
    folder = pathlib.Path(inspect.getfile(importlib.import_module(parent))).parent
    package = hasattr(importlib.import_module(parent), "__path__")
    return package and (folder / f"{last}.py").exists()


@functools.cache
def _simulator() -> str:
    """A fingerprint of the compiled simulator."""
    return hashlib.sha256(pathlib.Path(_native.__file__).read_bytes()).hexdigest()
