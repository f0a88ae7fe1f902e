"""What a file from outside is, by the first bytes of its content, unpacked where it is packed.

This is the one place that decides which reader a file is for, and what is said of a file that none
is for.
"""

import pathlib
import re
from dataclasses import dataclass
from enum import StrEnum

from flowstart import _native
from flowstart.captures import log_formats, sources
from flowstart.captures.log_formats import LogFormat


class Reader(StrEnum):
    """What reads a file; the files of one reader are read together."""

    PACKETS = "captures and conn.logs"
    QLOG = "qlogs"
    LOG = "server logs"
    NONE = ""


@dataclass(frozen=True)
class FileKind:
    """What a file is."""

    name: str
    reader: Reader = Reader.NONE
    remedy: str = (
        "expected pcap, pcapng, Zeek conn.log as TSV or JSON, qlog, or a server log as text, CSV, "
        "JSON lines or Parquet"
    )
    """What to do with a file that is not read."""
    form: LogFormat = log_formats.TABLE
    """Of a server log: how it is written."""

    @property
    def refusal(self) -> str:
        """Why a file of this kind is not read, and what to do instead."""
        return f"{self.name}: {self.remedy}"


CAPTURE = FileKind("a capture", Reader.PACKETS)
"""Also what only the reader in Rust unpacks or describes, such as Zstandard and damage."""
CONNECTIONS = FileKind("a Zeek conn.log", Reader.PACKETS)
QLOG = FileKind("a qlog", Reader.QLOG)
EMPTY = FileKind("empty (0 bytes)")
"""Also when it is unpacked."""
UNKNOWN = FileKind("not a capture or log")
FOLDER = FileKind("a folder, read where it is named")
SPECIAL = FileKind("no regular file")
DANGLING = FileKind("a symbolic link to a file that is not there", remedy="name the file itself")
UNPACK = "unpack it first"
CONVERT = "convert it with editcap -F pcapng"
MAGIC = {
    b"\xd4\xc3\xb2\xa1": CAPTURE,
    b"\xa1\xb2\xc3\xd4": CAPTURE,
    b"\x4d\x3c\xb2\xa1": CAPTURE,
    b"\xa1\xb2\x3c\x4d": CAPTURE,
    b"\n\r\r\n": CAPTURE,
    b"\x28\xb5\x2f\xfd": CAPTURE,  # Zstandard
    b"PAR1": FileKind("Parquet", Reader.LOG, form=log_formats.PARQUET),
    b"BZh": FileKind("a bzip2 archive", remedy=UNPACK),
    b"PK\x03\x04": FileKind("a zip archive", remedy=UNPACK),
    b"snoop\0\0\0": FileKind("a snoop capture", remedy=CONVERT),
    b"GMBU": FileKind("a Network Monitor capture", remedy=CONVERT),
    b"LPKSHHRH": FileKind("a systemd journal", remedy="export the access log as text"),
    b"\xff\xfe": FileKind("UTF-16 text", remedy="convert it with iconv -f UTF-16 -t UTF-8"),
    b"\xfe\xff": FileKind("UTF-16 text", remedy="convert it with iconv -f UTF-16 -t UTF-8"),
}
"""Files by their first bytes."""
BROWSER = "record packets or a qlog, or export a table of its transfers as CSV"
TEXTS = {
    # The order of keys is free: mvfst may write `qlog_version` behind the events.
    rb"[\x1e{].*?(?:\"qlog_version\"|\"qlog_format\"|params:qlog|\"event_fields\")": QLOG,
    rb"\{\s*\"log\"\s*:\s*\{": FileKind("a HAR (HTTP archive)", remedy=BROWSER),
    rb"\{\s*\"(?:constants\"\s*:\s*\{|events\"\s*:\s*\[)": FileKind(
        "a netlog of Chrome", remedy=BROWSER
    ),
    rb"\{\s*\"log\"\s*:\s*\"": FileKind(
        "a log of Docker", remedy="write it as text with docker logs CONTAINER"
    ),
    rb"\{\s*\"__\w+\"": FileKind(
        "a journal as JSON", remedy="write its lines with journalctl -o cat"
    ),
    rb"\{\s*\"traceEvents\"": FileKind("a trace of Chrome", remedy=BROWSER),
    rb"\[\s*[\{\]]": FileKind(
        "a JSON array", remedy="write an object a line, such as with jq -c '.[]'"
    ),
    rb"\{\s*\n": FileKind(
        "JSON over several lines", remedy="write an object a line, such as with jq -c ."
    ),
    rb"### BTest": FileKind(
        "a baseline of Zeek's tests", remedy="its times are masked; give the log"
    ),
    rb"(?i)<(?:!doctype|html|\?xml)": FileKind("a page of HTML or XML"),
    rb"\d{4}/\d\d/\d\d [\d:]{8} \[\w+\] ": FileKind(
        "nginx's error log", remedy="its access log is needed"
    ),
    rb"\[\w{3} \w{3} \d\d [\d:.]+ \d{4}\] \[": FileKind(
        "Apache's error log", remedy="its access log is needed"
    ),
}
"""Texts by their beginning, none of which is a log of lines."""
SYSLOG = FileKind("a syslog", remedy="the access log of a server is needed")
SYSLOG_LINE = re.compile(
    rb"(?:<\d+>)?(?:1 )?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT[\d:.]+\S*) \S+ [^,;\t]"
)
BOM = b"\xef\xbb\xbf"


