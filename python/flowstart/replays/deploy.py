"""From the result of a replay to what is written on a host."""

import json
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart import _native
from flowstart.deployment.script import script
from flowstart.errors import RequestError
from flowstart.inference import Status
from flowstart.model import input_files
from flowstart.model.catalog import suggest
from flowstart.replays.result import VERSION

TRAFFIC = "traffic"
"""The question of validity that a test answers: whether there is enough of it. Where another one
fails, nothing is known of the harm that a test would do."""
FILE = "result.json"
"""What `-o` writes, and `--json` prints."""
MOST_NAMED = 2
"""So many names of what is possible fit into the line of a refusal."""


@dataclass(frozen=True)
class Deployment:
    """A setting that a replay does not reject, and how hosts are set to it."""

    setting: str
    status: Status
    reason: str
    """A clause that follows the name of the setting."""
    capture: str
    networks: tuple[str, ...]
    """The networks that it is limited to; empty where it holds for whole hosts."""
    commands: tuple[Mapping[str, Any], ...]
    """A document for each stack, as in the verdict; with networks one for each of them."""

    @property
    def is_test(self) -> bool:
        """Whether it is inconclusive, so that only a test is advised."""
        return self.status == Status.INCONCLUSIVE

    @property
    def steps(self) -> list[str]:
        """The steps of a script; empty for stacks that no script of a host can set."""
        return list(dict.fromkeys(step for command in self.commands for step in command["steps"]))

    @property
    def text(self) -> str:
        """The script, or for other stacks what to write in their configuration or source."""
        if self.steps:
            return script(self.setting, self.about, self.steps)
        lines = [f"{self.setting}: {self.reason}."]
        for command in self.commands:
            lines.append(f"Set ({command['stack']}): {'; '.join(command['set'])}")
            lines.append(f"Revert ({command['stack']}): {'; '.join(command['revert'])}")
        return "\n".join(lines)

    @property
    def about(self) -> list[str]:
        """What the script does, and what the replay has found."""
        what = "; ".join(
            dict.fromkeys(words for command in self.commands for words in command["set"])
        )
        verdict = "For a test on a part of the hosts" if self.is_test else "Recommended"
        return [
            f"{self.setting}: {what}.",
            f"{verdict}: in the replay of {self.capture} it {self.reason}.",
            f"Written by flowstart {_native.version()}.",
        ]


def deployment(file: pathlib.Path, setting: str, networks: Sequence[str] = ()) -> Deployment:
    """The deployment of a setting by the verdict in a replay's `result.json`, or its folder.

    With networks by the verdicts on these. Raises RequestError where a verdict rejects it.
    """
    result = read_result(file, "from")
    parts = {part["network"]: part["verdict"] for part in result["partial"]}
    parts |= {group["group"]: group["verdict"] for group in result.get("groups", ())}
    for network in networks:
        if network not in parts:
            known = _few([*parts]) or f"none; replay with --when network={network}"
            raise RequestError(f"`{network}` has no verdict; those with one: {known}", ("when",))
    verdicts = [parts[network] for network in networks] or [result["verdict"]]
    judgements = [_setting(verdict, setting) for verdict in verdicts]
    doubtful = [j for j in judgements if j["status"] == Status.INCONCLUSIVE]
    chosen = (doubtful or judgements)[0]
    return Deployment(
        setting,
        Status(chosen["status"]),
        chosen["reason"],
        result["capture"]["file"],
        tuple(networks),
        tuple(commands for judgement in judgements for commands in judgement["commands"]),
    )


def read_result(path: pathlib.Path, option: str) -> dict[str, Any]:
    """The document of a replay, which an option names; what is used of its verdicts is there."""
    file = path / FILE if path.is_dir() else path
    if not file.exists():
        needed = f"{FILE} or the folder of `flowstart replay -o` is needed"
        raise RequestError(f"{file}: No such file or directory; {needed}", (option,))
    try:
        text = input_files.content(file, input_files.MAX_RESULT_BYTES)
    except RequestError as error:
        raise error.at((option,)) from None
    try:
        result: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        raise RequestError(f"{file}: this is not JSON; {_NEEDED}", (option,)) from None
    try:
        version = result["verdict"]["version"]
        verdicts = [result["verdict"], *(part["verdict"] for part in result["partial"])]
        settings = [setting for verdict in verdicts for setting in verdict["settings"]]
        is_whole = all("steps" in command for s in settings for command in s["commands"])
        texts = [setting[name] for setting in settings for name in ("setting", "status", "reason")]
        if not all(isinstance(text, str) for text in [result["capture"]["file"], *texts]):
            raise TypeError
    except (AttributeError, KeyError, TypeError):
        raise RequestError(f"{file}: this is not a replay's result; {_NEEDED}", (option,)) from None
    if version != VERSION or not is_whole:
        raise RequestError(
            f"{file}: another version of flowstart wrote it; replay again", (option,)
        )
    if not settings:
        problem = "it has no verdict: the replay was stopped, or compared nothing"
        raise RequestError(f"{file}: {problem}", (option,))
    return result


_NEEDED = f"{FILE} of `flowstart replay` is needed"


def _setting(verdict: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A setting's part of a verdict. Raises RequestError where it is not to be deployed."""
    known: dict[str, Mapping[str, Any]] = {s["setting"]: s for s in verdict["settings"]}
    failing = verdict.get("validity", {}).get("failing")
    possible = _few([other for other in known if not _objection(known[other], failing)])
    valid = f"possible: {possible}" if possible else "none of its settings is possible"
    if name == verdict["baseline"]:
        raise RequestError(f"`{name}` is the baseline: hosts have it; {valid}")
    if name not in known:
        raise RequestError(f"`{name}` is not a setting of this verdict{suggest(name, list(known))}")
    if objection := _objection(known[name], failing):
        raise RequestError(f"`{name}` {objection}; {valid}")
    return known[name]


def _objection(judgement: Mapping[str, Any], failing: str | None) -> str:
    """Why a setting is not to be deployed, in a clause; `failing` is a question of validity."""
    status = judgement["status"]
    if status == Status.RESEARCH:
        return "is not offered by the stack"
    if status == Status.REJECTED:
        return f"is {judgement.get('cause', status)}"
    if status not in (Status.RECOMMENDED, Status.INCONCLUSIVE):
        return f"is not recommended ({status})"
    if status == Status.INCONCLUSIVE and failing not in (None, TRAFFIC):
        return f"is not for a test either, since the replay is not valid ({failing})"
    if risk := judgement.get("risk"):
        return f"is not for a test either: {risk}"
    return "" if judgement["commands"] else "has no command that sets it"


def _few(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(f"`{name}`" for name in names[:MOST_NAMED]) + more
