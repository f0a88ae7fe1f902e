"""The package as a whole: what it exports, and that importing it costs little."""

import ast
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

import flowstart as fs

REPO = pathlib.Path(__file__).parents[2]
HEAVY = ("cloudpickle", "cyclopts", "loky", "matplotlib", "numpy", "polars", "rich")


@pytest.mark.parametrize(
    "code", ["import flowstart", "import flowstart as fs; fs.NetworkPath(rate=5e6, rtt=0.1)"]
)
def test_importing_leaves_heavy_libraries_alone(code: str) -> None:
    check = f"{code}\nimport sys\nprint(*(m for m in {HEAVY} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_help_leaves_heavy_libraries_alone() -> None:
    check = (
        "import sys\nfrom flowstart.cli import main\nmain(['compare', '--help'])\n"
        "print(*({'matplotlib', 'polars', 'numpy', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert "--rate" in done.stdout
    assert done.stderr.split() == []


def test_every_exported_name_is_there() -> None:
    assert [name for name in fs.__all__ if not hasattr(fs, name)] == []


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        fs.nonsense  # noqa: B018


def test_no_private_module_of_a_library_is_imported() -> None:
    private = re.compile(r"^\s*(?:from|import) (?!flowstart\b)\w+(?:\.\w+)*\._\w+", re.MULTILINE)
    sources = pathlib.Path(fs.__file__).parent.rglob("*.py")
    assert not [file for file in sources if private.search(file.read_text(encoding="utf-8"))]


VAGUE = {"found", "one", "given", "place", "asked"}


def locals_of(file: pathlib.Path) -> set[str]:
    """The parameters and variables of all functions of a file."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    within = [n for f in nodes if isinstance(f, ast.FunctionDef) for n in ast.walk(f)]
    names = {n.id for n in within if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names | {n.arg for n in within if isinstance(n, ast.arg)}


def test_local_names_say_what_they_hold() -> None:
    sources = pathlib.Path(fs.__file__).parent.rglob("*.py")
    assert {str(file): vague for file in sources if (vague := locals_of(file) & VAGUE)} == {}


def test_a_source_distribution_has_the_crates_that_only_features_build() -> None:
    """Cargo reads the manifests of all of them, and refuses to build where one is missing."""
    manifest = tomllib.loads((REPO / "crates" / "python" / "Cargo.toml").read_text("utf-8"))
    optional = {
        name.removeprefix("flowstart-")
        for name, found in manifest["dependencies"].items()
        if isinstance(found, dict) and found.get("optional") and name.startswith("flowstart-")
    }
    project = tomllib.loads((REPO / "pyproject.toml").read_text("utf-8"))
    paths = {one["path"] for one in project["tool"]["maturin"]["include"]}
    wanted = {f"crates/{name}/{part}" for name in optional for part in ("*.*", "src/**/*")}
    assert optional
    assert wanted <= paths
