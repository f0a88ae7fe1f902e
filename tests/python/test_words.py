"""The words of the interface: terms of the field, no riddles."""

import re
from collections.abc import Iterator

import pytest

from flowstart.cli import help_page
from flowstart.model.definitions import Part, parts
from test_help import COMMANDS, OF_TYPER

BANNED = (
    # Programs report, show or print; algorithms and flows are "which" or "that".
    r"whom?",
    r"whoever",
    r"nobody",
    r"tells?",
    r"told",
    r"(says|asks|wants|knows)",
    # Terms of the field.
    r"start-ups?",
    r"(sooner|soonest)",
    r"surely",
    r"not (sure|enough)",
    r"hurts?",
    r"company",
    r"beside",
    r"way (back|forward|there)",
    r"there and back",
    r"the (least|most)",
    r"strikes?",
    r"swings?",
    r"held-out",
    r"congestion avoidances?",
    r"(what remembers|remembered)",
    r"typical",
    # Clauses that a noun replaces.
    r"(goes|go) on",
    r"(of|on) (its|one's|their|your) own",
    r"(by|in) (itself|themselves)",
    r"as it is",
    r"as often as needed",
    r"at all",
    r"is none that",
    r"(is|are) (not )?to be had",
    r"what is asked",
    r"(stands|lies)",
    r"in a row",
    r"the same (of|for|on)",
)
"""Patterns that no text of the interface has, each as whole words."""
PERMITTED: tuple[str, ...] = ()
"""Phrases with such words that are right nevertheless."""


def banned(text: str) -> list[str]:
    """The banned words in a text."""
    for phrase in PERMITTED:
        text = text.replace(phrase, "")
    found = re.finditer(rf"(?<![\w-])({'|'.join(BANNED)})(?![\w-])", text, re.IGNORECASE)
    return [one[0] for one in found]


def texts_of_help(name: str) -> Iterator[str]:
    """What the help of a command has in words."""
    command = COMMANDS[name]
    yield from help_page.paragraphs(command)
    for one in command.params:
        if one.help and one.opts[0] not in OF_TYPER:
            yield help_page.meaning(one)
            yield getattr(one, "rich_help_panel", None) or ""


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
