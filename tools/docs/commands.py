"""The commands that pages show, and what runs them: a folder with the files that they name.

A block whose commands begin with `$` has their output below them; `make docs` writes it anew.
"""

import contextlib
import io
import json
import pathlib
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from flowstart.cli import main
from flowstart.replays.result import VERSION

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = ("flowstart", "make", "cargo", "tcpdump")
"""What a line of a block begins with that is a command."""

GATE_WORSE = 3
"""The exit status of `flowstart gate check` where a case is worse."""

COMMANDS = {"stack": "Linux", "set": [], "revert": [], "steps": ["route default initcwnd 30"]}
SETTING = {"setting": "iw30", "status": "recommended", "reason": "is faster"}
RESULT: dict[str, Any] = {
    "capture": {"file": "mine.pcap"},
    "verdict": {
        "version": VERSION,
        "baseline": "current",
        "settings": [SETTING | {"commands": [COMMANDS]}],
    },
    "partial": [],
}
"""What `flowstart deploy` reads of the result of a replay."""

FILES: dict[str, pathlib.Path | str] = {
    "mine.pcap": ROOT / "tests/data/captures/small.pcap",
    "FILE": ROOT / "tests/data/captures/small.pcap",
    "tests/data/captures/web-mix.pcap.gz": ROOT / "tests/data/captures/web-mix.pcap.gz",
    "control.parquet": ROOT / "tests/data/rollouts/control.parquet",
    "iw30.parquet": ROOT / "tests/data/rollouts/iw30.parquet",
    "result.json": json.dumps(RESULT),
    "access.csv": "ts,client_ip,size,tcpinfo_rtt\n1700000000,192.0.2.7,25000,41000\n",
    **{f"examples/{file.name}": file for file in sorted((ROOT / "examples").glob("*.*"))},
}
"""What stands for a file that a page names. A page's own block of TOML goes before these."""


class Answer(NamedTuple):
    """What a command came to."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Command:
    """A command of a page."""

    line: str
    """In one line, without comment, and without the file that its output goes to."""
    shows_output: bool


def blocks(page: str, *languages: str) -> list[Token]:
    """A page's blocks of code in these languages; a block without any has the language ""."""
    tokens = MarkdownIt().disable("inline").parse(page)
    return [t for t in tokens if t.type in ("code_block", "fence") and t.info in languages]


def commands(page: str) -> list[Command]:
    """The commands in a page's blocks, and those with options in its sentences."""
    found = []
    for block in blocks(page, "", "sh"):
        # Blocks in lists are indented further.
        for line in map(str.lstrip, block.content.replace("\\\n", " ").splitlines()):
            words = shlex.split(line, comments=True) if _is_command(line) else []
            words = words[: words.index(">")] if ">" in words else words
            shown = words[:1] == ["$"]
            if words:
                found.append(Command(shlex.join(words[1:] if shown else words), shown))
    in_sentences = re.findall(r"`(flowstart [^`\n]* --[^`\n]*)`", page)
    return found + [Command(line, shows_output=False) for line in in_sentences]


def _is_command(line: str) -> bool:
    return line.startswith(("$ ", *(f"{name} " for name in PROGRAMS)))


@contextlib.contextmanager
def folder(page: str) -> Iterator[pathlib.Path]:
    """A folder, to be in, with the files that a page's commands name."""
    scenarios = re.findall(r"\b[\w-]+\.toml\b", " ".join(c.line for c in commands(page)))
    own = {file: block.content for block in blocks(page, "toml") for file in scenarios}
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for file, content in (FILES | own).items():
            place = pathlib.Path(name) / file
            place.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                place.write_text(content, "utf-8")
            else:
                shutil.copyfile(content, place)
        yield pathlib.Path(name)


def run(line: str) -> Answer:
    """Runs `flowstart ...` in this process and in the current folder."""
    program, *words = shlex.split(line)
    if program != "flowstart":
        raise ValueError(f"`{line}` is not a command of flowstart")
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        status = main(words)
    return Answer(status, out.getvalue(), err.getvalue())


def with_output(page: str) -> str:
    """A page with the output of its `$` commands as it is now."""
    lines = page.splitlines(keepends=True)
    for block in reversed(blocks(page, "", "sh")):
        if not block.content.startswith("$ ") or block.map is None:
            continue
        shown = re.findall(r"^\$ .*(?:(?<=\\)\n.*)*", block.content, re.MULTILINE)
        with folder(page):
            content = "\n\n".join(f"{line}\n{_output(line[2:])}" for line in shown)
        begin, end = block.map
        if block.type == "fence":
            begin, end, indent = begin + 1, end - 1, ""
        else:
            indent = "    "
        while not lines[end - 1].strip():
            end -= 1
        lines[begin:end] = [f"{indent}{line}".rstrip() + "\n" for line in content.splitlines()]
    return "".join(lines)


def _output(line: str) -> str:
    answer = run(line.replace("\\\n", " "))
    if answer.status not in (0, GATE_WORSE):
        raise ValueError(f"`{line}` exits with {answer.status}: {answer.err}")
    return "\n".join(one.rstrip() for one in answer.out.strip("\n").splitlines())