def of(file: str) -> FileKind:
    """What a file of a folder is, or one that is named."""
    path = pathlib.Path(file)
    if path.is_dir():
        return FOLDER
    if path.exists() and not path.is_file():
        return SPECIAL
    if path.is_symlink() and not path.exists():
        return DANGLING
    if start := sources.start_of(file):
        return of_start(start)
    return EMPTY if path.is_file() and path.stat().st_size == 0 else CAPTURE


def is_capture(start: bytes) -> bool:
    """Whether a file begins as a capture of packets, compressed with Zstandard or not."""
    return any(start.startswith(magic) for magic, kind in MAGIC.items() if kind is CAPTURE)


def of_start(start: bytes) -> FileKind:
    """What a file with these first bytes is, packed or not."""
    start, ends = sources.unpacked(start)
    if not start:
        return EMPTY if ends else CAPTURE
    kind = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
    if kind or b"\0" in start:
        return kind or (
            FileKind("a tar archive", remedy=UNPACK)
            if start[257:262] == b"ustar"
            else _of_holes(start)
        )
    text = start.removeprefix(BOM).lstrip(b" \t\r\n")
    for pattern, of_text in TEXTS.items():
        if re.match(pattern, text, re.DOTALL):
            return of_text
    if text[:1] in (b"{", b"#") and (log := _native.zeek_log(text)) is not None:
        return _of_zeek(log)
    if text.startswith(b"{"):
        return _of_json(text)
    return _of_extended(text) if text.startswith(b"#") else _of_lines(text)


def _of_holes(start: bytes) -> FileKind:
    """Lines of a server with null bytes, as a crash or logrotate's `copytruncate` leaves them."""
    kind = _of_lines(start.replace(b"\0", b""))
    return kind if kind.form.layout is log_formats.Layout.LINES else UNKNOWN


def _of_extended(text: bytes) -> FileKind:
    """A text that begins with `#` and is no log of Zeek's."""
    if re.search(rb"^#Fields:", text, re.MULTILINE):
        other = re.search(rb"^#Software:(?!.*(?:Internet Information|IIS))", text, re.MULTILINE)
        form = log_formats.W3C_OTHER if other else log_formats.W3C
        return FileKind("a W3C extended log", Reader.LOG, form=form)
    return UNKNOWN


def _of_zeek(path: str) -> FileKind:
    if path in ("conn", "conn-summary"):
        return CONNECTIONS
    name = f"Zeek's {path}.log" if path else "a log of Zeek's other than conn.log"
    return FileKind(name, remedy="its conn.log is needed")


MOST_LINES = 20
"""So many lines of JSON show what a log is."""


def _of_json(text: bytes) -> FileKind:
    """JSON lines, by the names in the first ones: messages of the server may be among them."""
    lines = text.split(b"\n")[:MOST_LINES]
    named = re.findall(rb'"([^"\\]+)"\s*:', b"\n".join(lines))
    names = {name.decode(errors="replace") for name in named}
    forms = (form for form in log_formats.JSON if form.marks <= names)
    form = next(forms, log_formats.JSON_LINES)
    return FileKind(form.name, Reader.LOG, form=form)


def _of_lines(text: bytes) -> FileKind:
    """Lines of text: those of a server, or a table."""
    lines = text.decode(errors="replace").splitlines()
    counts = {
        form.name: sum(bool(re.match(form.pattern, line)) for line in lines)
        for form in log_formats.TEXT
    }
    form = max(log_formats.TEXT, key=lambda form: counts[form.name])
    if counts[form.name]:
        return FileKind(form.name, Reader.LOG, form=form)
    if SYSLOG_LINE.match(text):
        return SYSLOG
    if lines and any(mark in lines[0] for mark in ",;\t"):
        return FileKind("a table of text", Reader.LOG)
    return UNKNOWN
