"""The notebooks of examples/notebooks as pages, with what their cells come to.

They are kept without output. Here their cells are run in a kernel, so that a page shows what they
come to today; a cell that fails ends the build.
"""

import pathlib
from dataclasses import dataclass

import nbconvert
import nbformat
from nbclient import NotebookClient

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 300
"""What a cell may take."""
_DOCS = "../../docs/"
"""How a notebook names a page."""


@dataclass(frozen=True)
class Shown:
    """A notebook as a page."""

    name: str
    """The page's place on the site."""
    text: str
    pictures: dict[str, bytes]
    """By their places on the site."""


def page(file: pathlib.Path) -> Shown:
    """Runs a notebook and writes it as Markdown."""
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": FOLDER}}
    ).execute()
    text, resources = nbconvert.MarkdownExporter().from_notebook_node(
        notebook, resources={"unique_key": file.stem, "output_files_dir": file.stem}
    )
    title, _, rest = text.partition("\n")
    source = f"Run it yourself: `examples/notebooks/{file.name}`."
    text = f"{title}\n\n{source}\n{rest}".replace(_DOCS, "../")
    pictures = {f"notebooks/{name}": data for name, data in resources["outputs"].items()}
    return Shown(f"notebooks/{file.stem}.md", text, pictures)
