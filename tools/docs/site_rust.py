"""The Rust interfaces: what `cargo doc` wrote, put into the site, and a page that leads there."""

import os
import pathlib
import shutil
import tomllib

ROOT = pathlib.Path(__file__).parents[2]
RUSTDOC = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc"
NAME = "rust-reference.md"
FOLDER = "rust"


def page() -> str:
    """The page that lists the crates.

    Its links are HTML, since mkdocs knows nothing of rustdoc's pages; site_check.py follows them.
    Raises FileNotFoundError where `cargo doc` has not been run.
    """
    rows = [
        f'| <a href="{FOLDER}/{name}/index.html"><code>{name}</code></a> | {about} |'
        for name, about in _crates().items()
        if (RUSTDOC / name / "index.html").is_file()
    ]
    if not rows:
        raise FileNotFoundError(f"no Rust documentation in {RUSTDOC}: `make docs-site` writes it")
    words = (
        "The crates of the workspace, as `cargo doc` writes them. How they belong together is in "
        "[Architecture](maintainers/architecture.md)."
    )
    table = "\n".join(["| crate | what it is |", "| --- | --- |", *rows])
    return f"# The Rust interfaces\n\n{words}\n\n{table}\n"


def copy(site: pathlib.Path) -> None:
    """Puts rustdoc's pages into a site that is built."""
    shutil.copytree(RUSTDOC, site / FOLDER, dirs_exist_ok=True)


def _crates() -> dict[str, str]:
    """What each crate says it is, by its name in Rust."""
    found = {}
    for file in sorted((ROOT / "crates").glob("*/Cargo.toml")):
        package = tomllib.loads(file.read_text("utf-8"))["package"]
        found[package["name"].replace("-", "_")] = package.get("description", "")
    return found
