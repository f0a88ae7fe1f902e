"""How much of `control` and `transport` Rust's tests reach, by lines: `make coverage`.

Runs the tests of the crates named below with cargo-llvm-cov and writes
`docs/maintainers/coverage.md`. Where rustup has no LLVM tools, `LLVM_COV` and `LLVM_PROFDATA` name
others; those of LLVM 19 serve. Only lines of the crates themselves count, not those of their tests.
What no test reaches is listed there by function, with the reason that `tests/data/uncovered.toml`
gives.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "maintainers" / "coverage.md"
REASONS = ROOT / "tests" / "data" / "uncovered.toml"
REPORT = ROOT / "out" / "coverage.lcov"

MEASURED = ("control", "transport")
TESTED = ("flowstart-control", "flowstart-transport", "flowstart-sim", "flowstart-packetdrill")
LEAST = 0.95
NO_REASON = "no reason is written down"
FUNCTION = re.compile(r"\bfn (\w+)|^macro_rules! (\w+)")


@dataclass
class File:
    """A source file: how often each of its lines was reached that has code."""

    crate: str
    name: str
    """Below the crate's `src`."""
    reached: dict[int, int] = field(default_factory=dict)

    def missed(self) -> dict[str, int]:
        """By function how many of its lines no test reaches."""
        lines = (ROOT / "crates" / self.crate / "src" / self.name).read_text().splitlines()
        names = [function_at(lines, number) for number, times in self.reached.items() if not times]
        return dict(collections.Counter(names))


def function_at(lines: list[str], number: int) -> str:
    """The function that the line is in, as far as indentation and `fn` tell."""
    for line in reversed(lines[:number]):
        if found := FUNCTION.search(line.partition("//")[0]):
            return found[1] or found[2]
    return "the file itself"


def measure() -> str:
    """Runs the tests and returns what they reach, in lcov's form."""
    REPORT.parent.mkdir(exist_ok=True)
    wanted = [part for name in TESTED for part in ("--package", name)]
    command = ["cargo", "llvm-cov", "--lcov", "--output-path", str(REPORT), *wanted]
    subprocess.run(command, cwd=ROOT, check=True)
    return REPORT.read_text(encoding="utf-8")


def read(report: str) -> list[File]:
    """The measured crates' files, without lines of tests."""
    files: dict[str, File] = {}
    here: File | None = None
    ends = 0
    for line in report.splitlines():
        kind, _, rest = line.partition(":")
        if kind == "SF":
            here = source(pathlib.Path(rest), files)
            ends = first_line_of_tests(pathlib.Path(rest)) if here else 0
        elif kind == "DA" and here is not None:
            number, times = (int(part) for part in rest.split(",")[:2])
            if number < ends:
                here.reached[number] = max(times, here.reached.get(number, 0))
    return [file for file in files.values() if file.reached]


def source(path: pathlib.Path, files: dict[str, File]) -> File | None:
    """The entry of a file that is measured."""
    for crate in MEASURED:
        folder = ROOT / "crates" / crate / "src"
        if path.is_relative_to(folder):
            name = path.relative_to(folder).as_posix()
            if re.search(r"(^|/)(tests|testing)(\.rs|/)", name):
                return None
            return files.setdefault(f"{crate}/{name}", File(crate, name))
    return None


def first_line_of_tests(path: pathlib.Path) -> int:
    """Where `mod tests {` begins, below which nothing else stands."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, (line, following) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        if line == "#[cfg(test)]" and following.startswith("mod ") and following.endswith("{"):
            return number
    return len(lines) + 1


def share(files: list[File]) -> tuple[int, int]:
    """Lines that are reached, and lines with code."""
    times = [times for file in files for times in file.reached.values()]
    return sum(1 for each in times if each), len(times)


def page(files: list[File], reasons: dict[str, dict[str, str]]) -> str:
    figures = ""
    for crate in MEASURED:
        reached, lines = share([file for file in files if file.crate == crate])
        figures += f"| `{crate}` | {lines} | {lines - reached} | {100 * reached / lines:.1f} % |\n"
    places = ""
    for file in sorted(files, key=lambda file: (file.crate, file.name)):
        for function, count in sorted(file.missed().items()):
            known = reasons.get(f"{file.crate}/{file.name}", {})
            why = known.get(function) or known.get("*") or NO_REASON
            places += f"| `{file.crate}/src/{file.name}` | `{function}` | {count} | {why} |\n"
    tested = ", ".join(f"`{name}`" for name in TESTED)
    return f"""# Coverage

Written by `make coverage` (cargo-llvm-cov). Lines with code of the crates that hold the algorithms
and the endpoints, tests left out, and those that no test reaches. The tests that count are those of
{tested}; those of the Python package reach more.

| crate | lines | not reached | reached |
| --- | --- | --- | --- |
{figures}
The target fails below {100 * LEAST:.0f} %.

## What no test reaches

| file | function | lines | why |
| --- | --- | --- | --- |
{places}"""


def main() -> int:
    if shutil.which("cargo-llvm-cov") is None:
        print(
            "coverage needs cargo-llvm-cov, and there is none: rustup component add llvm-tools; "
            "cargo install --locked cargo-llvm-cov",
            file=sys.stderr,
        )
        return 1
    report = pathlib.Path(sys.argv[1]).read_text() if sys.argv[1:] else measure()
    files = read(report)
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    PAGE.write_text(page(files, reasons), encoding="utf-8")
    enough = True
    for crate in MEASURED:
        reached, lines = share([file for file in files if file.crate == crate])
        print(f"{crate}: {100 * reached / lines:.1f} % of {lines} lines")
        enough = enough and reached >= LEAST * lines
    return int(not enough)


if __name__ == "__main__":
    sys.exit(main())
