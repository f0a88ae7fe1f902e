"""Reading captures and logs."""

import ctypes
import dataclasses
import json
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from flowstart import _native
from flowstart.captures import (
    log_columns,
    qlog,
    sampling,
    selection,
    server_log,
    sources,
    standard_input,
)
from flowstart.captures.contents import Capture, RemoteNetwork
from flowstart.captures.frames import CONNECTIONS, QUIC, TRANSFERS, frame
from flowstart.captures.kinds import FileKind, Reader
from flowstart.captures.sampling import SampleSize
from flowstart.captures.selection import Selection
from flowstart.errors import RequestError
from flowstart.simulation import bounds

if TYPE_CHECKING:
    import polars as pl

GivenColumns: TypeAlias = Mapping[str, str] | str | None
Progress: TypeAlias = Callable[[int, int | None], object]


def give_back() -> None:
    """Asks the allocator for what it keeps for later.

    glibc keeps what threads that have ended had freed: after a long capture hundreds of megabytes,
    which nobody asks for again. Where the C library has no `malloc_trim`, nothing happens.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)


LOGS = ("zeek-tsv", "zeek-json")
"""Formats whose rows are in the order of the ends of their connections."""


def read_capture(
    *files: str | os.PathLike[str],
    columns: Mapping[str, str] | str | None = None,
    sample: str | None = None,
    seed: int = 1,
    anonymize: bool = False,
    progress: Callable[[int, int | None], object] | None = None,
) -> Capture:
    """Reads packet captures (pcap, pcapng), Zeek conn.logs, qlogs or server logs as one.

    The content decides what a file is, compressed or not. Memory grows with the number of
    connections and transfers, not with the size of files.

    Args:
        *files: Files or folders of files; `-` is the standard input.
        columns: Meaning of the columns of a server log: `"time=ts,bytes=size,rtt=rtt_us:us"`.
        sample: Share (`"10%"`) or number (`"5000"`) of the connections to draw.
        seed: Seed of the sample.
        anonymize: Whether to rename networks and drop addresses.
        progress: Called as `progress(bytes, total)` a few times a second.

    Returns:
        The connections, transfers and networks.

    Raises:
        RequestError: No file is given, or a file is none of these.

    Example:
        >>> import flowstart as fs
        >>> found = fs.read_capture("mine.pcap")  # doctest: +SKIP
        >>> found.transfers["bytes"].sum()  # doctest: +SKIP
        1843200
    """
    if not files:
        raise RequestError("no file is given: name a capture, a log or a folder of them")
    drawn = SampleSize.parse(sample, seed) if sample else None
    paths = selection.listed(files)
    try:
        capture = (
            _of_stdin(columns, progress)
            if selection.STDIN in paths
            else _read(paths, columns, progress)
        )
    except RequestError as error:
        if anonymize:
            raise RequestError(sampling.without_names(str(error), list(paths))) from None
        raise
    options = _options(columns, sample, anonymize)
    named = tuple(map(str, files)) if any(paths.values()) else ()
    capture = dataclasses.replace(capture, options=options, named=named)
    if drawn:
        capture = capture.sampled(drawn)
    return capture.anonymized() if anonymize else capture


def _options(
    columns: Mapping[str, str] | str | None, sample: str | None, anonymize: bool
) -> tuple[str, ...]:
    """What a command says to read in the same way."""
    if columns is not None and not isinstance(columns, str):
        columns = ",".join(f"{what}={column}" for what, column in columns.items())
    options = {"--columns": columns, "--sample": sample}
    words = [word for name, value in options.items() if value for word in (name, value)]
    return (*words, *(["--anonymize"] if anonymize else []))


def _of_stdin(columns: GivenColumns, progress: Progress | None) -> Capture:
    """The standard input as a capture, by its first bytes."""
    start = standard_input.beginning()
    if standard_input.kind_of(start).reader is Reader.PACKETS:
        _refuse_columns(columns, standard_input.NAME)
        return _captured([selection.STDIN], progress, start)
    with standard_input.kept(start) as file:
        return standard_input.renamed(_read({file: False}, columns, progress), file)


def _read(paths: Mapping[str, bool], columns: GivenColumns, progress: Progress | None) -> Capture:
    """The files as one capture, by what they are; those of a folder as far as they can be read."""
    damaged: dict[str, FileKind] = {}
    while True:
        selected = selection.select(paths, damaged)
        try:
            capture = _of_kind(selected, columns, progress)
        except RequestError as error:
            if not error.file or not paths.get(error.file):
                raise
            damaged[error.file] = selection.damage(error, error.file)
        else:
            return dataclasses.replace(capture, warnings=[*selected.warnings, *capture.warnings])


def _of_kind(selected: Selection, columns: GivenColumns, progress: Progress | None) -> Capture:
    files = list(selected.kinds)
    if selected.reader is not Reader.LOG and pathlib.Path(files[0]).exists():
        _refuse_columns(columns, files[0])
    if selected.reader is Reader.PACKETS:
        return _captured(files, progress)
    if selected.reader is Reader.QLOG:
        return sources.call(progress, "qlog", files, qlog.read, files)
    mapping = log_columns.parse(columns) if isinstance(columns, str) else columns or {}
    forms = {file: kind.form for file, kind in selected.kinds.items()}
    name = forms[files[0]].name
    return sources.call(progress, name, files, server_log.read, forms, mapping)


def _refuse_columns(columns: GivenColumns, name: str) -> None:
    if columns is not None:
        raise RequestError(f"--columns: {name} is not a table of transfers")


def _captured(paths: list[str], progress: Progress | None, stdin_start: bytes = b"") -> Capture:
    """Packet captures and Zeek's logs."""
    with bounds.current().watched():
        text, tables = _native.read_capture(paths, progress, stdin_start)
    give_back()  # what the reader knew of the paths
    about = json.loads(text)
    connections, transfers = (frame(tables.pop(name)) for name in ("connections", "transfers"))
    give_back()  # the reader's columns
    if set(about["formats"]) <= set(LOGS):
        connections, transfers = _by_start(connections, transfers)
    return Capture(
        files=tuple(paths),
        connections=_dressed(connections, paths),
        transfers=transfers.select(*TRANSFERS),
        quic=_named(frame(tables.pop("quic")), paths)
        .select(*QUIC)
        .sort("start", maintain_order=True),
        groups=[RemoteNetwork.of(group) for group in about["groups"]],
        about={
            "format": ", ".join(dict.fromkeys(about["formats"])),
            **{name: about[name] for name in ("link_types", "tunnels", "packets", "unreadable")},
        },
        warnings=about["warnings"],
        notes=about["notes"],
    )


