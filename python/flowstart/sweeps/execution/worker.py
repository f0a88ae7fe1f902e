"""A process that runs batches for another (`executor`), until that has ended.

python -m flowstart.sweeps.execution.worker SOCKET
"""

import contextlib
import os
import queue
import sys
import threading
from multiprocessing.connection import Connection

from flowstart.sweeps.execution.task import Batch, Task


def main(number: int) -> None:
    """Answers every batch that comes through the socket of this number."""
    with contextlib.suppress(EOFError, ConnectionError):  # the other process has ended
        _answer(Connection(number))


def _answer(pipe: Connection) -> None:
    try:
        task: Task = pipe.recv()
        task.prepare()
    except (EOFError, ConnectionError):
        raise
    except Exception as error:  # noqa: BLE001 # the other process is to have it
        pipe.send(f"{type(error).__name__}: {error}")
        return
    pipe.send(True)
    batches: queue.SimpleQueue[Batch] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, batches), daemon=True).start()
    while True:
        pipe.send(task.answer(batches.get()))


def _listen(pipe: Connection, batches: "queue.SimpleQueue[Batch]") -> None:
    """Takes in batches; the other end is closed as soon as that process has ended."""
    while True:
        try:
            batches.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
