"""The tables of the documentation, made from the rows of ``benchmarks/results``."""

from typing import Protocol

from . import (
    arcs,
    choosing,
    confidence,
    constituents,
    door,
    entities,
    first_start,
    headline,
    learning_on,
    letters,
    mkl,
    mtlstruct,
    mtlstruct_words,
    of_trainers,
    outside,
    programs,
    sharded,
    structreg,
    synthetic,
    tags,
    threads,
    treebanks,
    trees,
    versions,
    words,
)
from .regions import PAGES
from .table import Results


class Rendered(Protocol):
    """What a region of a page is filled with."""

    name: str

    def render(self, results: Results) -> str:
        """Markdown. Raises NoRowsError where no row stands behind a figure."""


MODULES = (
    headline, programs, entities, outside, words, tags, trees, arcs, treebanks, constituents, confidence, choosing, door, first_start, learning_on,
    letters, mkl, synthetic, of_trainers, mtlstruct, mtlstruct_words, sharded, structreg, threads, versions,
)  # fmt: skip
TABLES: dict[str, Rendered] = {table.name: table for module in MODULES for table in module.TABLES}  # type: ignore[attr-defined]


def rendered(page: str, name: str, results: Results) -> str | None:
    """What a region of a page is filled with; None where it is another tool's. Raises ValueError for a table that is unknown or lacks rows."""
    if name in TABLES:
        return TABLES[name].render(results)
    if page in PAGES:
        raise ValueError(f"There is no table {name}; benchmarks/tables has {', '.join(TABLES)}.")
    return None
