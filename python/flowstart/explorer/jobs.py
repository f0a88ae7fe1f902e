"""Work that takes seconds, beside the server: how far it is, what it came to, and its end."""

import atexit
import secrets
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.routing import Route

from flowstart.errors import FlowstartError, RequestError
from flowstart.explorer.requests import Fields, posted
from flowstart.simulation import bounds

MOST_AT_ONCE = 2
"""A third job is refused: more would only make each other slow."""
MOST_KEPT = 6
"""Of jobs that have ended; the oldest is forgotten."""
SECONDS_TO_END = 1.0
"""How long each that is cancelled has at the end."""


class Ended(Exception):
    """Raised in a job that somebody has cancelled."""


@dataclass
class BackgroundJob:
    """One piece of work."""

    id: str
    phase: str = ""
    """What it is doing, in words: `reading`."""
    done: int = 0
    total: int | None = None
    """Of what `done` counts; None where nobody knows how much there will be."""
    state: str = "running"
    """Then `done`, `failed` or `cancelled`."""
    error: str | None = None
    """One sentence, where it failed."""
    found: dict[str, Any] = field(default_factory=dict)
    """What it has come to so far, as JSON has it."""
    version: int = 0
    """How often something was found."""
    kept: Any = None
    """What further questions are answered from; the page does not see it."""
    _cancelled: threading.Event = field(default_factory=threading.Event)

    def begin(self, phase: str) -> None:
        """A new phase, of which nothing is done yet. Raises Ended where the job was cancelled."""
        self.phase, self.done, self.total = phase, 0, None
        self.report(0, None)

    def report(self, done: int, total: int | None) -> None:
        """How far the phase is. Raises Ended where the job was cancelled."""
        self.done, self.total = done, total
        if self._cancelled.is_set():
            raise Ended

    def add(self, name: str, document: Any) -> None:
        """Something was found; nobody changes it afterwards."""
        self.found = self.found | {name: document}
        self.version += 1

    def cancel(self) -> None:
        """Ends the job where it reports the next time."""
        self._cancelled.set()

    def document(self, seen: int = 0) -> dict[str, Any]:
        """The job as JSON; `found` is null for whoever has seen this version of it."""
        names = ("id", "phase", "done", "total", "state", "error", "version")
        told = {name: getattr(self, name) for name in names}
        return told | {"found": self.found if self.version > seen else None}


Work: TypeAlias = Callable[[BackgroundJob], None]
"""Does the work of a job: begins phases, reports, and puts what it finds into `found`."""


class Jobs:
    """The jobs of a server."""

    def __init__(self) -> None:
        self._jobs: dict[str, BackgroundJob] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        atexit.register(self.end)

    def start(self, work: Work) -> BackgroundJob:
        """Begins a job on a thread of its own. Raises RequestError where too many are running."""
        with self._lock:
            running = [job for job in self._jobs.values() if job.state == "running"]
            if len(running) >= MOST_AT_ONCE:
                raise RequestError(
                    f"{len(running)} jobs are running, and at most {MOST_AT_ONCE} can be; "
                    "wait for one of them, or cancel it"
                )
            ended = [job for job in self._jobs.values() if job.state != "running"]
            for job in ended[: max(0, len(ended) - MOST_KEPT + 1)]:
                del self._jobs[job.id]
            job = BackgroundJob(secrets.token_hex(8))
            self._jobs[job.id] = job
        # A daemon, since a server that ends does not wait for it to be done.
        thread = threading.Thread(target=_run, args=(job, work), daemon=True)
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()
        return job

    def __getitem__(self, name: str) -> BackgroundJob:
        """The job of this id. Raises RequestError where there is none."""
        if name not in self._jobs:
            raise RequestError(f"there is no job `{name[:40]}`; it may have been forgotten")
        return self._jobs[name]

    def end(self) -> None:
        """Cancels all that is running, and waits a moment for it."""
        for job in self._jobs.values():
            job.cancel()
        for thread in self._threads:
            thread.join(SECONDS_TO_END)


def _run(job: BackgroundJob, work: Work) -> None:
    try:
        with bounds.bounded():  # the limits of a request hold for all of it
            work(job)
        job.state = "done"
    except Ended:
        job.state = "cancelled"
    except RequestError as error:
        job.error, job.state = str(error.in_options()), "failed"
    except FlowstartError as error:
        job.error, job.state = str(error), "failed"
    except BaseException as error:  # noqa: BLE001 # also a panic: whatever it is, the job has ended
        traceback.print_exc()
        first = (str(error).splitlines() or [""])[0]
        job.error = f"an error in flowstart: {type(error).__name__}: {first}"
        job.state = "failed"


def routes(jobs: Jobs) -> list[Route]:
    """`/api/jobs/look` for how far a job is, and `/api/jobs/cancel`."""

    def look(fields: Fields) -> dict[str, Any]:
        return jobs[fields.text("job")].document(fields.whole("seen", 0))

    def cancel(fields: Fields) -> dict[str, Any]:
        job = jobs[fields.text("job")]
        job.cancel()
        return job.document(job.version)

    return [
        posted("/api/jobs/look", ("job", "seen"), look),
        posted("/api/jobs/cancel", ("job",), cancel),
    ]
