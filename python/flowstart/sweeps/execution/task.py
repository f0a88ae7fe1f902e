"""What a worker does with a batch, wherever it is."""

import functools
import hashlib
import inspect
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from flowstart import _native
from flowstart.errors import RequestError, SimulationError
from flowstart.model import custom, imported, input_files
from flowstart.model.custom import CustomStartups, Portable
from flowstart.model.startup import Startup
from flowstart.model.variants import Variant
from flowstart.render import columns, files
from flowstart.simulation import bounds
from flowstart.simulation.limits import RunLimits
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.runs.table import TABLE

if TYPE_CHECKING:
    import polars as pl


PACKETS = 3_500_000
"""Batches have about so many packets: a second or more of work, beside which it does not count to
send them to a worker and to write a file of their rows."""
NAMES = tuple(field.name for field in fields(Cell))
MOST_CELLS = 1000
"""Cells without many packets are no more than so many."""


@dataclass(frozen=True)
class Batch:
    """Cells that are run at once."""

    number: int
    """Its place among the batches of the sweep."""
    cells: tuple[Cell, ...]
    places: int
    """The cells that it stands for: its own, and those that collapsed before them."""
    key: str
    """What its rows follow from, as 64 hexadecimal digits."""

    @property
    def name(self) -> str:
        """The name of its part."""
        return f"{self.number:08}-{self.key[:16]}"


def batches(cells: Iterable[Cell], cost: Callable[[Cell], float], base: str) -> Iterator[Batch]:
    """Cells in their order, in batches of about `PACKETS` packets by `cost`.

    `base` is the key of what all batches share.
    """
    some: list[Cell] = []
    number, packets, begin = 0, 0.0, 0
    for cell in cells:
        some.append(cell)
        packets += cost(cell)
        if packets >= PACKETS or len(some) == MOST_CELLS:
            yield batch_of(some, number, begin, base)
            number, packets, begin, some = number + 1, 0.0, cell.number + 1, []
    if some:
        yield batch_of(some, number, begin, base)


def batch_of(cells: Sequence[Cell], number: int = 0, begin: int = 0, base: str = "") -> Batch:
    """A batch of these cells; those from `begin` on are its own or collapsed."""
    key = digest([base, number, [[getattr(cell, name) for name in NAMES] for cell in cells]])
    return Batch(number, tuple(cells), cells[-1].number + 1 - begin, key)


def digest(document: Any) -> str:
    """The SHA-256 of a document's canonical JSON text."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


RunCells: TypeAlias = "Callable[[Sequence[Cell], Sequence[Variant], CustomStartups], pl.DataFrame]"
"""Makes the rows of cells: one for each cell and variant, in this order."""


@dataclass(frozen=True)
class BatchOutcome:
    """What a batch came to."""

    number: int
    """The batch's."""
    rows: int = 0
    part: bytes = field(default=b"", repr=False)
    """The rows as Parquet; empty where there are none because of `error`."""
    error: str | None = None
    seconds: float = 0.0
    """Processor time of the runs."""
    packets: int = 0
    """Data packets of the runs."""
    exceeded: str | None = None
    """The limit that has ended them."""


@dataclass(frozen=True)
class Task:
    """What is the same for all batches of a sweep. It goes to other processes and machines."""

    run: RunCells
    """A function of a module, so that it can be sent by name."""
    variants: tuple[Variant, ...]
    startups: Portable
    sweep: str
    """The sweep's key."""
    limits: RunLimits = field(default_factory=lambda: bounds.current().limits)
    version: str = field(default_factory=_native.version)

    def prepare(self) -> None:
        """Makes ready for the first batch; raises what there is to raise of startups in files."""
        import polars  # noqa: F401 # takes as long as many cells

        _custom(self.sweep, self.startups)

    def answer(self, batch: Batch) -> BatchOutcome:
        """Runs a batch. What is raised meanwhile is its answer's error."""
        began = time.process_time()
        try:
            with bounds.approved(self.limits) as mine:  # the sweep was, as a whole
                frame = self.run(batch.cells, self.variants, _custom(self.sweep, self.startups))
            seconds = time.process_time() - began
            part = self._part(frame, batch)
            return BatchOutcome(
                batch.number, frame.height, part, seconds=seconds, packets=mine.packets
            )
        except KeyboardInterrupt:
            if not mine.exceeded:
                raise
            return BatchOutcome(batch.number, error="stopped", exceeded=mine.exceeded)
        except Exception as error:  # noqa: BLE001 # the other batches go on
            return BatchOutcome(batch.number, error=f"{type(error).__name__}: {error}")

    def checked_answer(self, batch: Batch) -> BatchOutcome:
        """The same on a machine that may have another version; raises RequestError there."""
        if self.version != _native.version():
            raise RequestError(
                f"a worker has flowstart {_native.version()}, and the sweep is run by "
                f"{self.version}; install one version on all machines"
            )
        self.prepare()
        return self.answer(batch)

    def _part(self, frame: "pl.DataFrame", batch: Batch) -> bytes:
        labels = {"version": self.version, "sweep": self.sweep, "batch": batch.key}
        labels[files.FIELD] = files.BLANK
        labels = {f"{columns.KEY}.{name}": value for name, value in labels.items()}
        file = io.BytesIO()
        frame.write_parquet(file, compression="zstd", metadata=columns.metadata(TABLE) | labels)
        return files.seal(file.getvalue())


@functools.cache
def _custom(
    sweep: str,  # noqa: ARG001 # its key has the text of the files, which may be edited
    startups: Portable,
) -> CustomStartups:
    """Custom startups, each made once in a process for a sweep."""
    return CustomStartups.loaded(startups)


def texts(known: CustomStartups) -> dict[str, str]:
    """What custom startups do, by name: the text of their file, or of their classes.

    With them are the modules that these import, unless they are installed.
    """
    return {name: _text(name, startup) for name, startup in known.known.items()}


def _text(name: str, startup: Startup) -> str:
    if custom.is_in_a_file(name):
        text = input_files.content(custom.parted(name)[0]).decode()
        return _with_imported(text, text)
    kinds = [kind for kind in type(startup).__mro__ if issubclass(kind, Startup)]
    kinds = [kind for kind in kinds if kind is not Startup]
    try:
        text = "\n".join([*map(inspect.getsource, kinds), repr(startup._arguments)])
        module = inspect.getmodule(type(startup))
        whole = inspect.getsource(module) if module else ""
        return _with_imported(text, whole, getattr(module, "__package__", None) or "")
    except (OSError, TypeError):
        raise SimulationError(
            f"startup `{name}`: Python has not kept its source, which a store needs to detect "
            "changes; put it into a file, as `./mine.py:Mine`"
        ) from None


def _with_imported(text: str, source: str, package: str = "") -> str:
    """`text` and the modules that `source` imports."""
    return "\n".join([text, *imported.texts(source, package).values()])
