"""Answers with numbers in bulk: JSON, and behind it a tail of bytes (`web/src/protocol.ts`)."""

import json
from typing import Any


class Tail:
    """The bytes behind an answer's JSON, in pieces that begin at multiples of four."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._length = 0

    def add(self, piece: bytes) -> int:
        """Appends a piece; returns where in the tail it begins."""
        begin = self._length
        padded = _padded(piece)
        self._pieces.append(padded)
        self._length += len(padded)
        return begin

    def __bytes__(self) -> bytes:
        return b"".join(self._pieces)


def frame(head: Any, tail: Tail) -> bytes:
    """The length of the JSON (four bytes, little endian), the JSON, and the tail.

    The tail begins at a multiple of four.
    """
    text = encoded(head)
    return _padded(len(text).to_bytes(4, "little") + text) + bytes(tail)


def encoded(document: Any) -> bytes:
    """A document as JSON in UTF-8."""
    return json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def _padded(piece: bytes) -> bytes:
    return piece + bytes(-len(piece) % 4)
