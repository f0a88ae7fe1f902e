"""The words of messages, notes, headings, columns and the catalog: terms of the field."""

from collections.abc import Callable, Iterable
from functools import cache

import pytest

import shown_texts
from banned import banned
from shown_texts import Text

PERMITTED = {
    "Start-up Behavior": "the title of Hoe's paper",
    "paper says": "a paper is written by people, and has statements",
    "slide says": "as a paper",
    "typical HTTP 1.0 transactions": "the words of Jump Start's paper",
    "congestion avoidance": "the phase of RFC 5681 §3.1, which some startups enter or skip",
}
"""Phrases with banned words that are right nevertheless, with the reason."""
SOURCES = (
    *(shown_texts.of_python, shown_texts.of_rust, shown_texts.of_pages, shown_texts.of_files),
    *(shown_texts.of_columns, shown_texts.of_catalog),
)


@cache
def texts_of(source: Callable[[], Iterable[Text]]) -> tuple[Text, ...]:
    """The texts of a source, which is parsed once for all tests."""
    return tuple(source())


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.__name__))
def test_texts_have_no_banned_word(source: Callable[[], Iterable[Text]]) -> None:
    texts = texts_of(source)
    assert len(texts) > 100
    assert {place: (text, words) for place, text in texts if (words := of(text))} == {}


@pytest.mark.parametrize("phrase", PERMITTED)
def test_a_permitted_phrase_is_used(phrase: str) -> None:
    assert any(phrase in text for source in SOURCES for _, text in texts_of(source))


def of(text: str) -> list[str]:
    return banned(text, tuple(PERMITTED))


def test_a_banned_word_is_found_whatever_its_case_and_line() -> None:
    assert of("Who is told\nat\n  all?") == ["Who", "told", "at all"]


def test_a_part_of_a_longer_word_is_not_banned() -> None:
    assert of("whole, accompany, besides, start-up-free, understands") == []


def test_permitted_phrases_are_left_out() -> None:
    assert of("rounds before congestion avoidance") == []
