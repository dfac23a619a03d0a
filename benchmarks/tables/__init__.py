"""The tables of the documentation, made from the rows of ``benchmarks/results``."""

from typing import Protocol

from . import headline, tags, versions, words
from .table import Results


class Rendered(Protocol):
    """What a region of a page is filled with."""

    name: str

    def render(self, results: Results) -> str:
        """Markdown. Raises NoRowsError where no row stands behind a figure."""


MODULES = (headline, words, tags, versions)
TABLES: dict[str, Rendered] = {table.name: table for module in MODULES for table in module.TABLES}  # type: ignore[attr-defined]
