"""Reading captures and logs."""

import ctypes
import dataclasses
import json
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart import _native
from flowstart.captures import qlog, sampling, server_log, sources
from flowstart.captures.contents import Capture, Group
from flowstart.captures.frames import CONNECTIONS, QUIC, TRANSFERS, frame
from flowstart.captures.sampling import Sample
from flowstart.errors import RequestError
from flowstart.model import input_files
from flowstart.simulation import bounds

if TYPE_CHECKING:
    import polars as pl


def listed(files: Sequence[str | pathlib.Path]) -> list[str]:
    """The files in the order given, folders as their files by name."""
    paths: list[str] = []
    for given in files:
        if not str(given):
            raise RequestError(
                "the name of a file is empty; a capture, a log or a folder is needed"
            )
        path = pathlib.Path(given)
        if str(given) != "-":
            input_files.check(path, "; give - to read a pipe from the standard input")
        if not path.is_dir():
            paths.append(str(given))
            continue
        inside = sorted(f for f in path.iterdir() if f.is_file() and not f.name.startswith("."))
        if not inside:
            raise RequestError(f"{given}: the folder holds no files; captures or logs are needed")
        paths += map(str, inside)
    twice = next((path for i, path in enumerate(paths) if path in paths[:i]), None)
    if twice is not None:
        raise RequestError(f"{twice} is given twice; its connections would count double")
    return paths


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
    *files: str | pathlib.Path,
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
    drawn = Sample.parse(sample, seed) if sample else None
    paths = listed(files)
    try:
        found = _read(paths, columns, progress)
    except RequestError as error:
        if anonymize:
            raise RequestError(sampling.without_names(str(error), paths)) from None
        raise
    found = dataclasses.replace(found, options=_options(columns, sample, anonymize))
    if drawn:
        found = found.sampled(drawn)
    return found.anonymized() if anonymize else found


def _options(
    columns: Mapping[str, str] | str | None, sample: str | None, anonymize: bool
) -> tuple[str, ...]:
    """What a command says to read in the same way."""
    if columns is not None and not isinstance(columns, str):
        columns = ",".join(f"{what}={column}" for what, column in columns.items())
    given = {"--columns": columns, "--sample": sample}
    words = [word for name, value in given.items() if value for word in (name, value)]
    return (*words, *(["--anonymize"] if anonymize else []))


def _read(
    paths: list[str],
    columns: Mapping[str, str] | str | None,
    progress: Callable[[int, int | None], object] | None,
) -> Capture:
    """The files as one capture, by what they are."""
    qlogs = [path for path in paths if path != "-" and qlog.is_qlog(path)]
    logs = [path for path in paths if path != "-" and server_log.is_table(path)]
    if qlogs and len(qlogs) < len(paths):
        raise RequestError(f"{qlogs[0]} is a qlog: qlogs cannot be combined with other files")
    if not logs:
        if columns is not None:
            raise RequestError(f"--columns: {paths[0]} is no table of transfers")
        if qlogs:
            return sources.call(progress, "qlog", qlogs, qlog.read, qlogs)
        return _captured(paths, progress)
    if len(paths) > 1:
        raise RequestError(f"{logs[0]} is a table of transfers: such a log is read alone")
    mapping = server_log.parse(columns) if isinstance(columns, str) else columns
    kind = server_log.kind(logs[0])
    return sources.call(progress, kind, logs, server_log.read, logs[0], mapping or {})


def _captured(paths: list[str], progress: Callable[[int, int | None], object] | None) -> Capture:
    """Packet captures and Zeek's logs."""
    with bounds.current().watched():
        text, tables = _native.read_capture(paths, progress)
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
        groups=[Group.of(group) for group in about["groups"]],
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
