"""The words of the interface: terms of the field, no riddles."""

from collections.abc import Iterator

import pytest

import words
from banned import banned
from flowstart.cli import help_page
from flowstart.model.definitions import Part, parts
from test_help import COMMANDS


def texts_of_help(name: str) -> Iterator[str]:
    """What the help of a command has in words."""
    command = COMMANDS[name]
    yield from help_page.paragraphs(command)
    for each in command.parameters:
        yield help_page.row(each)[1]
        yield each.option.panel or ""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_no_banned_word(name: str) -> None:
    assert {text: found for text in texts_of_help(name) if (found := banned(text))} == {}


@pytest.mark.parametrize("part", parts().values(), ids=lambda part: part.name)
def test_the_fields_of_a_scenario_have_no_banned_word(part: Part) -> None:
    texts = [part.about, *(f"{field.doc} [{field.usual}]" for field in part.fields)]
    assert {text: found for text in texts if (found := banned(text))} == {}


def test_a_banned_word_is_found_as_a_whole_word() -> None:
    assert banned("Who is told?") == ["Who", "told"]
    assert banned("whole, accompany, start-up-free, besides") == []
    assert banned("It goes on by itself") == ["goes on", "by itself"]


WORDS = 36_850
"""How many words the pages may have that a person writes."""


def test_the_pages_keep_to_their_budget_of_words() -> None:
    pages = words.pages()
    assert words.count(pages["README.md"]) <= 700
    assert sum(map(words.count, pages.values())) <= WORDS


def test_code_and_filled_tables_are_not_counted() -> None:
    page = (
        "# One two\n\n[Three four](five-six.md) x 7.\n\n    not this\n\n```\nnor this\n```\n\n"
        "<!-- named paths -->\n| nor | this |\n<!-- end of named paths -->\n\nFive\n"
    )
    assert words.count(words.prose(page)) == 5


def test_the_pages_have_no_banned_word() -> None:
    # qlog names a state "congestion avoidance".
    allowed = {"docs/guides/traces.md": ("congestion avoidance",)}
    found = {
        name: wrong
        for name, text in words.pages().items()
        if (wrong := banned(words.unquoted(text), allowed.get(name, ())))
    }
    assert found == {}


TITLES = (
    "Congestion Avoidance and Control",
    "End to End Congestion Avoidance",
    "Fast Start-Up TCP Mechanism",
    "Gateways for Congestion Avoidance",
    "Improving the Start-up Behavior",
)
"""Titles of papers."""


def test_doc_comments_have_no_banned_word() -> None:
    assert banned(words.doc_comments(), TITLES) == []
