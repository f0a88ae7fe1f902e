"""Python's readers and files that are nearly right: an answer, or a refusal of one line."""

import pathlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzz_commands
from flowstart.errors import RequestError
from flowstart.sweeps.language import document
from fuzz_readers import TARGETS, execute, mutated

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=100, deadline=None)
@given(chance=st.randoms(use_true_random=False, note_method_calls=False))
def test_what_is_nearly_right_is_read_or_refused(name: str, chance: random.Random) -> None:
    execute(TARGETS[name], mutated(TARGETS[name], random.Random(chance.random())))


@pytest.mark.parametrize("name", [*fuzz_commands.COMMANDS, *fuzz_commands.FOLDER_RUNS])
def test_a_command_with_what_is_nearly_right_writes_results_or_refuses(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(60)
    with fuzz_commands.in_this_process():
        for _ in range(10):
            fuzz_commands.execute(name, chance)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seeds = " + "1" * 5000, "thousands of digits"),
        ("seeds = " + "[" * 20_000, "nested too deeply"),
    ],
)
def test_a_sweep_that_python_cannot_hold_is_refused(
    tmp_path: pathlib.Path, text: str, said: str
) -> None:
    (tmp_path / "sweep.toml").write_text(text)
    with pytest.raises(RequestError, match=said):
        document.read(tmp_path / "sweep.toml")


def test_a_refusal_is_one_line_whatever_it_quotes() -> None:
    assert str(RequestError("`\x1b[2J\nx\x9b` is not a rate")) == r"`\x1b[2J\nx\x9b` is not a rate"
    assert len(str(RequestError("x" * 60_000))) < 2000
