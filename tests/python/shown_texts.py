"""The texts that flowstart shows: messages, notes, headings, columns and the catalog."""

import ast
import dataclasses
import pathlib
import re
import tomllib
from collections.abc import Iterator

from flowstart.model import catalog
from flowstart.render import columns

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = (ROOT / "python" / "flowstart", ROOT / "python" / "flowstart_papers")
COMMANDS = (PACKAGES[0] / "cli", PACKAGES[1] / "command.py")
"""Their texts of help have a test of their own."""
FIELDS = ROOT / "crates" / "sim" / "src" / "spec"
"""Texts of fields are texts of help."""
TOOLS = ("fuzz", "packetdrill")
"""Crates whose messages only developers see."""
MESSAGES = ("RequestError", "SimulationError", "say")
"""Calls of commands that show a text."""
RAW = re.compile(r'\br(#+)".*?"\1', re.DOTALL)
LITERAL = re.compile(r'//[^\n]*|"((?:[^"\\]|\\.)*)"|\'(?:[^\'\\]|\\.)\'', re.DOTALL)
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
SCRIPT_LITERAL = re.compile(r"([\"`])((?:(?!\1)[^\\]|\\.)*)\1")
FILLED_IN = re.compile(r"\$\{[^}]*\}")
WORDY = re.compile(r"[A-Za-z]{2,}:? [a-z]{2,}")
"""A text for people has two words; others are names."""

Text = tuple[str, str]
"""Where a text is, and the text."""


def of_python() -> Iterator[Text]:
    """String literals of the package that are no docstrings; of commands, the messages."""
    for file in _files("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if any(file.is_relative_to(commands) for commands in COMMANDS):
            nodes = [each for call in ast.walk(tree) if _shows(call) for each in ast.walk(call)]
        else:
            nodes = list(ast.walk(tree))
        silent = {id(part) for node in nodes for part in _without_text(node)}
        for node in nodes:
            if id(node) not in silent and WORDY.search(text := _text(node)):
                yield f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", text


def _files(pattern: str) -> Iterator[pathlib.Path]:
    for package in PACKAGES:
        yield from sorted(package.rglob(pattern))


def _shows(node: ast.AST) -> bool:
    """Whether a call shows its arguments."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in MESSAGES


def _without_text(node: ast.AST) -> list[ast.AST]:
    """What of a node is no text of its own: docstrings, also those of fields; parts of texts."""
    if isinstance(node, ast.Expr):
        return [node.value]
    return list(ast.iter_child_nodes(node)) if isinstance(node, ast.JoinedStr) else []


def _text(node: ast.AST) -> str:
    """The text of a literal, with `{}` for what an f-string fills in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            _text(part) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return ""


def of_rust() -> Iterator[Text]:
    """String literals of the crates' sources, without those of tests and comments."""
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        parts = file.relative_to(ROOT / "crates").parts
        if parts[0] in TOOLS or FIELDS in file.parents or file.stem in ("tests", "testing"):
            continue
        source = RAW.sub('""', file.read_text(encoding="utf-8")).split("#[cfg(test)]")[0]
        for found in LITERAL.finditer(source):
            text = re.sub(r"\\\n\s*", "", found[1] or "")
            if WORDY.search(text):
                yield (
                    f"{file.relative_to(ROOT)}:{source.count(chr(10), 0, found.start()) + 1}",
                    text,
                )


def of_pages() -> Iterator[Text]:
    """String literals of the pages' scripts, without comments."""
    for file in sorted((ROOT / "web" / "src").rglob("*.ts")):
        source = SCRIPT_COMMENT.sub("", file.read_text(encoding="utf-8"))
        for found in SCRIPT_LITERAL.finditer(source):
            if WORDY.search(text := FILLED_IN.sub("{}", found[2])):
                yield str(file.relative_to(ROOT)), text


def of_files() -> Iterator[Text]:
    """Texts of the packages' TOML files."""
    for file in _files("*.toml"):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        yield from _leaves(str(file.relative_to(ROOT)), table)


def of_columns() -> Iterator[Text]:
    """Texts of all columns and tables."""
    for table in columns.tables().values():
        yield from _leaves(f"columns of {table.name}", dataclasses.asdict(table))


def of_catalog() -> Iterator[Text]:
    """Texts of algorithms, congestion controls, queues and rates, with their parameters."""
    for entry in catalog.list_algorithms():
        yield from _leaves(entry.name, dataclasses.asdict(entry))


def _leaves(place: str, table: object) -> Iterator[Text]:
    """The texts in a document."""
    if isinstance(table, str):
        yield place, table
    elif isinstance(table, dict):
        for key, value in table.items():
            yield from _leaves(f"{place}, {key}", value)
    elif isinstance(table, list | tuple):
        for value in table:
            yield from _leaves(place, value)


def unchecked_numbers(text: str, facts: list[str]) -> list[str]:
    """The numbers of a text that none of the facts has, all of which the text states."""
    assert [fact for fact in facts if fact not in text] == []
    checked = " ".join(facts)
    numbers = re.findall(r"\d[\d.,]*\d|\d", text)
    return [number for number in numbers if number not in checked]
