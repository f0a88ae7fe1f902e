"""Ctrl-C and kills at random moments of every long command."""

import pathlib
import sys

import pytest

from flowstart.render import interactive
from interrupted import COMMANDS, interrupt, kill, moments, prepared

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="/proc lists processes"),
]
BUILT = (interactive.PAGE / ".built").is_file()


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return prepared(tmp_path_factory.mktemp("given"), rows=4_000, paths=100)


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_at_any_moment_ends_a_command_within_a_second(
    name: str, given: pathlib.Path, request: pytest.FixtureRequest
) -> None:
    if name == "explore" and not BUILT:
        pytest.skip("the page is not built")
    count = request.config.getoption("--moments")
    found = {
        at: wrong for at in moments(name, given, count) if (wrong := interrupt(name, given, at)[1])
    }
    assert not found


@pytest.mark.parametrize("child", [False, True], ids=["command", "child"])
@pytest.mark.parametrize("name", ["compare-python", "replay", "sweep", "sweep-python"])
def test_a_kill_at_any_moment_leaves_no_process_and_no_traceback(
    name: str, child: bool, given: pathlib.Path, request: pytest.FixtureRequest
) -> None:
    count = request.config.getoption("--moments")
    tries = {at: kill(name, given, at, child=child)[1] for at in moments(name, given, count)}
    assert not {at: wrong for at, wrong in tries.items() if wrong}
