"""packaging/Containerfile: its paths, targets, features and versions are those of the repository.

No image is built here.
"""

import pathlib
import re
import shlex
import tomllib

ROOT = pathlib.Path(__file__).parents[2]
TEXT = (ROOT / "packaging/Containerfile").read_text("utf-8").replace("\\\n", " ")
LINES = [shlex.split(line) for line in TEXT.splitlines() if line and not line.startswith("#")]
IGNORED = [
    line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[0] != "#"
]


def test_every_stage_that_is_copied_from_is_made_before() -> None:
    made: list[str] = []
    for words in LINES:
        if words[0] == "FROM" and "AS" in words:
            made.append(words[-1])
        for source in (word for word in words if word.startswith("--from=")):
            assert source.removeprefix("--from=") in made


def test_files_targets_and_features_that_it_names_exist() -> None:
    files = set(re.findall(r"\brequirements/[\w.]+", TEXT))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    page = re.search(r"^PAGE := (\S+)$", makefile, re.MULTILINE)
    features = tomllib.loads((ROOT / "crates/python/Cargo.toml").read_text("utf-8"))["features"]
    assert files and all((ROOT / file).exists() for file in files)
    assert page and re.findall(r"make (\S+/\S+)", TEXT) == [f"{page[1]}/.built"]
    assert "$(PAGE)/.built:" in makefile
    (named,) = re.findall(r"--features (\S+)", TEXT)
    assert set(named.split(",")) <= set(features)


def test_it_builds_with_the_toolchain_and_a_python_of_the_project() -> None:
    toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text("utf-8"))["toolchain"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"/rust:{toolchain['channel']}-" in TEXT
    assert f"RUSTUP_TOOLCHAIN={toolchain['channel']} " in TEXT
    (python,) = re.findall(r"/python:([\d.]+)-", TEXT)
    assert f">={python}" == project["requires-python"]


def test_the_last_stage_has_a_user_without_rights_and_runs_flowstart() -> None:
    begins = max(number for number, words in enumerate(LINES) if words[0] == "FROM")
    last = LINES[begins:]
    (user,) = (words[1] for words in last if words[0] == "USER")
    created = [words[-1] for words in last if "useradd" in words]
    assert created == [user] != ["root"]
    assert last[-1] == ["ENTRYPOINT", "[/opt/flowstart/bin/flowstart]"]


def test_what_the_build_needs_is_not_ignored() -> None:
    needed = ("crates", "python/flowstart", "requirements", "web", "Makefile", "THIRD_PARTY.md")
    assert {name.partition("/")[0] for name in needed}.isdisjoint(IGNORED)
    assert set(needed).isdisjoint(IGNORED)
