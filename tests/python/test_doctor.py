"""What `flowstart doctor` and `--version` find, and the result that tells a wrong build."""

import json
import pathlib
import socket
import tempfile
from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest

from flowstart import _native, extras
from flowstart.cli import doctor

Cli = Callable[..., Any]


def test_where_all_is_well_the_status_is_0_and_it_says_so(cli: Cli) -> None:
    answer = cli("doctor", "--details")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith("Everything that a comparison needs works.")
    for word in ("flowstart", "Python", "polars", "extra dask", "cores", "terminal", "self-check"):
        assert word in answer.out


def test_the_same_as_json(cli: Cli) -> None:
    found = json.loads(cli("doctor", "--json").out)
    assert found["problems"] == []
    assert found["build"]["version"] == _native.version()
    assert set(found["extras"]) == set(extras.MODULES)
    assert found["machine"]["cores"] >= 1


def test_the_result_of_the_self_check_is_the_known_one() -> None:
    assert doctor.digest() == doctor.KNOWN, "results have changed: write it into KNOWN"


def test_a_build_with_other_results_is_a_problem(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "KNOWN", "0" * 64)
    answer = cli("doctor", "--details")
    assert answer.status == 1
    assert "this build gives wrong results" in " ".join(answer.out.split())
    assert "To do: self-check: a run came to" in answer.out


def test_what_is_missing_is_named_with_what_to_do(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(name: str) -> str:
        if name == "rich":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    def forbidden(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(metadata, "version", lacking)
    monkeypatch.setattr(extras, "missing", lambda _extra: ["that"])
    monkeypatch.setattr(tempfile, "TemporaryFile", forbidden)
    monkeypatch.setattr(socket.socket, "listen", forbidden)
    answer = cli("doctor", "--json")
    found = json.loads(answer.out)
    assert answer.status == 1
    assert found["problems"] == [
        "rich is missing: pip install rich",
        "no temporary file can be written: set TMPDIR to a folder in which one can",
    ]
    assert not found["permits"]["a_port_on_the_loopback"]
    assert found["extras"]["plot"]["install"] == "pip install that"
    assert "missing that, for figures" in cli("doctor").out


def test_each_extra_is_explained() -> None:
    assert set(doctor.GIVES) == set(extras.MODULES)


@pytest.mark.parametrize(
    ("variables", "said"), [({"NO_COLOR": "1"}, "off (NO_COLOR)"), ({}, "off (no terminal)")]
)
def test_whether_there_are_colours(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], said: str
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert doctor.terminal()["colour"] == said


def test_a_build_says_no_path_of_the_machine_on_which_it_was_made() -> None:
    facts = _native.build_facts()
    assert set(facts) == {"commit", "rust", "profile", "target", "stable_abi"}
    assert not any(str(pathlib.Path.home()) in str(value) for value in facts.values())
