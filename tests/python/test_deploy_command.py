"""`flowstart deploy`: from the result of a replay to a script, or a refusal in a line."""

import json
import pathlib
import subprocess
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest

from flowstart.cli import console
from flowstart.render.summary import SummaryPage
from flowstart.replays.result import VERSION

Cli = Callable[..., Any]
STEP = "route default initcwnd 30"


def setting(name: str, status: str, *steps: str, **more: Any) -> dict[str, Any]:
    commands = {
        "stack": "Linux",
        "set": ["initcwnd 30 on the default routes"],
        "revert": ["the saved value"],
        "sources": ["ip-route(8)"],
        "steps": list(steps),
    }
    found = {"setting": name, "status": status, "reason": "is 11 % faster", "commands": [commands]}
    return found | more


def result(*settings: dict[str, Any], **more: Any) -> dict[str, Any]:
    verdict = {"version": VERSION, "baseline": "current", "settings": list(settings)}
    return {"capture": {"file": "mine.pcap"}, "verdict": verdict, "partial": []} | more


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    """A result with a setting of each status."""
    limited = setting("IW30", "recommended", "route 10.9.3.0/24 initcwnd 30")
    network = {"version": VERSION, "baseline": "current", "settings": [limited]}
    settings = (
        setting("IW30", "recommended", STEP),
        setting("IW20", "inconclusive", "route default initcwnd 20"),
        setting("paced", "rejected", "qdisc fq", cause="rejected: slower"),
        setting("Jump-Start", "research"),
        setting("odd", "no difference", STEP),
        setting("bare", "recommended", commands=[]),
        setting("evil", "recommended", "route default initcwnd 30; reboot"),
    )
    document = result(*settings, partial=[{"network": "10.9.3.0/24", "verdict": network}])
    written = tmp_path / "result.json"
    written.write_text(json.dumps(document))
    return written


def test_the_script_of_a_recommended_setting_is_printed(cli: Cli, file: pathlib.Path) -> None:
    found = cli("deploy", "IW30", "--from", file)
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("#!/bin/sh\n# IW30: initcwnd 30 on the default routes.\n")
    assert "# Recommended: in the replay of mine.pcap it is 11 % faster.\n" in found.out
    assert f'    "$1_{STEP.replace(" ", chr(34) + " ", 1)}\n' in found.out
    subprocess.run(["sh", "-n"], input=found.out, text=True, check=True)
    assert cli("deploy", "IW30", "--from", file.parent).out == found.out


def test_an_inconclusive_setting_is_for_a_test(cli: Cli, file: pathlib.Path) -> None:
    found = cli("deploy", "IW20", "--from", file)
    assert found.status == 0
    assert found.err == ("flowstart: IW20 is inconclusive: for a test on a part of the hosts\n")
    assert "# For a test on a part of the hosts: in the replay of mine.pcap" in found.out


@pytest.mark.parametrize(
    ("failing", "status"), [(None, 0), ("traffic", 0), ("path", 2), ("reproduction", 2)]
)
def test_without_a_valid_replay_there_is_not_even_a_test(
    cli: Cli, file: pathlib.Path, failing: str | None, status: int
) -> None:
    document = json.loads(file.read_text())
    document["verdict"]["validity"] = {"failing": failing}
    file.write_text(json.dumps(document))
    found = cli("deploy", "IW20", "--from", file)
    assert found.status == status
    refused = (
        f"`IW20` is not for a test either, since the replay is not valid ({failing}); possible"
    )
    assert (refused in found.err) == (status == 2)


def test_a_network_has_the_script_that_is_limited_to_it(cli: Cli, file: pathlib.Path) -> None:
    found = cli("deploy", "IW30", "--from", file, "--when", "network=10.9.3.0/24")
    assert '    "$1_route" 10.9.3.0/24 initcwnd 30\n' in found.out
    assert "networks='10.9.3.0/24'\n" in found.out
    assert '"$1_route" default' not in found.out


