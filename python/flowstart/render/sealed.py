"""Files that hold their own SHA-256, so that a single bit that has changed is noticed.

The digest is a field of the file, whatever its format: of JSON, of Parquet's metadata, of a comment
in HTML, a line of text. It is the digest of the file with zeros in the field's place. So it is
written with the file, in one piece: no kill and no second writer can part the two.
"""

import hashlib
import pathlib
import re

from flowstart.render import files

FIELD = "own_sha256"
"""How the field is called. Its last place in a file is the one that counts."""
BLANK = "0" * 64
"""What stands there before the digest is known."""
_VALUE = re.compile(rb"\W{2,4}([0-9a-f]{64})")
"""The field's value, after what the format puts between."""


def seal(content: bytes) -> bytes:
    """The content of a file with the digest in its blank field."""
    place = _place(content)
    if place is None:
        raise ValueError(f"the content has no field {FIELD}")
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:place] + digest + content[place + len(BLANK) :]


def document(said: dict[str, object]) -> bytes:
    """A document as sealed JSON text."""
    return seal(files.encoded({**said, FIELD: BLANK}))


def comment() -> str:
    """The blank field as it ends a page."""
    return f"<!-- {FIELD}: {BLANK} -->\n"


def is_intact(file: pathlib.Path) -> bool:
    """Whether a file is there and as it was sealed."""
    try:
        content = file.read_bytes()
    except OSError:
        return False
    place = _place(content)
    if place is None:
        return False
    end = place + len(BLANK)
    found = hashlib.sha256(content[:place])
    found.update(BLANK.encode())
    found.update(memoryview(content)[end:])
    return found.hexdigest().encode() == content[place:end]


def _place(content: bytes) -> int | None:
    """Where the field's value begins."""
    name = content.rfind(FIELD.encode())
    found = _VALUE.match(content, name + len(FIELD)) if name >= 0 else None
    return found.start(1) if found else None
