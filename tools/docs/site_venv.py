"""Readies the environment that the site is built in: `site_venv.py PACKAGE_VENV DOCS_VENV`.

Writes its requirements, the extra `docs` of pyproject.toml, and lets it see the packages of the
environment that holds flowstart.
"""

import pathlib
import sys
import sysconfig
import tomllib

ROOT = pathlib.Path(__file__).parents[2]


def main(package: pathlib.Path, docs: pathlib.Path) -> None:
    """Writes both files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = project["optional-dependencies"]["docs"]
    (docs / "requirements.txt").write_text("\n".join(needed) + "\n", "utf-8")
    seen = str(_packages(package).resolve())
    # A plain path would not read the .pth files there, of which flowstart's own is one.
    line = f"import site; site.addsitedir({seen!r})\n"
    (_packages(docs) / "flowstart-packages.pth").write_text(line, "utf-8")


def _packages(venv: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(sysconfig.get_path("purelib", vars={"base": str(venv)}))


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
