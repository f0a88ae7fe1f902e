"""Help on the terminal, and its examples."""

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from flowstart.cli.command import HELP, CommandGroup, Loaded
from flowstart.questions.option import CommandParameter

EXAMPLES = {
    "": (
        "flowstart compare --rate 10Mbps --rtt 100ms",
        "flowstart replay capture.pcap",
        "flowstart explore",
    ),
    "compare": (
        "flowstart compare --rate 10Mbps --rtt 100ms --size 100kB,1MB",
        "flowstart compare --path leo --startup all -o out",
        "flowstart compare --path lte --variant 'iw10: iw=10' --variant 'iw30: iw=30'",
    ),
    "replay": (
        "flowstart replay capture.pcap",
        "flowstart replay capture.pcap --variant 'iw30: startup=hystart iw=30'",
        "flowstart replay capture.pcap --network '*:buffer=60pkt' -o out",
    ),
    "collect": (
        "flowstart collect rows --port 443 --for 10min",
        "flowstart collect rows --cgroup system.slice/nginx.service --sample 1/100",
        "flowstart collect --port 443 > rows.jsonl",
    ),
    "deploy": (
        "flowstart deploy IW30 --from out > IW30.sh",
        "flowstart deploy IW30 --from out | ssh server sudo sh -s check",
        "flowstart deploy IW30 --from out --when network=10.9.3.0/24 > IW30.sh",
    ),
    "gate": (
        "flowstart gate record base.json --stack quic",
        "flowstart gate check base.json",
        "flowstart gate check base.json -o gate",
    ),
    "gate record": (
        "flowstart gate record base.json --startup hystart",
        "flowstart gate record base.json --live quinn-native:cc=cubic",
        "flowstart gate record base.json --sweep sweep.toml",
    ),
    "gate check": (
        "flowstart gate check base.json",
        "flowstart gate check base.json --stack linux:iw=4",
        "flowstart gate check base.json --max-slower 5% -o gate",
    ),
    "verify": (
        "flowstart verify control.csv iw30.csv",
        "flowstart verify control.csv iw30.csv --share 10% --before last-week.csv",
        "flowstart verify control.csv iw30.csv --predicted out -o verified",
    ),
    "kernel": (
        "flowstart kernel load hystart-plus-plus --port 443 --share 10% --for 1h",
        "flowstart kernel status",
        "flowstart kernel unload",
    ),
    "kernel load": (
        "flowstart kernel load hystart-plus-plus --port 443",
        "flowstart kernel load hystart-plus-plus --port 443 --share 50% --for 1h",
        "flowstart kernel load hystart-plus-plus --network 192.0.2.0/24 --share 100%",
    ),
    "kernel status": (
        "flowstart kernel status",
        "flowstart kernel status --json",
        "flowstart kernel status > status.txt",
    ),
    "kernel unload": (
        "flowstart kernel unload",
        "flowstart kernel unload && flowstart kernel status",
        "flowstart kernel unload && flowstart kernel load search --port 443",
    ),
    "explore": (
        "flowstart explore",
        "flowstart explore --path wifi --startup slow-start,search",
        "flowstart explore --map out",
    ),
    "run": (
        "flowstart run scenario.toml",
        "flowstart run scenario.toml --trace -o out",
        "flowstart run scenario.toml --pcap 0,0:receiver --qlog 0 -o out",
    ),
    "live": (
        "flowstart live --list",
        "flowstart live --path wifi --stack quinn --size 1MB",
        "flowstart live --rate 20Mbps --rtt 20ms --stack linux --kernel cubic,bbr",
    ),
    "sweep": (
        "flowstart sweep --list",
        "flowstart sweep default-grid -o out",
        "flowstart sweep sweep.toml -o out --workers 4",
    ),
    "capture": (
        "flowstart capture capture.pcap",
        "flowstart capture access.csv --columns time=ts,peer=client_ip,bytes=size",
        "flowstart capture capture.pcap --calibrate",
    ),
    "map": (
        "flowstart map out",
        "flowstart map out --x bdp --y loss --size 100kB",
        "flowstart map out --startup all,-jump-start --details",
    ),
    "worst": (
        "flowstart worst jump-start",
        "flowstart worst hystart --against slow-start --measure loss",
        "flowstart worst search --search-space rate=1Mbps..100Mbps -o out",
    ),
    "check": (
        "flowstart check out",
        "flowstart check out --json",
        "flowstart check out && flowstart map out",
    ),
    "algorithms": (
        "flowstart algorithms",
        "flowstart algorithms search",
        "flowstart algorithms hystart --json",
    ),
    "paths": (
        "flowstart paths",
        "flowstart paths leo",
        "flowstart paths leo --json",
    ),
    "stacks": (
        "flowstart stacks",
        "flowstart stacks linux",
        "flowstart stacks linux --json",
    ),
    "papers": (
        "flowstart papers",
        "flowstart papers run jump-start",
        "flowstart papers cross",
    ),
    "papers list": (
        "flowstart papers list",
        "flowstart papers list --details",
        "flowstart papers list --json",
    ),
    "papers run": (
        "flowstart papers run --subset quick",
        "flowstart papers run QS-T1 --details",
        "flowstart papers run --all -o out",
    ),
    "papers cross": (
        "flowstart papers cross",
        "flowstart papers cross --fresh -o out",
        "flowstart papers cross --json",
    ),
    "schema": (
        "flowstart schema",
        "flowstart schema sweep > sweep.schema.json",
        "flowstart schema rows",
    ),
    "doctor": (
        "flowstart doctor",
        "flowstart doctor --details",
        "flowstart doctor --bundle report.zip --scenario web.toml",
    ),
}
"""Command lines by command; the empty name is `flowstart` without one."""


