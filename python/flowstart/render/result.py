"""The base of all results: rows, a table, a figure, a document, a command and a report."""

import abc
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from flowstart.errors import RequestError
from flowstart.public import RETURNED, Public
from flowstart.render import figure_files, html
from flowstart.render.figure_files import Progress

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flowstart.render.files import Content
    from flowstart.render.grid import Grid
    from flowstart.render.summary import SummaryPage


class Result(metaclass=Public):
    """The result of a run, a comparison, a replay, a map or a search."""

    __signature__ = RETURNED

    more: ClassVar[str]
    """Where the rows are that the printed table leaves out."""
    caption: ClassVar[str]
    """The caption of the figure in a notebook."""

    @property
    @abc.abstractmethod
    def frame(self) -> "pl.DataFrame":
        """The rows, as a polars DataFrame."""

    @property
    @abc.abstractmethod
    def headline(self) -> str:
        """One line on what was run."""

    @property
    @abc.abstractmethod
    def table(self) -> "Grid":
        """The table that is printed."""

    @property
    def command(self) -> str | None:
        """The command that gives the same result; None where there is none."""
        return None

    @property
    def seed(self) -> int | None:
        """The first seed; None where nothing is drawn at random."""
        return None

    @abc.abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""

    @abc.abstractmethod
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """Draws the result.

        Args:
            ax: The axes to draw into, in the place of a new figure.

        Returns:
            The figure.
        """

    @abc.abstractmethod
    def summary(self, command: str = "") -> "SummaryPage":
        """The result on one screen, with the command that reproduces it."""

    @abc.abstractmethod
    def files(self, progress: Progress | None = None) -> "Iterator[Mapping[str, Content]]":
        """The files of the report by name: tables first, then figures and the page."""

    def report(self, folder: str | os.PathLike[str]) -> None:
        """Writes tables, figures and the page `report.html` into a folder.

        Args:
            folder: A new folder, or one that flowstart has written, which is replaced.

        Raises:
            RequestError: The folder holds other files, or cannot be written.
        """
        from flowstart.render.folder import About, Results, check

        path, name = pathlib.Path(folder), os.fspath(folder)
        if not name:
            raise RequestError("folder: it is empty; the name of a folder is needed")
        check(path, name)
        with Results(path, name, About(seed=self.seed)) as results:
            for content in self.files():
                results.write(content)
            results.put()

    def __eq__(self, other: object) -> bool:
        """Whether documents and rows are the same."""
        if not isinstance(other, type(self)) or self.to_dict() != other.to_dict():
            return False
        return self.frame.equals(other.frame)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from flowstart.render.summary import screen  # loads rich

        return screen(self.headline, self.table, self.more)

    def _repr_html_(self) -> str:
        return html.table(self.table) + figure_files.shown(self.plot, self.caption)
