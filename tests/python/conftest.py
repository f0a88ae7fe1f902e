"""What the tests share: a short path, and the command line as a function."""

import signal
from collections.abc import Callable
from typing import NamedTuple

import pytest

import flowstart as fs
from flowstart.cli import main


class Answer(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture(autouse=True, scope="session")
def heeded_ctrl_c() -> None:
    """Ctrl-C is heeded also where a shell that runs the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs `flowstart WORDS` in this process."""

    def run(*words: str) -> Answer:
        status = main([str(word) for word in words])
        return Answer(status, *capsys.readouterr())

    return run


@pytest.fixture
def path() -> fs.Path:
    """The path of the Jump Start paper."""
    return fs.Path(rate="5Mbps", rtt="64ms", buffer="60pkt")
