"""Builds of revisions: each from a worktree and into a target directory of its own.

All of it is in one temporary directory, which is removed afterwards, whatever happens.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import profiles
from failures import BuildError, RequestError

ROOT = pathlib.Path(__file__).parent.parent


@dataclass(frozen=True)
class Revision:
    """A commit of this repository."""

    name: str
    """Its short name."""
    date: str
    """When it was committed, such as 2026-11-22."""


def resolve(name: str) -> Revision:
    """The commit that a user's name of a revision stands for."""
    if not name:
        raise RequestError("REV is missing: give a commit, branch or tag, such as REV=HEAD~5")
    query = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    commit = git(*query).stdout.strip()
    if not commit:
        raise RequestError(f"REV `{name}` is not a commit, branch or tag of this repository")
    shown = git("show", "--no-patch", "--format=%h %cs", commit).stdout.split()
    return Revision(*shown)


def is_dirty() -> bool:
    """Whether the working tree has changes that no revision has."""
    return bool(git("status", "--porcelain", "--untracked-files=no").stdout)


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What git says of this repository."""
    return subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True)


@contextlib.contextmanager
def built(revisions: Sequence[Revision], guided: bool = False) -> Iterator[list[pathlib.Path]]:
    """The `workloads` programs of revisions, for as long as the context lasts.

    With `guided` they are compiled with a profile of themselves.
    """
    with tempfile.TemporaryDirectory(prefix="flowstart-bench-") as folder:
        trees = [pathlib.Path(folder) / f"{n}-{r.name}" for n, r in enumerate(revisions)]
        try:
            yield [build(r, tree, guided) for r, tree in zip(revisions, trees, strict=True)]
        finally:
            # A second Ctrl-C would leave the worktrees behind.
            before = signal.signal(signal.SIGINT, signal.SIG_IGN)
            for tree in trees:
                git("worktree", "remove", "--force", "--force", str(tree))
            git("worktree", "prune")
            signal.signal(signal.SIGINT, before)


def build(revision: Revision, tree: pathlib.Path, guided: bool) -> pathlib.Path:
    """Builds a revision in a worktree that is made for it."""
    print(f"building {revision.name} of {revision.date}", file=sys.stderr)
    added = git("worktree", "add", "--detach", "--quiet", str(tree), revision.name)
    if added.returncode != 0:
        raise BuildError(f"{revision.name} cannot be checked out: {added.stderr.strip()}")
    target = tree / "target"
    settings = os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0"}
    if guided:
        settings = profiles.guided(tree, target, settings)
    done = subprocess.run(profiles.BUILD, cwd=tree, env=settings, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{revision.name} does not build:\n{done.stderr.strip()}")
    return target / "release" / "workloads"
