"""The file of `flowstart doctor --bundle`: what a report of a defect needs, and nothing private."""

import contextlib
import getpass
import ipaddress
import json
import os
import pathlib
import platform
import re
import socket
import zipfile
from collections.abc import Iterator
from typing import Any

from flowstart.cli import last_error
from flowstart.errors import RequestError
from flowstart.model import input_files

SETTINGS = re.compile(
    r"FLOWSTART_\w+|(OPENBLAS|OMP|POLARS|RAYON|RUST)_\w+|COLUMNS|LANG|LC_ALL|NO_COLOR|TERM|TMPDIR"
)
"""The environment variables that flowstart or its libraries read."""
LIMITS = ("AS", "CPU", "DATA", "FSIZE", "NOFILE", "NPROC", "STACK")
"""Those of getrlimit(2) that end a run or keep it from starting."""
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]?\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9a-fA-F:]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*")
_MAC = re.compile(r"(?<![\w:-])[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}(?![\w:-])")
_HOMES = re.compile(r"(/home|/Users|\\Users)[/\\]+[^/\\\s\"':]+")
"""Home folders of any user."""


def check(file: str, scenario: str | None) -> None:
    """Raises RequestError where the bundle could not be written or the scenario not be read."""
    from flowstart.render import folder

    if pathlib.Path(file).suffix != ".zip":
        raise RequestError(f"--bundle: `{file}`: a name that ends in .zip is needed")
    if pathlib.Path(file).is_dir():
        raise RequestError(f"--bundle: `{file}`: this is a folder, and a file is needed")
    folder.check_writable(pathlib.Path(file).absolute().parent, "--bundle")
    if scenario is not None:
        input_files.content(scenario)


def write(file: str, report: dict[str, Any], scenario: str | None) -> list[str]:
    """Writes the findings of `doctor`, the last error and the scenario; returns their names."""
    from flowstart.render import files

    texts = {"report.json": json.dumps(report | environment(), indent=1, ensure_ascii=False)}
    if error := last_error.read():
        texts["last-error.txt"] = error
    if scenario is not None:
        name = f"scenario{pathlib.Path(scenario).suffix}"
        texts[name] = input_files.content(scenario).decode("utf-8", "replace")
    path = pathlib.Path(file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            files.completed(path) as partial,
            zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name, text in texts.items():
                archive.writestr(zipfile.ZipInfo(name), redacted(text))
    except OSError as error:
        raise RequestError(f"--bundle: {file}: {error.strerror}") from None
    return [*texts]


def environment() -> dict[str, Any]:
    """The platform, the limits of the process, and the settings of its environment."""
    return {
        "platform": {
            "system": platform.platform(),
            "processor": platform.machine(),
            "libc": " ".join(platform.libc_ver()),
            "python": platform.python_implementation(),
        },
        "limits": _limits(),
        "settings": {k: v for k, v in sorted(os.environ.items()) if SETTINGS.fullmatch(k)},
    }


def _limits() -> dict[str, list[int]]:
    """The soft and the hard limit of each resource; -1 is none."""
    try:
        import resource
    except ImportError:  # Windows
        return {}
    known = [name for name in LIMITS if hasattr(resource, f"RLIMIT_{name}")]
    return {name: [*resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))] for name in known}


def redacted(text: str) -> str:
    """A text without addresses, host names, user names and paths of home folders."""
    text = text.replace(str(pathlib.Path.home()), "~")
    text = _HOMES.sub("~", text)
    for word, replacement in _names():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", replacement, text, flags=re.IGNORECASE)
    text = _IPV4.sub("ADDRESS", _MAC.sub("ADDRESS", text))
    return _IPV6.sub(lambda match: "ADDRESS" if _is_ipv6(match[0]) else match[0], text)


def _names() -> Iterator[tuple[str, str]]:
    """The names of this host and this user, the longest first."""
    hosts = {socket.gethostname(), platform.node(), os.environ.get("HOSTNAME", "")}
    hosts |= {part for host in hosts for part in host.partition(".")[::2]}
    users = {os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")}
    users.add(pathlib.Path.home().name)
    with contextlib.suppress(KeyError, OSError, ImportError):  # a user without a name
        users.add(getpass.getuser())
    named = {**dict.fromkeys(users, "USER"), **dict.fromkeys(hosts, "HOST")}
    yield from sorted(((w, r) for w, r in named.items() if w), key=lambda each: -len(each[0]))


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text.rstrip(".:") if not text.endswith("::") else text)
    except ValueError:
        return False
    return text != "::"
