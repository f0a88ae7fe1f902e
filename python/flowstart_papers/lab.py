"""Where experiments run their scenarios: in parallel, and never twice.

The cache keeps readings of runs as Parquet, by scenario, simulator and the code of the reading. A
second time is instant, an interrupted one resumes, and only a change of the simulator or of a
reading runs anything again. Files that nobody has used for a while are removed.
"""

import contextlib
import contextvars
import copy
import functools
import hashlib
import inspect
import io
import json
import os
import pathlib
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import polars as pl

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
Reading = Callable[[Run], Any]
"""A plain function of a module; it returns what JSON can hold and reads nothing but the run."""

UNUSED_DAYS = 60
"""A file of the cache that has not been used for so long is removed."""
WRITE_EVERY_S = 30.0
"""At most so much work is lost to a kill."""
DAY_S = 86_400
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""What differs in an object's text from one process to the next."""


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
        self._known: dict[str, dict[str, Any]] = {}
        """Entries by reading and key: those of this laboratory, and the cache's where asked."""
        self.seconds = 0.0
        """What the runs so far took, those that were kept from earlier included."""

    def frame(
        self,
        scenario: Callable[..., ScenarioLike],
        cases: Sequence[Mapping[str, Any]],
        read: Reading,
        *,
        trace: bool = False,
    ) -> pl.DataFrame:
        """The columns of each case beside what `read` finds in the run of `scenario(**case)`.

        A reading that returns a list gives a row for each of it, which `row` numbers.
        """
        found = self.runs([scenario(**case) for case in cases], read, trace=trace)
        rows = [
            {**case, **row, **case}
            for case, result in zip(cases, found, strict=True)
            for row in _rows(result)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def runs(
        self,
        scenario_likes: Sequence[ScenarioLike],
        read: Callable[[Run], T],
        *,
        trace: bool = False,
    ) -> list[T]:
        """What `read` finds in the run of each scenario, in their order.

        With `trace`, the run has its trace.
        """
        documents = [
            scenarios.document(like) | ({"trace": True} if trace else {}) for like in scenario_likes
        ]
        keys = [_digest(json.dumps(document, sort_keys=True)) for document in documents]
        wanted = dict(zip(keys, documents, strict=True))
        known = self._known.setdefault(_name(read), {})
        new = [key for key in wanted if key not in known]
        if new and (shelf := self._shelf(read)):
            known |= shelf.kept(new)
        missing = {key: wanted[key] for key in new if key not in known}
        self._run(missing, read, known, len(new) - len(missing), len(new))
        self.seconds += sum(known[key]["seconds"] for key in new)
        return [copy.deepcopy(known[key]["read"]) for key in keys]

    def _run(
        self,
        missing: Mapping[str, Document],
        read: Reading,
        known: dict[str, Any],
        done: int,
        total: int,
    ) -> None:
        """Runs what is missing and puts it where the rest is known."""
        shelf, written = self._shelf(read), time.monotonic()
        fresh: dict[str, Any] = {}
        pool = ThreadPoolExecutor(self._workers)
        try:
            futures = {
                # A thread has the limits of this request only in a copy of its context.
                pool.submit(contextvars.copy_context().run, _measure, document, read): key
                for key, document in missing.items()
            }
            with bounds.current().watched():
                for count, future in enumerate(as_completed(futures), done + 1):
                    fresh[futures[future]] = future.result()
                    if shelf and time.monotonic() > written + WRITE_EVERY_S:
                        shelf.keep(fresh)
                        known |= fresh
                        fresh, written = {}, time.monotonic()
                    self._progress(count, total)
        finally:
            known |= fresh
            if shelf and fresh:
                shelf.keep(fresh)
            pool.shutdown(wait=True, cancel_futures=True)

    def _shelf(self, read: Reading) -> "_Shelf | None":
        if self._cache is None:
            return None
        return _Shelf(self._cache / "papers" / _simulator()[:16] / _name(read))


def _rows(result: Any) -> list[dict[str, Any]]:
    if isinstance(result, list):
        return [{"row": i, **row} for i, row in enumerate(result)]
    return [result if isinstance(result, dict) else {"value": result}]


class _Shelf:
    """The files of one reading."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder

    def kept(self, keys: Sequence[str]) -> dict[str, Any]:
        """The entries of these keys that are there and undamaged."""
        found: dict[str, Any] = {}
        for file in self._folder.glob("*.parquet"):
            if files.is_intact(file):
                rows = pl.read_parquet(file).filter(pl.col("key").is_in(keys))
                found |= {key: {"read": json.loads(read), "seconds": seconds}
                          for key, read, seconds in rows.iter_rows()}  # fmt: skip
                if len(rows):
                    os.utime(file)
        return found

    def keep(self, entries: Mapping[str, Any]) -> None:
        """Writes entries in one piece."""
        if not self._folder.exists():
            _evict(self._folder.parent.parent)
        self._folder.mkdir(parents=True, exist_ok=True)
        rows = {
            "key": list(entries),
            "read": [json.dumps(each["read"]) for each in entries.values()],
            "seconds": [each["seconds"] for each in entries.values()],
        }
        content = io.BytesIO()
        pl.DataFrame(rows).write_parquet(content, metadata={files.FIELD: files.BLANK})
        partial = self._folder / f"{secrets.token_hex(8)}.partial"
        partial.write_bytes(files.seal(content.getvalue()))
        partial.replace(partial.with_suffix(".parquet"))


def _evict(cache: pathlib.Path) -> None:
    """Removes files that have not been used for long, and folders that have been empty for long."""
    oldest = time.time() - UNUSED_DAYS * DAY_S
    for place in sorted(cache.rglob("*"), reverse=True):
        # Another process may write into a folder, or evict the same files, at this time.
        with contextlib.suppress(OSError):
            if place.stat().st_mtime >= oldest:
                continue
            if place.is_dir():
                place.rmdir()
            else:
                place.unlink()


def _measure(document: Document, read: Reading) -> dict[str, Any]:
    began = time.perf_counter()
    result = read(simulation.run(document))
    # Through JSON at once, so that a first run and a second one see the same types.
    return {
        "read": json.loads(json.dumps(result, allow_nan=False)),
        "seconds": round(time.perf_counter() - began, 4),
    }


@functools.cache
def _name(read: Reading) -> str:
    """A reading's own name and a digest of its code."""
    return f"{read.__module__.rpartition('.')[2]}.{read.__name__}-{_digest(_code(read))[:16]}"


def _code(read: Reading) -> str:
    """The source of a function, and of what it uses of its own module and of this package's."""
    found: dict[str, str] = {}
    wanted: list[tuple[str, Any]] = [(read.__name__, read)]
    while wanted:
        name, value = wanted.pop()
        if name in found:
            continue
        if isinstance(value, FunctionType | type):
            package, _, _ = __name__.partition(".")
            if not value.__module__.startswith((package, read.__module__)):
                continue
            found[name] = inspect.getsource(value)
            wanted += _used(value) if isinstance(value, FunctionType) else []
        else:
            found[name] = ADDRESS.sub("", repr(value))
    return "\n".join(found[name] for name in sorted(found))


def _used(function: FunctionType) -> list[tuple[str, Any]]:
    """The functions, classes and constants that a function names."""
    scope, names = function.__globals__, set(_names(function.__code__))
    modules = [value for name in names if isinstance(value := scope.get(name), ModuleType)]
    own = [module for module in modules if module.__name__.startswith(__name__.partition(".")[0])]
    found = [(f"{function.__module__}.{name}", scope[name]) for name in names if name in scope]
    found += [(f"{module.__name__}.{name}", vars(module)[name])
              for module in own for name in names if name in vars(module)]  # fmt: skip
    return [(name, value) for name, value in found if not isinstance(value, ModuleType)]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def _simulator() -> str:
    """A fingerprint of the compiled simulator."""
    return hashlib.sha256(pathlib.Path(_native.__file__).read_bytes()).hexdigest()
