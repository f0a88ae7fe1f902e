"""Which files of a Rust crate use which, read from their sources.

It knows as much of Rust as that needs: modules, `use` trees, and paths in the code. What stands
under `#[cfg(test)]` is left out. A file uses another where it names an item that is *defined*
there, by whatever way the name comes: through a re-export, a module that was imported, or a glob.
To declare a module (`mod queue;`) is not to use it, and neither is to re-export an item that the
file itself does not mention again.
"""

import pathlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Path: TypeAlias = tuple[str, ...]

_TOKEN = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/                      # comments
    | b?r(?P<hashes>\#*)".*?"(?P=hashes)      # raw strings
    | b?c?"(?:\\.|[^"\\])*"                   # strings
    | b?'(?:\\[^']+|\\'|[^'\\])'              # characters
    | '\w+                                    # lifetimes
    | (?P<kept>(?:r\#)?\w+ | :: | [^\s\w])
    """,
    re.VERBOSE | re.DOTALL,
)
_ITEMS = ("fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(eq=False)
class Module:
    """A module, which has a file of its own or stands within its parent's."""

    file: pathlib.Path
    parent: "Module | None" = None
    children: "dict[str, Module]" = field(default_factory=dict)
    items: set[str] = field(default_factory=set)
    """The names that it defines."""
    imports: dict[str, Path] = field(default_factory=dict)
    """The names that it brings in."""
    unnamed: list[Path] = field(default_factory=list)
    """What it brings in without a name: `use Trait as _`."""
    exports: set[str] = field(default_factory=set)
    """Which of its imports it passes on."""
    globs: list[Path] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    """The paths in its code."""
    words: set[str] = field(default_factory=set)
    """Every word of its code but those of its imports."""

    @property
    def root(self) -> "Module":
        """The crate."""
        return self.parent.root if self.parent else self

    def all(self) -> "Iterator[Module]":
        """The module and all below it."""
        yield self
        for child in self.children.values():
            yield from child.all()


def uses(source: pathlib.Path) -> dict[str, set[str]]:
    """By file, the files that it uses, in a crate whose sources are in the folder `source`."""
    crate = _read(source / "lib.rs", source, None)
    found: dict[str, set[str]] = {}
    for module in crate.all():
        mine = found.setdefault(str(module.file.relative_to(source)), set())
        mine |= {str(used.file.relative_to(source)) for used in _used(module)}
        mine.discard(str(module.file.relative_to(source)))
    return found


def _used(module: Module) -> Iterator[Module]:
    """The modules that define what a module names."""
    named = [path for path in module.paths if len(path) > 1]
    for name, path in module.imports.items():
        if name not in module.exports or name in module.words:
            named.append(path)
    for path in named + module.unnamed:
        found = _resolved(module, path)
        # A module is a way to its items, which are looked at where they are named.
        if found and found[1] is not None:
            yield found[0]
    for path in module.globs:
        opened = _resolved(module, path)
        if opened and opened[1] is None:
            for name in sorted(_names(opened[0]) & module.words):
                found = _resolved(opened[0], ("self", name))
                if found and found[1] is not None:
                    yield found[0]


def _names(module: Module) -> set[str]:
    return module.items | set(module.imports) | set(module.children)


def _resolved(
    module: Module, path: Path, seen: frozenset[tuple[int, Path]] = frozenset()
) -> tuple[Module, str | None] | None:
    """The module that a path leads to and the item there, which is None for the module itself.

    None for what belongs to other crates or is a name of the language.
    """
    if (id(module), path) in seen:
        return None
    seen |= {(id(module), path)}
    first, *rest = path
    if first == "crate":
        here = module.root
    elif first == "self":
        here = module
    elif first == "super":
        here = module.parent or module
    else:
        found = _member(module, first, seen)
        if not found or found[1] is not None or not rest:
            return found
        here = found[0]
    for i, name in enumerate(rest):
        if name == "super":
            here = here.parent or here
            continue
        found = _member(here, name, seen) or (here, name)
        if found[1] is not None or i == len(rest) - 1:
            return found
        here = found[0]
    return here, None


def _member(
    module: Module, name: str, seen: frozenset[tuple[int, Path]]
) -> tuple[Module, str | None] | None:
    """What a name means within a module."""
    if name in module.children:
        return module.children[name], None
    if name in module.items:
        return module, name
    if name in module.imports:
        return _resolved(module, module.imports[name], seen)
    for path in module.globs:
        opened = _resolved(module, path, seen)
        if opened and opened[1] is None and name in _names(opened[0]):
            return _resolved(opened[0], ("self", name), seen)
    return None


def _read(file: pathlib.Path, folder: pathlib.Path, parent: Module | None) -> Module:
    """The module in a file; its children are looked for in `folder`."""
    module = Module(file, parent)
    matches = _TOKEN.finditer(file.read_text(encoding="utf-8"))
    tokens = [match["kept"].removeprefix("r#") for match in matches if match["kept"]]
    _read_items(tokens, module, folder)
    return module


def _read_items(tokens: Sequence[str], module: Module, folder: pathlib.Path) -> None:
    """Reads what stands in a module."""
    at = depth = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "#" and tokens[at + 1 : at + 2] == ["["]:
            end = _closed(tokens, at + 1)
            is_test = tokens[at + 2] == "cfg" and "test" in tokens[at:end]
            at = _item_end(tokens, end) if is_test and "not" not in tokens[at:end] else end
        elif token == "mod" and tokens[at + 2] == ";":
            _read_child(tokens[at + 1], module, folder)
            at += 3
        elif token == "mod" and tokens[at + 2] == "{":
            end = _closed(tokens, at + 2)
            child = module.children[tokens[at + 1]] = Module(module.file, module)
            _read_items(tokens[at + 3 : end - 1], child, folder / tokens[at + 1])
            at = end
        elif token == "use" and depth == 0:
            end = tokens.index(";", at)
            _import(tokens, at, end, module)
            at = end + 1
        else:
            if token in _ITEMS and depth == 0:
                module.items.add(tokens[at + 2 if tokens[at + 1] == "!" else at + 1])
            depth += (token in _OPENING) - (token in _CLOSING)
            at = _read_path(tokens, at, module)


def _read_child(name: str, module: Module, folder: pathlib.Path) -> None:
    flat, nested = folder / f"{name}.rs", folder / name / "mod.rs"
    file = flat if flat.exists() else nested
    module.children[name] = _read(file, folder / name, module)


def _read_path(tokens: Sequence[str], at: int, module: Module) -> int:
    """Reads a path, or a single token; returns where the next one begins."""
    path = [tokens[at]]
    end = at + 1
    while end + 1 < len(tokens) and tokens[end] == "::" and tokens[end + 1].isidentifier():
        path.append(tokens[end + 1])
        end += 2
    if path[0].isidentifier():
        module.words.update(path)
        module.paths.append(tuple(path))
    return end


def _import(tokens: Sequence[str], at: int, end: int, module: Module) -> None:
    """Reads a `use` that begins `at` and whose semicolon is at `end`."""
    before = tokens[max(0, at - 4) : at]
    is_export = before[-1:] == ["pub"] or (before[-1:] == [")"] and "pub" in before)
    for path, alias in _leaves(tokens[at + 1 : end], ()):
        if path[-1] == "*":
            module.globs.append(path[:-1])
        elif alias == "_":
            module.unnamed.append(path)
        else:
            module.imports[alias] = path
            if is_export:
                module.exports.add(alias)


def _leaves(tree: Sequence[str], prefix: Path) -> Iterator[tuple[Path, str]]:
    """The paths of a `use` tree, each with the name that it gets."""
    path = list(prefix)
    for at, token in enumerate(tree):
        if token == "{":
            for part in _pieces(tree[at + 1 : _closed(tree, at) - 1]):
                yield from _leaves(part, tuple(path))
            return
        if token == "as":
            yield tuple(path), tree[at + 1]
            return
        if token == "self" and path:
            continue
        if token != "::":
            path.append(token)
    yield tuple(path), path[-1]


def _pieces(tokens: Sequence[str]) -> Iterator[Sequence[str]]:
    """What stands between the commas that are in no brackets."""
    depth = begin = 0
    for at, token in enumerate([*tokens, ","]):
        depth += (token in _OPENING) - (token in _CLOSING)
        if token == "," and depth == 0:
            if at > begin:
                yield tokens[begin:at]
            begin = at + 1


def _closed(tokens: Sequence[str], at: int) -> int:
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] in _OPENING) - (tokens[end] in _CLOSING)
        if depth == 0:
            return end + 1
    return len(tokens)


def _item_end(tokens: Sequence[str], at: int) -> int:
    """Behind the item that begins at `at`, with its attributes."""
    is_use = False
    while at < len(tokens):
        token = tokens[at]
        is_use = is_use or token == "use"
        if token in _OPENING:
            at = _closed(tokens, at)
            if token == "{" and not is_use:
                return at
        elif token == ";":
            return at + 1
        else:
            at += 1
    return at
