"""Imports go in one direction only, in Rust and in Python.

The rules for Rust are these. A crate knows only what `ALLOWED` says. Within a crate no file uses,
directly or not, a file that uses it (`rust_modules` says what it is to use one). A parent module
and its children are no exception: a child may use what is *defined* in its parent's file as long
as that file uses nothing of the child, which it may still declare and pass on. So what a module's
parts share stands in a part of its own, beside those that use it.

The packages of Python are import-linter's (`pyproject.toml`); what it cannot say is here.
"""

import pathlib
import re
import tomllib

import grimp
import pytest

from rust_modules import uses

ROOT = pathlib.Path(__file__).parents[2]
CRATES = sorted(file.parent for file in ROOT.glob("crates/*/Cargo.toml"))

ALLOWED = {
    "control": set(),
    "capture": set(),
    "wire": {"control"},
    "transport": {"control", "wire"},
    "network": {"control", "wire"},
    "sim": {"control", "wire", "transport", "network"},
    "compare": {"control", "transport", "sim", "capture"},
    "wasm": {"compare", "sim", "benches"},
    "export": {"control", "wire", "transport", "sim", "capture"},
    "live": {"control", "wire", "transport", "network", "sim"},
    "quinn": {"control", "live", "sim"},
    "c": {"control"},
    "quiche": {"control", "live", "sim"},
    "s2n": {"control", "live", "network", "sim"},
    "linux": {"control", "transport", "network", "sim", "live"},
    "python": {
        *("control", "wire", "transport", "network", "sim", "export", "capture", "compare"),
        *("live", "quinn", "quiche", "s2n", "linux"),
    },
    "packetdrill": {"control", "wire", "transport"},
    "fuzz": {"control", "wire", "transport", "network", "sim", "export", "capture", "packetdrill"},
    "benches": {"control", "wire", "transport", "network", "sim"},
}
"""Which crates a crate may know."""


@pytest.mark.parametrize("folder", [*CRATES, ROOT / "benches"], ids=lambda folder: folder.name)
def test_crates_know_only_those_below_them(folder: pathlib.Path) -> None:
    described = tomllib.loads((folder / "Cargo.toml").read_text())
    known = {
        name.removeprefix("flowstart-")
        for kind, names in described.items()
        if kind.endswith("dependencies")
        for name in names
        if name.startswith("flowstart-")
    }
    assert known <= ALLOWED[folder.name]


def test_nobody_is_known_by_whom_it_knows() -> None:
    assert circles(ALLOWED) == []


@pytest.mark.parametrize("folder", CRATES, ids=lambda folder: folder.name)
def test_no_circle_among_the_files_of_a_crate(folder: pathlib.Path) -> None:
    assert circles(uses(folder / "src")) == []


NOT_SEEN = re.compile(r"from flowstart import _native(, \w+)*")


def test_no_python_module_imports_a_package_that_it_is_in() -> None:
    graph = grimp.build_graph("flowstart", cache_dir=None)
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            if module.startswith(f"{imported}."):
                details = graph.get_import_details(importer=module, imported=imported)
                lines = [detail["line_contents"] for detail in details]
                # The compiled half is no module that import-linter sees.
                assert all(map(NOT_SEEN.fullmatch, lines)), module


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes each of which leads to all others of its group."""
    beyond = {node: _reached(graph, node) for node in graph}
    groups = {
        tuple(sorted(other for other in beyond[node] if node in beyond.get(other, ())))
        for node in graph
    }
    return sorted(list(group) for group in groups if group)


def _reached(graph: dict[str, set[str]], node: str) -> set[str]:
    """Where the arrows lead from a node."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        new = graph.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


CRATE = {
    "lib.rs": """
        //! use crate::comment::Is;
        pub mod alone; mod parent; mod shared;
        pub use parent::{Parent, child::Child as Renamed};
    """,
    "alone.rs": """
        use super::shared::Thing as _;
        const LETTER: char = '"';
        const TEXT: &str = r#"crate::Parent"#;
        #[cfg(test)]
        mod tests { use crate::parent::Parent; fn tests(p: Parent) {} }
    """,
    "shared.rs": "pub struct Thing; pub mod inner { pub enum Kind { One } }",
    "parent/mod.rs": """
        use crate::shared::*;
        mod child; mod other;
        pub struct Parent(Thing);
        pub use child::Child;
    """,
    "parent/child.rs": "use super::{other, Parent}; pub struct Child(Parent, other::Other);",
    "parent/other.rs": "pub struct Other; fn f() { crate::shared::inner::Kind::One; }",
}


@pytest.mark.parametrize(
    ("file", "source", "circle"),
    [
        ("lib.rs", None, None),
        ("alone.rs", "use crate::Renamed;", None),
        ("parent/mod.rs", "mod child; mod other; pub struct Parent; use child::Child;", "child"),
        (
            "parent/mod.rs",
            "mod child; mod other; pub use child::Child; pub struct Parent(Option<Child>);",
            "child",
        ),
        (
            "parent/mod.rs",
            "mod child; mod other; pub struct Parent(child::Child); pub use child::Child;",
            "child",
        ),
        ("parent/other.rs", "pub struct Other; fn f(x: crate::Renamed) {}", "child"),
        ("parent/other.rs", "pub struct Other; use super::*; fn f(x: Child) {}", "child"),
        ("shared.rs", "pub struct Thing(Box<crate::parent::Child>); mod inner {}", "child"),
    ],
)
def test_a_circle_is_found_whatever_way_the_name_comes(
    tmp_path: pathlib.Path, file: str, source: str | None, circle: str | None
) -> None:
    for name, text in (CRATE | ({file: source} if source else {})).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = circles(uses(tmp_path))
    assert any(f"parent/{circle}.rs" in group for group in found) == bool(circle), found


def test_a_path_leads_to_the_file_that_defines_its_end(tmp_path: pathlib.Path) -> None:
    for name, text in CRATE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert uses(tmp_path) == {
        "lib.rs": set(),
        "alone.rs": {"shared.rs"},
        "shared.rs": set(),
        "parent/mod.rs": {"shared.rs"},
        "parent/child.rs": {"parent/mod.rs", "parent/other.rs"},
        "parent/other.rs": {"shared.rs"},
    }
