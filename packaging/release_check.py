"""Checks what a release needs, as far as files show it; `make release-check` runs it and more.

One line for each check. The exit status is 1 where one fails. With --tag the version must be the
tag's, the changes must have a date, and `dist` must have its files. Nothing but Python is needed.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping

ROOT = pathlib.Path(__file__).parents[1]
STABILITY = "tests/data/stability.json"
VERSIONED = {
    "CITATION.cff": r"^version: (.+)$",
    "docs/reference/citing.md": r"version = \{(.+)\}",
    "CHANGELOG.md": r"\A# Changes\n\nVersion ([\d.]+), ",
    "packaging/conda/recipe.yaml": r'^  version: "(.+)"$',
    "crates/s2n/Cargo.toml": r'^version = "(.+)"$',
    "crates/quiche/Cargo.toml": r'^version = "(.+)"$',
    "fuzz/Cargo.toml": r'^version = "(.+)"$',
}
"""Where else the version of Cargo.toml is, and the pattern that finds it."""
HELD = (
    "flowstart/py.typed",
    "flowstart/render/page/",
    "licenses/THIRD_PARTY.md",
    "sboms/flowstart",
)
"""What each wheel has: types, the explorer's page, third-party licences, their SBOM."""
FOREIGN = ("tests/", "target/", "out/", ".git/", "__pycache__/")
"""What no wheel has."""
PLATFORMS = ("manylinux2014_x86_64", "manylinux2014_aarch64")


def version() -> str:
    """The version of the workspace, from which the package's follows."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))
    found: str = manifest["workspace"]["package"]["version"]
    return found


def versions() -> Iterator[str]:
    """Files whose version is another one than Cargo.toml's."""
    for file, pattern in VERSIONED.items():
        found = re.search(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)
        if not found or found[1] != version():
            yield f"{file} has version {found[1] if found else 'none'}, Cargo.toml {version()}"
    for manifest in (ROOT / "Cargo.toml", *ROOT.glob("crates/*/Cargo.toml")):
        text = manifest.read_text("utf-8")
        for name, given in re.findall(r'^(flowstart-\w+) = \{ version = "([^"]+)"', text, re.M):
            if given != version():
                yield f"{manifest.relative_to(ROOT)} needs {name} {given}, not {version()}"


def changes(tag: str | None) -> Iterator[str]:
    """Why the changes, or a tag, are not those of this version."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if tag and tag != f"v{version()}":
        yield f"the tag is {tag}, and the version {version()}"
    if tag and not re.search(r"\A# Changes\n\nVersion [\d.]+, \d{4}-\d\d-\d\d\.$", text, re.M):
        yield "CHANGELOG.md: `Version X.Y.Z, YYYY-MM-DD.` is needed below the title"


def gone(before: Mapping[str, list[str]], now: Mapping[str, list[str]]) -> list[str]:
    """The facts of a record of stability that no longer hold."""
    return [
        f"{about}: {fact}"
        for about, facts in before.items()
        for fact in sorted(set(facts) - set(now.get(about, ())))
    ]


def breaks(before: str, now: str) -> bool:
    """Whether a version may break what users of an earlier one rely on."""
    old, new = (tuple(map(int, each.split("."))) for each in (before, now))
    return new[:2] > old[:2] if old[0] == 0 else new[0] > old[0]


def stability() -> Iterator[str]:
    """What the last tag's users rely on and lose, where the version does not say so."""
    tag = _git("describe", "--tags", "--match", "v*", "--abbrev=0", "HEAD^")
    if tag is None:
        return
    record = _git("show", f"{tag}:{STABILITY}")
    if record is None or breaks(tag.removeprefix("v"), version()):
        return
    now = json.loads((ROOT / STABILITY).read_text("utf-8"))
    for fact in gone(json.loads(record), now):
        yield f"{tag} has `{fact}`: restore it, or raise the version (docs/reference/stability.md)"


def _git(*words: str) -> str | None:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def files(dist: pathlib.Path, *, needed: bool) -> Iterator[str]:
    """What is wrong with the wheels and the source distribution in a folder."""
    found = {file.name for file in dist.glob("flowstart*")}
    if not found and not needed:
        return
    stem = f"flowstart-{version()}"
    wanted = {f"{stem}.tar.gz", f"{stem}.cdx.json"}
    wanted |= {f"{stem}-cp311-abi3-{platform}.whl" for platform in PLATFORMS}
    yield from (f"dist has no {name}: `make wheels`" for name in sorted(wanted - found))
    yield from (f"dist has {name}" for name in sorted(found) if not name.startswith(stem))
    for name in sorted(found):
        if name.endswith(".whl"):
            yield from content(dist / name)


def content(wheel: pathlib.Path) -> Iterator[str]:
    """What a wheel lacks, and what it has and should not."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    yield from (f"{wheel.name} has no {part}" for part in HELD if not any(part in n for n in names))
    yield from (f"{wheel.name} has {n}" for n in names if any(part in n for part in FOREIGN))


def main() -> int:
    """Runs all checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", help="the tag of the release, such as v0.1.0")
    tag = parser.parse_args().tag
    checks = {
        "versions": versions(),
        "changes": changes(tag),
        "stability": stability(),
        "files of dist, where there are any": files(ROOT / "dist", needed=bool(tag)),
    }
    problems = {name: [*found] for name, found in checks.items()}
    for name, found in problems.items():
        print(f"{name}: {'; '.join(found) or 'ok'}")
    return 1 if any(problems.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
