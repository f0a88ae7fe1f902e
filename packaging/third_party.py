"""Writes THIRD_PARTY.md: what of others a wheel holds, and under which terms.

These are the crates that are linked into the native module on any platform, or into the page's
module of WebAssembly, and the packages that are bundled into the page. With --check nothing is
written, and the exit status is 1 where the file is stale.
"""

import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).parents[1]
TARGET = ROOT / "THIRD_PARTY.md"
# Wheels have the feature `quic`.
METADATA = (
    *("cargo", "metadata", "--format-version", "1", "--locked"),
    *("--features", "flowstart-python/quic"),
)
LICENCE = re.compile(r"(licen[sc]e|copying|copyright|unlicense)([-._].*)?", re.IGNORECASE)
COPYRIGHT = re.compile(
    r"^\W*((?:portions )?copyright\s+(?:\(c\)|©|\d).*?)\W*$", re.IGNORECASE | re.MULTILINE
)
HEAD = """# What a wheel of flowstart holds of others

Written by `make third-party`. flowstart itself is under Apache-2.0 or MIT (LICENSE-APACHE,
LICENSE-MIT). Where one of these leaves a choice that includes one of the two, it is used under
that; their texts are those of the two files, with the copyright notices below. The texts of all
others stand at the end.
"""
OURS = {"Apache-2.0", "MIT"}


def main() -> int:
    """Writes the file, or says whether it is stale."""
    text = document()
    if "--check" not in sys.argv:
        TARGET.write_text(text, "utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text("utf-8") == text:
        return 0
    print("THIRD_PARTY.md is stale: `make third-party` writes it", file=sys.stderr)
    return 1


def document() -> str:
    """The whole file."""
    crates = linked()
    parts = [
        HEAD,
        "## In the native module, or in the module of the page\n",
        *(line(crate) for crate in crates),
    ]
    parts += [
        "\n## In the page\n",
        *(
            f"- {name} {version}, MIT: its notice stands in every file"
            for name, version in bundled()
        ),
    ]
    texts = [
        (crate, text) for crate in crates if not choices(crate) & OURS for text in own_texts(crate)
    ]
    parts.append("\n## Texts")
    for crate, text in texts:
        parts.append(f"\n### {crate['name']}\n\n```text\n{text}\n```")
    return "\n".join(parts) + "\n"


def linked() -> list[dict[str, Any]]:
    """The crates of others in the native module; build tools and macros are left out."""
    found = json.loads(subprocess.run(METADATA, cwd=ROOT, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    ours = ("flowstart-python", "flowstart-wasm")
    waiting = [key for key, package in packages.items() if package["name"] in ours]
    reached = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if (
                normal
                and dependency["pkg"] not in reached
                and not is_macro(packages[dependency["pkg"]])
            ):
                reached.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    others = [packages[key] for key in reached if packages[key]["source"] is not None]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def is_macro(package: dict[str, Any]) -> bool:
    """Whether it is run by the compiler and not linked."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def choices(crate: dict[str, Any]) -> set[str]:
    """The licences of which one is enough; none where several hold together."""
    text = crate["license"] or ""
    if " AND " in text:
        return set()
    return {part.strip("() ") for part in re.split(r" OR |/", text)}


def line(crate: dict[str, Any]) -> str:
    """A crate's entry, with its copyright notices."""
    notices = dict.fromkeys(
        notice for text in own_texts(crate) for notice in COPYRIGHT.findall(text)
    )
    owners = [" ".join(notice.split()) for notice in notices if "[yyyy]" not in notice]
    return f"- {crate['name']} {crate['version']}, {crate['license']}" + "".join(
        f"; {o}" for o in owners
    )


def own_texts(crate: dict[str, Any]) -> Iterator[str]:
    """What its files of licences say."""
    folder = pathlib.Path(crate["manifest_path"]).parent
    for file in sorted(folder.iterdir()):
        if LICENCE.fullmatch(file.name) and file.is_file():
            yield file.read_text("utf-8", "replace").strip()


def bundled() -> list[tuple[str, str]]:
    """The packages in the page, with their versions."""
    page = json.loads((ROOT / "web/package.json").read_text("utf-8"))
    return sorted(page["dependencies"].items())


if __name__ == "__main__":
    sys.exit(main())
