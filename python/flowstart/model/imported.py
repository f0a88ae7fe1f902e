"""The modules of the user's own that a piece of Python imports, as texts."""

import ast
import pathlib
import sys
import sysconfig
from collections.abc import Iterator

PACKAGE = pathlib.Path(__file__).parents[1]
"""flowstart itself, which has a version."""


def texts(source: str, package: str = "") -> dict[str, str]:
    """The texts of the modules that `source` and they themselves import, by file.

    These are modules that are loaded, in files outside of Python's own and installed packages.
    """
    texts: dict[str, str] = {}
    waiting = [(source, package)]
    while waiting:
        for name in _names(*waiting.pop()):
            module = sys.modules.get(name)
            file = pathlib.Path(getattr(module, "__file__", None) or "")
            if file.suffix != ".py" or str(file) in texts or not _is_own(file):
                continue
            try:
                texts[str(file)] = text = file.read_text(encoding="utf-8")
            except (OSError, UnicodeError):
                continue
            waiting.append((text, getattr(module, "__package__", None) or ""))
    return dict(sorted(texts.items()))


def _names(source: str, package: str) -> Iterator[str]:
    """The modules that a source may import, also within functions."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level]
            base = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: end + 1]) for end in range(len(parts)))


def _is_own(file: pathlib.Path) -> bool:
    """Whether a module is neither Python's, nor an installed package's, nor flowstart's."""
    paths = sysconfig.get_paths()
    others = [PACKAGE, *(pathlib.Path(paths[name]) for name in ("stdlib", "purelib", "platlib"))]
    return not any(file.is_relative_to(other) for other in others)
