"""Words that no text of flowstart has, each with what to write in its place."""

import re

BANNED = {
    # Programs report, show or print; algorithms and flows are "which" or "that".
    r"whom?": "which, that",
    r"(whoever|nobody)": "the noun, or the passive",
    r"(tells?|told|telling)": "report, show, indicate",
    r"(says|asks|asked|wants|wanted|knows)": "report, request, need",
    # Terms of the field.
    r"start-ups?": "startup",
    r"(sooner|soonest)": "faster, fastest",
    r"surely": "significantly",
    r"not (sure|enough)": "inconclusive, sample too small",
    r"(hurts?|hurting)": "harm, harmed",
    r"(company|companies)": "competing flows",
    r"beside": "next to, compared with, besides",
    r"(way (back|forward|there)|there and back)": "reverse path, forward path, round trip",
    r"the (least|most)": "minimum, maximum",
    r"strikes?": "loss burst",
    r"swings?": "peak-to-peak variation",
    r"held-out": "test set",
    r"(what remembers|remembered)": "cached",
    r"typical": "geometric mean of ratios",
    r"congestion avoidances?": "congestion control",
    # Clauses that a noun replaces.
    r"(goes|go|going) on": "continue, resume",
    r"(of|on) (its|one's|their|your) own": "separate, custom",
    r"(by|in) (itself|themselves)": "usually nothing",
    r"as it is": "unchanged",
    r"as often as needed": "repeatable",
    r"what is asked": "the request",
    r"at all": "usually nothing",
    r"is none that": "is not",
    r"(is|are|was) (not )?to be had": "available, unavailable",
    r"cannot be had": "unavailable",
    r"has not got": "lacks",
    r"(stands|lies)": "is",
    r"in a row": "consecutive",
    r"the same (of|for|on)": "the noun",
}
"""What replaces a pattern, by the pattern; each is found as whole words."""
_WORDS = re.compile(rf"(?<![\w-])(?:{'|'.join(BANNED)})(?![\w-])", re.IGNORECASE)


def banned(text: str, permitted: tuple[str, ...] = ()) -> list[str]:
    """The banned words in a text, without those in permitted phrases."""
    for phrase in permitted:
        text = text.replace(phrase, "")
    return [found[0] for found in _WORDS.finditer(" ".join(text.split()))]
