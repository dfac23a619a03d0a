"""The tables of the documentation, made from the rows of ``benchmarks/results``."""

from typing import Protocol

from . import entities, headline, tags, trees, versions, words
from .table import Results


class Rendered(Protocol):
    """What a region of a page is filled with."""

    name: str

    def render(self, results: Results) -> str:
        """Markdown. Raises NoRowsError where no row stands behind a figure."""


MODULES = (headline, entities, words, tags, trees, versions)
TABLES: dict[str, Rendered] = {table.name: table for module in MODULES for table in module.TABLES}  # type: ignore[attr-defined]
