"""What the tests share: a short path, and the command line as a function."""

import os
import signal
from collections.abc import Callable
from typing import NamedTuple

import pytest

import flowstart as fs
from flowstart.cli import main
from flowstart.render import interactive


class Answer(NamedTuple):
    status: int
    out: str
    err: str


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--moments", type=int, default=3, help="How often each long command is interrupted."
    )


def pytest_configure() -> None:
    """Libraries have one thread each, before they are loaded: pytest's workers use all cores."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


@pytest.fixture(autouse=True, scope="session")
def heeded_signals() -> None:
    """Signals that a shell or `nohup` has ignored act on the processes that tests start.

    SIGHUP keeps having no effect on the tests: a handler is reset in a process that they start.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short work shows no progress, also where many tests make it slow."""
    monkeypatch.setattr("flowstart.cli.progress.FIRST_LINE_S", 10.0)


@pytest.fixture(autouse=True)
def without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is as wide as in a pipe; workers of pytest have the width of its own terminal."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def without_script(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Reports are the same whether or not `make page` has been run; a test may ask for a script."""
    monkeypatch.setattr(interactive, "PAGE", tmp_path_factory.getbasetemp() / "no-page")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs `flowstart WORDS` in this process."""

    def run(*words: str) -> Answer:
        status = main([str(word) for word in words])
        return Answer(status, *capsys.readouterr())

    return run


@pytest.fixture
def path() -> fs.NetworkPath:
    """The path of the Jump Start paper."""
    return fs.NetworkPath(rate="5Mbps", rtt="64ms", buffer="60pkt")
