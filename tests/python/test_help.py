"""`--help` and `--help-all` of every command."""

import dataclasses
import pathlib
import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import flowstart as fs
from flowstart.cli import app, command, help_page
from flowstart.cli.command import HELP
from flowstart.cli.help_page import EXAMPLES
from flowstart.model import stack

Cli = Callable[..., Any]
ROOT = pathlib.Path(__file__).parent.parent.parent


def commands() -> dict[str, Any]:
    """All commands and groups by name; the empty name is `flowstart` alone."""

    def below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        yield " ".join(path), command
        for name, one in getattr(command, "commands", {}).items():
            yield from below(one, (*path, name))

    return dict(below(app.ROOT, ()))


COMMANDS = commands()


def in_one_line(page: str) -> str:
    return " ".join(page.split())


def options(command: Any) -> list[Any]:
    return [each for each in (*command.parameters, *HELP) if not each.is_argument]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_on_a_screen(cli: Cli, name: str) -> None:
    answer = cli(*name.split(), "--help")
    assert (answer.status, answer.err) == (0, "")
    lines = answer.out.rstrip("\n").splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert lines[2], "what the command does, in one line"
    assert lines[3] == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_at_most_ten_options_and_counts_the_others(cli: Cli, name: str) -> None:
    given = options(COMMANDS[name])
    usual = [each for each in given if not each.option.panel and each not in HELP]
    assert len(usual) <= 10
    out = cli(*name.split(), "--help").out
    shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", out, re.MULTILINE)
    assert [one for one in shown if not one.startswith("--help")] == [each.flag for each in usual]
    further = len(given) - len(usual) - len(HELP)
    last = out.rstrip("\n").splitlines()[-1]
    assert not further or last == f"{further} further options: --help-all"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_all_has_every_option_in_its_panel(cli: Cli, name: str) -> None:
    answer = cli(*name.split(), "--help-all")
    assert (answer.status, answer.err) == (0, "")
    assert max(map(len, answer.out.splitlines())) <= 80
    words = in_one_line(answer.out)
    for each in options(COMMANDS[name]):
        assert help_page.row(each)[0] in words
        assert each.option.help in words
        assert f"\n\n{each.option.panel or 'Options'}:\n" in answer.out
    assert all(paragraph in words for paragraph in help_page.paragraphs(COMMANDS[name]))
    assert not re.search(r"\[([^]]*)\] \[\1\]", words)  # a default stands once


def test_every_command_has_three_examples() -> None:
    assert {*EXAMPLES} == {*COMMANDS}
    assert {len(lines) for lines in EXAMPLES.values()} == {3}


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_an_example_is_a_command_with_options_that_exist(line: str) -> None:
    program, *words = shlex.split(line)
    ends = [words.index(one) for one in (">", ">>", "|", "&&") if one in words]
    words = words[: min(ends, default=len(words))]
    found: Any = COMMANDS[""]
    path = [program]
    while words and hasattr(found, "commands"):
        path.append(words.pop(0))
        found = found.commands[path[-1]]
    if not hasattr(found, "commands"):
        command.read(found, path, words)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_an_option_is_a_noun_phrase(name: str) -> None:
    others = {"As", "How", "Of", "Only", "What", "When", "Which", "Who", "Whether"}
    verbs = {"Keep", "Leave", "Open", "Print", "Record", "Run", "Show", "Switch", "Take", "Write"}
    for each in options(COMMANDS[name]):
        assert each.option.help.split()[0] not in others | verbs, each.flag
        assert each.option.help[0].isupper()


def test_an_unknown_option_names_the_help_with_all_options(cli: Cli) -> None:
    answer = cli("compare", "--zzz")
    assert (answer.status, answer.out) == (2, "")
    assert "flowstart compare --help-all" in answer.err


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("--bandwidth", "--rate"),
        ("--bw", "--rate"),
        ("--latency", "--rtt"),
        ("--delay", "--rtt"),
        ("--loss-rate", "--loss"),
        ("--algorithm", "--startup"),
        ("--congestion-control", "--cc"),
        ("--initcwnd", "--iw"),
    ],
)
def test_the_name_of_an_option_in_other_tools_is_met_with_the_one_here(
    cli: Cli, written: str, meant: str
) -> None:
    said = f"flowstart: {written}: there is no such option; did you mean `{meant}`?\n"
    assert cli("compare", written, "1").err == said


def test_a_name_from_elsewhere_is_met_only_with_an_option_that_the_command_has(cli: Cli) -> None:
    assert "`--rtt`" not in cli("run", "scenario.toml", "--latency", "9ms").err


def test_every_option_that_other_tools_call_otherwise_exists() -> None:
    known = {each.flag for each in options(COMMANDS["compare"])}
    assert set(command.ELSEWHERE) <= known
    assert not known & {name for names in command.ELSEWHERE.values() for name in names}


def test_the_ten_common_options_of_compare_come_first() -> None:
    given = options(COMMANDS["compare"])
    usual = [each.flag for each in given if not each.option.panel and each not in HELP]
    assert usual == [
        *("--path", "--rate", "--rtt", "--buffer", "--startup", "--size", "--stack"),
        *("--details", "--json", "--output"),
    ]


def test_the_help_of_replay_has_the_options_of_its_examples(cli: Cli) -> None:
    shown = cli("replay", "--help").out
    for option in ("--variant", "--baseline", "--network", "--rollout"):
        assert f"\n  {option} " in shown


def test_the_help_of_a_command_is_about_it_alone(cli: Cli) -> None:
    assert "in a replay" not in cli("compare", "--help-all").out
    assert "what the recorded stack offers" in in_one_line(cli("replay", "--help-all").out)


def test_every_stack_is_named_where_stacks_are_listed(cli: Cli) -> None:
    shown = in_one_line(cli("compare", "--help").out)
    assert f"Preset of both endpoints: {', '.join(stack.PRESETS)};" in shown
    glossary = (ROOT / "docs" / "reference" / "glossary.md").read_text()
    assert f"| preset | {', '.join(f'`{name}`' for name in stack.PRESETS)} |" in glossary


def test_the_congestion_control_of_a_stack_is_shown_with_it(cli: Cli) -> None:
    for name, cc in (("linux", "cubic"), ("quic", "reno"), ("tquic", "bbr")):
        assert stack.usual_cc(name) == cc
        assert f"Congestion control unless --cc names another: {cc}." in cli("stacks", name).out


def test_defaults_are_shown_in_brackets(cli: Cli) -> None:
    assert "Transfer sizes. [10kB,100kB,1MB,10MB]" in in_one_line(cli("compare", "--help").out)
    assert "Vertical axis of the map. [rtt]" in in_one_line(cli("map", "--help").out)


def test_the_help_of_explore_has_what_its_page_shows_first(cli: Cli) -> None:
    shown = in_one_line(cli("explore", "--help").out)
    assert "[slow-start, limited-slow-start, hystart, hystart-plus-plus, search, jump-st" in shown
    assert "Transfer sizes. [1MB]" in shown
    assert "such as 5Mbps. [50Mbps]" in shown


def test_every_simple_field_of_a_path_is_an_option(cli: Cli) -> None:
    shown = cli("compare", "--help-all").out
    for field in dataclasses.fields(fs.NetworkPath):
        if field.name != "hops":  # a table of its own
            assert f"--{field.name.replace('_', '-')} " in shown
