"""The types of what a start-up is told, for editors and mypy: written from the Rust definitions."""

import re
import textwrap

from flowstart._native import EVENTS, SIGNALS

HEAD = '''"""What a start-up is told: the signals of `crates/control/src/signals.rs`.

Written by `make docs`. Frozen classes: sizes are bytes, sequence positions too, windows
segments, times whole nanoseconds, rates bits per second.
"""

from typing import final

from flowstart._native import Window
from flowstart.model.startup import Reason

class Events:
    """The hooks that are told of one event and may edit the window.

    They do nothing unless they are written.
    """

'''
WIDTH = 100


def text() -> str:
    """The file `signals.pyi`."""
    hooks = [
        f"    def {hook}(self, w: Window, {argument}: {signal}) -> {answer}:\n{_doc(doc, 8)}"
        for hook, doc, argument, signal, answer in EVENTS
    ]
    classes = [
        f"@final\nclass {name}:\n{_doc(doc, 4)}\n"
        + "".join(f"    {field}: {kind}\n{_doc(words, 4)}" for field, kind, words in fields)
        for name, doc, fields in SIGNALS
    ]
    return HEAD + "".join(hooks) + "\n" + "\n".join(classes)


def _doc(words: str, indent: int) -> str:
    """A docstring; links of Rust's are names here."""
    plain = re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", words)
    margin = " " * indent
    lines = textwrap.wrap(f'"""{plain}"""', WIDTH - indent, break_on_hyphens=False)
    if len(lines) > 1:
        lines = [*textwrap.wrap(f'"""{plain}', WIDTH - indent, break_on_hyphens=False), '"""']
    return "".join(f"{margin}{line}\n" for line in lines)
