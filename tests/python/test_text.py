"""Numbers for people."""

import pytest

from flowstart import text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (0.0, "0 s"),
        (1.23456, "1.235 s"),
        (12.3456, "12.35 s"),
        (1234.5, "1234 s"),
        (0.0567, "56.70 ms"),
        (0.00089, "890.0 µs"),
    ],
)
def test_seconds(value: float | None, words: str) -> None:
    assert text.seconds(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "–"), (999, "999 B"), (100_000, "100 kB"), (1_500_000, "1.5 MB"), (1e10, "10 GB")],
)
def test_size(value: float | None, words: str) -> None:
    assert text.size(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "–"), (0.0, "0 %"), (-0.0001, "0 %"), (0.123, "+12.3 %"), (-0.045, "−4.5 %")],
)
def test_percent(value: float | None, words: str) -> None:
    assert text.percent(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [(None, "–"), (3, "3"), (2.5, "2.5"), (1234.4, "1,234")]
)
def test_count(value: float | None, words: str) -> None:
    assert text.count(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [(None, "–"), (1.0, "1.00"), (1.945, "1.95"), (26.34, "26.3"), (263, "263")]
)
def test_ratio(value: float | None, words: str) -> None:
    assert text.ratio(value) == words


@pytest.mark.parametrize(
    ("words", "found"),
    [("30.00 ms", "30 ms"), ("7.500 ms", "7.5 ms"), ("1.05", "1.05"), ("100 kB", "100 kB")],
)
def test_brief(words: str, found: str) -> None:
    assert text.brief(words) == found


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain × text – kept\n\tas it is", "plain × text – kept\n\tas it is"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\rb", "a\\rb"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_as_an_escape(given: str, shown: str) -> None:
    assert text.printable(given) == shown
