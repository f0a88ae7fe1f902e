"""Writes the SBOM of a wheel, in CycloneDX's JSON, into the file that is named: `make wheels`.

Its components are those of THIRD_PARTY.md. maturin can write one too, with cargo-cyclonedx; that
one has paths of the machine, the time of the build and a random number, and lacks the page.
"""

import json
import pathlib
import sys
import tomllib
from typing import Any

import third_party
from release_check import version


def document() -> dict[str, Any]:
    """The SBOM; the same sources give the same bytes."""
    lock = tomllib.loads((third_party.ROOT / "Cargo.lock").read_text("utf-8"))
    digests = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                **component("pypi", "flowstart", version(), "Apache-2.0 OR MIT"),
                "type": "application",
            }
        },
        "components": [
            *(crate(each, digests) for each in third_party.linked()),
            *(component("npm", *package, "MIT") for package in third_party.bundled()),
        ],
    }


def component(kind: str, name: str, version: str, licences: str) -> dict[str, Any]:
    """A package by its purl."""
    purl = f"pkg:{kind}/{name}@{version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "licenses": [{"expression": licences.replace("/", " OR ")}],
        "purl": purl,
    }


def crate(package: dict[str, Any], digests: dict[tuple[str, str], str]) -> dict[str, Any]:
    """A crate, with the SHA-256 of its archive in the registry."""
    name, version = package["name"], package["version"]
    hashes = [{"alg": "SHA-256", "content": digests[name, version]}]
    return component("cargo", name, version, package["license"]) | {"hashes": hashes}


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document(), indent=1) + "\n", "utf-8")
