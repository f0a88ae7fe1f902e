"""Batches on a cluster: workers of Dask, which `distributed` brings."""

import time
from typing import TYPE_CHECKING

from flowstart import extras
from flowstart.errors import FlowstartError, RequestError, SimulationError
from flowstart.simulation import bounds
from flowstart.sweeps.execution.batches import Batch
from flowstart.sweeps.execution.executor import Executor
from flowstart.sweeps.execution.task import Answer, Task

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE = "10s"
"""How long a scheduler may take to answer."""
AHEAD = 3
"""Batches on their way for each of a worker's threads, so that none waits for the next."""
COUNT_AGAIN_S = 2.0
"""Workers may come and go; so often are they counted."""


class Cluster(Executor):
    """Runs batches on the workers of a scheduler. Those of lost workers are run by others."""

    def __init__(self, task: Task, address: str) -> None:
        extras.require("dask", f"dask = {address}:")
        from distributed import as_completed

        self._task = task
        self._address = address
        self._client = _client(address)
        self._futures: dict[Future[Answer], Batch] = {}
        self._done = as_completed(loop=self._client.loop)
        self._counted = 0.0
        self._count()

    def _count(self) -> None:
        self.workers = max(1, sum(self._client.nthreads().values()))
        self._counted = time.monotonic()

    @property
    def room(self) -> int:
        """Enough for all threads of the workers that there are now."""
        if time.monotonic() - self._counted > COUNT_AGAIN_S:
            self._count()
        return AHEAD * self.workers

    def submit(self, batch: Batch) -> None:
        """Gives it to the scheduler."""
        name = f"flowstart-{self._task.sweep[:16]}-{batch.name}"
        future = self._client.submit(Task.checked_answer, self._task, batch, key=name)
        self._futures[future] = batch
        self._done.add(future)

    def wait(self) -> list[Answer]:
        """What the scheduler has heard of since."""
        with bounds.current().watched():
            return [self._answer(future) for future in self._done.next_batch()]

    def _answer(self, future: "Future[Answer]") -> Answer:
        from distributed import KilledWorker

        batch = self._futures.pop(future)
        try:
            answer: Answer = future.result()
            return answer
        except KilledWorker as error:
            return Answer(batch.number, error=" ".join(str(error).split()))
        except FlowstartError:
            raise
        except Exception as error:  # noqa: BLE001 # the scheduler is lost, or a worker lacks something
            raise SimulationError(
                f"dask = {self._address}: {type(error).__name__}: {error}; finished runs are kept, "
                "and the same command resumes the sweep"
            ) from None

    def close(self) -> None:
        """Gives up what is not finished; the cluster stays."""
        self._client.cancel(list(self._futures))
        self._client.close()


def _client(address: str) -> "Client":
    from distributed import Client
    from distributed.comm.addressing import get_address_host_port

    try:
        if not address.startswith("inproc:"):  # the others have a host and a port
            get_address_host_port(address)  # a client without would take long to give up
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RequestError(
            f"dask = {address}: no scheduler answers there ({error}); `dask scheduler` shows its "
            "address, such as tcp://10.0.0.1:8786"
        ) from None