def _by_start(
    connections: "pl.DataFrame", transfers: "pl.DataFrame"
) -> tuple["pl.DataFrame", "pl.DataFrame"]:
    """The connections of logs with numbers in the order of their starts."""
    import polars as pl

    ordered = connections.sort("start", maintain_order=True)
    numbers = ordered.select(
        pl.col("stream").alias("connection"),
        pl.int_range(pl.len(), dtype=pl.UInt32).alias("number"),
    )
    renamed = transfers.join(numbers, on="connection", maintain_order="left")
    renamed = renamed.with_columns(connection=pl.col("number")).drop("number")
    renumbered = ordered.with_columns(stream=pl.int_range(pl.len(), dtype=pl.UInt32))
    return renumbered, renamed.sort("start", "connection", maintain_order=True)


def _dressed(connections: "pl.DataFrame", paths: list[str]) -> "pl.DataFrame":
    """The rows with the names of files and the version of IP, and the ends in front."""
    import polars as pl

    version = pl.when(pl.col("client_ip").str.contains(":", literal=True)).then(6).otherwise(4)
    named = _named(connections, paths)
    offered = pl.col("timestamps", "sack").cast(pl.Boolean)
    return named.with_columns(offered, ip_version=version.cast(pl.UInt8)).select(*CONNECTIONS)


def _named(rows: "pl.DataFrame", paths: list[str]) -> "pl.DataFrame":
    """The rows with the names of files in place of their numbers."""
    import polars as pl

    return rows.with_columns(file=pl.Series(paths, dtype=pl.String).gather(rows["file"]))
