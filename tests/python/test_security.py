"""SECURITY.md: its numbers are those of the code."""

import pathlib
import re

from flowstart.captures import sources
from flowstart.explorer import connection
from flowstart.model import input_files

ROOT = pathlib.Path(__file__).parents[2]
PAGE = " ".join((ROOT / "SECURITY.md").read_text("utf-8").split())


def test_the_sizes_of_text_files_are_those_that_are_enforced() -> None:
    trace = re.search(
        r"LARGEST: u64 = (\d+) << 20;", (ROOT / "crates/sim/src/compile/files.rs").read_text()
    )
    assert trace
    text = f"be larger than {input_files.MAX_BYTES >> 20} MiB (a trace: {trace[1]} MiB)"
    assert text in PAGE


def test_the_limits_of_connections_are_those_that_are_enforced() -> None:
    text = f"At most {connection.MOST} connections wait, each for {connection.SECONDS_TO_ASK:g} s"
    assert text in PAGE
    assert f"checked every {sources.TICK_S * 1e3:g} ms" in PAGE


def test_unsafe_is_forbidden_but_in_the_crates_that_the_architecture_names() -> None:
    forbidden = 'unsafe_code = "forbid"'
    assert forbidden in (ROOT / "Cargo.toml").read_text()
    manifests = {file.parent.name: file.read_text() for file in ROOT.glob("crates/*/Cargo.toml")}
    exceptions = {
        f"`crates/{name}`"
        for name, text in manifests.items()
        if "[lints]\nworkspace = true" not in text and forbidden not in text
    }
    paragraph = re.search(
        r"^- `unsafe` is forbidden.*?(?=^- )",
        (ROOT / "docs/maintainers/architecture.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert paragraph
    assert set(re.findall(r"`crates/\w+`", paragraph[0])) == exceptions


def test_every_lock_file_of_crates_is_audited() -> None:
    locks = {str(file.relative_to(ROOT)) for file in ROOT.glob("Cargo.lock")}
    locks |= {str(file.relative_to(ROOT)) for file in ROOT.glob("crates/*/Cargo.lock")}
    locks |= {str(file.relative_to(ROOT)) for file in ROOT.glob("fuzz/Cargo.lock")}
    workflow = (ROOT / ".github/workflows/dependencies.yml").read_text()
    assert set(re.findall(r"cargo audit --file (\S+)", workflow)) == locks