WIDTH = 80
NAMES_WIDTH = 24
"""Columns of an option's names; the text of a longer one begins on the next line."""


def page(path: Sequence[str], command: Loaded, *, complete: bool) -> str:
    """The help of a command or group; `complete` with every paragraph and option."""
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for each in (*command.parameters, *HELP):
        panel = "Arguments" if each.is_argument else each.option.panel or "Options"
        panels.setdefault(panel, []).append(row(each))
    if isinstance(command, CommandGroup):
        panels["Commands"] = [(name, paragraphs(c)[0]) for name, c in command.commands.items()]
    usual = {name: panels.pop(name, []) for name in ("Arguments", "Commands", "Options")}
    further = sum(map(len, panels.values()))
    if further and not complete:
        usual["Options"] = usual["Options"][: -len(HELP)]
        panels = {}
        about = paragraphs(command)[:1]
    else:
        about = paragraphs(command)
    return "\n\n".join(
        [
            f"Usage: {' '.join([*path, *usage(command)])}",
            *(_filled(words) for words in about),
            _lines("Examples", (f"  {line}" for line in examples(path))),
            *(_lines(name, _entries(rows)) for name, rows in (usual | panels).items() if rows),
            *([] if complete or not further else [f"{further} further options: --help-all"]),
        ]
    )


def usage(command: Loaded) -> Iterator[str]:
    """What follows a command's name."""
    yield "[OPTIONS]"
    for each in command.parameters:
        if each.is_argument:
            yield each.value if each.name in command.required else f"[{each.value}]"
    if isinstance(command, CommandGroup):
        yield "COMMAND"


def paragraphs(command: Loaded) -> list[str]:
    """What a command does, each paragraph on one line."""
    return [" ".join(words.split()) for words in command.help.split("\n\n")]


def examples(path: Sequence[str]) -> tuple[str, ...]:
    """The examples of a command, such as `flowstart papers run`."""
    return EXAMPLES[" ".join(path[1:])]


def row(each: CommandParameter) -> tuple[str, str]:
    """How an option is written, and what it is, with its default in brackets."""
    names = each.words
    is_shown = isinstance(each.default, str | int) and not isinstance(each.default, bool)
    meaning = f"{each.option.help} [{each.default}]" if is_shown else each.option.help
    return f"{', '.join(names)} {each.value}".strip(), meaning


def _lines(heading: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{heading}:", *lines])


def _entries(rows: list[tuple[str, str]]) -> Iterator[str]:
    """Names on the left, their texts on the right."""
    column = min(max(len(names) for names, _ in rows), NAMES_WIDTH)
    for names, words in rows:
        if len(names) > column:
            yield f"  {names}"
            names = ""
        yield _filled(words, f"  {names:{column}}  ")


def _filled(words: str, first: str = "") -> str:
    return textwrap.fill(
        words,
        min(shutil.get_terminal_size().columns, WIDTH),
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