def test_the_document_has_the_script_and_its_steps(cli: Cli, file: pathlib.Path) -> None:
    document = json.loads(cli("deploy", "IW30", "--from", file, "--json").out)
    assert (document["setting"], document["status"]) == ("IW30", "recommended")
    assert document["steps"] == [STEP]
    assert document["text"].startswith("#!/bin/sh\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["paced"], "`paced` is rejected: slower; possible: `IW30`, `IW20` and 1 more"),
        (["Jump-Start"], "`Jump-Start` is not offered by the stack; possible: `IW30`"),
        (["odd"], "`odd` is not recommended (no difference); possible: `IW30`"),
        (["current"], "`current` is the baseline: hosts have it"),
        (["bare"], "`bare` has no command that sets it"),
        (["IW3O"], "`IW3O` is not a setting of this verdict; did you mean `IW30`?"),
        (["evil"], "steps: `route default initcwnd 30; reboot` is not a step of a script"),
        (["IW30", "--when", "10.9.3.0/24"], "--when: `10.9.3.0/24` should be written"),
        (
            ["IW30", "--when", "network=10.7.0.0/24"],
            "--when: `10.7.0.0/24` has no verdict; those with one: `10.9.3.0/24`",
        ),
    ],
)
def test_what_is_not_to_be_deployed_is_refused_in_a_line(
    cli: Cli, file: pathlib.Path, words: list[str], message: str
) -> None:
    found = cli("deploy", *words, "--from", file)
    assert (found.status, found.out) == (2, "")
    assert message in found.err
    assert found.err.count("\n") == 1
    assert len(found.err.split()) <= 25


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory; result.json or the folder of `flowstart replay -o`"),
        ("#!/bin/sh", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[1]", "this is not a replay's result"),
        ('{"verdict": {"version": 1}}', "this is not a replay's result"),
        (json.dumps(result()), "it has no verdict: the replay was stopped"),
        (
            json.dumps(result(setting("IW30", "recommended", commands=[{"stack": "Linux"}]))),
            "another version of flowstart wrote it; replay again",
        ),
    ],
)
def test_a_file_that_is_no_result_is_refused_in_a_line(
    cli: Cli, tmp_path: pathlib.Path, content: str | None, message: str
) -> None:
    file = tmp_path / "x.json"
    if content is not None:
        file.write_text(content)
    found = cli("deploy", "IW30", "--from", file)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"flowstart: --from: {file}: ")
    assert message in found.err
    assert found.err.count("\n") == 1


def test_a_setting_that_another_assumption_rejects_is_refused_in_a_short_line(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    risk = "with smallest known buffers it is rejected: loss"
    file = tmp_path / "result.json"
    file.write_text(json.dumps(result(setting("IW30", "inconclusive", STEP, risk=risk))))
    found = cli("deploy", "IW30", "--from", file)
    assert (found.status, found.out) == (2, "")
    assert found.err == (
        f"flowstart: `IW30` is not for a test either: {risk}; none of its settings is possible\n"
    )


def test_other_stacks_have_their_options_printed(cli: Cli, tmp_path: pathlib.Path) -> None:
    commands = {
        "stack": "HAProxy",
        "set": ["a on"],
        "revert": ["a off"],
        "sources": [],
        "steps": [],
    }
    file = tmp_path / "result.json"
    file.write_text(json.dumps(result(setting("IW30", "recommended", commands=[commands]))))
    found = cli("deploy", "IW30", "--from", file)
    assert found.out.splitlines() == [
        "IW30: is 11 % faster.",
        "Set (HAProxy): a on",
        "Revert (HAProxy): a off",
    ]


def test_the_summary_of_a_replay_names_the_folder_of_its_result(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words: ContextVar[list[str]] = ContextVar("words")
    words.set(["flowstart", "replay", "-o", "my out"])
    monkeypatch.setattr(console, "COMMAND", words)
    deploy = "Deploy: flowstart deploy IW30 --from DIR"
    console.show_summary(SummaryPage("It ran.", ["An answer."], notes=[deploy]))
    assert "Deploy: flowstart deploy IW30 --from 'my out'\n" in capsys.readouterr().out


def test_a_replays_result_is_read(cli: Cli, tmp_path: pathlib.Path) -> None:
    capture = pathlib.Path(__file__).parents[1] / "data" / "captures" / "small.pcap"
    words = ("--variant", "iw30: startup=hystart iw=30", "--no-uncertainty", "--json")
    file = tmp_path / "result.json"
    file.write_text(cli("replay", capture, *words).out)
    found = cli("deploy", "iw30", "--from", file)
    assert found.status == 0
    assert "# iw30: initcwnd 30 on the default routes of both families." in found.out
    assert '"$1_route" default initcwnd 30' in found.out
