"""`flowstart check`: whether a folder is as flowstart wrote it."""

import pathlib
import shlex
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from flowstart.cli import console, flags
from flowstart.errors import RequestError
from flowstart.questions.option import Argument

if TYPE_CHECKING:
    from flowstart.sweeps.execution.store import Store

FEW = 5
"""So many damaged files are listed, and with `--json` all."""


@dataclass(frozen=True)
class Checked:
    """What was found."""

    folder: str
    kind: str
    """`results` of `-o`, or a `sweep`."""
    state: str
    files: int
    damaged: list[str]
    """Files that are missing or not as they were written."""
    others: list[str]
    """Files that flowstart did not write, or has set aside."""
    repair: str | None
    """The command that writes them again, where it is known."""


def check(
    folder: Annotated[str, Argument("Folder of `-o`, or of a sweep.", "DIR")],
    json: flags.Json = False,
) -> int:
    """Verify the files of a results folder by their SHA-256.

    Exit status: 0 if all files are intact, 1 if a file is damaged or missing, 2 if flowstart did
    not write the folder.
    """
    result = checked(pathlib.Path(folder))
    if json:
        console.show_json(asdict(result))
    else:
        _show(result)
    return 1 if result.damaged else 0


def checked(folder: pathlib.Path) -> Checked:
    """Reads all files. Raises RequestError where the folder is not one of flowstart's."""
    from flowstart.render.folder import NAME
    from flowstart.sweeps.execution.store import Store

    if not folder.is_dir():
        problem = "this is a file" if folder.exists() else "there is no such folder"
        raise RequestError(f"{folder}: {problem}; a folder that flowstart has written is needed")
    if (folder / NAME).exists():
        return _results(folder)
    store = Store(folder)
    if store.files():
        return _sweep(store)
    raise RequestError(
        f"{folder}: it holds neither {NAME} nor a sweep; a folder that flowstart has "
        "written is needed"
    )


def _results(folder: pathlib.Path) -> Checked:
    from flowstart.render.folder import NAME, damaged_files, foreign, read

    damaged = damaged_files(folder)
    if NAME in damaged:
        return Checked(str(folder), "results", "unknown", 1, damaged, [], None)
    said = read(folder)
    repair = shlex.join(said["command"]) if said["command"] else None
    files = len(said["files"]) + 1
    others = foreign(folder)
    return Checked(str(folder), "results", said["state"], files, damaged, others, repair)


def _sweep(store: "Store") -> Checked:
    damaged = [*store.damaged(), *store.missing()]
    state = "complete" if store.complete else "unfinished"
    repair = f"flowstart sweep ... -o {shlex.quote(str(store.place))}"
    files = len(store.files())
    return Checked(str(store.place), "sweep", state, files, damaged, store.aside(), repair)


def _show(result: Checked) -> None:
    if not result.damaged:
        files = "its file is" if result.files == 1 else f"all {result.files:,} files are"
        console.say(f"{result.folder}: intact: {files} as written ({result.kind}, {result.state})")
    else:
        console.say(f"{result.folder}: damaged ({result.kind}, {result.state}):")
        _list(result.damaged)
        console.say(f"Repair: {result.repair or 'write the folder again'}")
    if result.others:
        console.say(f"Not verified, since it is not a part of the {result.kind}:")
        _list(result.others)


def _list(names: list[str]) -> None:
    for name in names[:FEW]:
        console.say(f"  {name}")
    if len(names) > FEW:
        console.say(f"  and {len(names) - FEW:,} more, all with --json")
