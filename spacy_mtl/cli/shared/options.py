"""Options that several commands share: how column files are read."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer


class Format(str, Enum):
    """How a corpus is written."""

    columns = "columns"
    segmented = "segmented"
    conllu = "conllu"


FileFormat = Annotated[
    Format,
    typer.Option(
        "--format",
        help="CoNLL columns; segmented: a sentence a line, words with spaces between; conllu: trees, CoNLL-U or CoNLL-X.",
    ),
]
Columns = Annotated[str, typer.Option(help="Column names from left to right, '_' for one to ignore.")]
Given = Annotated[str | None, typer.Option(help="Columns that are input. TAG, if it is a column; all of trees.")]
Tag = Annotated[str, typer.Option(help="Trees: the column of TAG, xpos, upos, or auto: xpos if there is one.")]
Broken = Annotated[str, typer.Option(help="Trees: 'error', or 'skip' to leave out sentences that are none.")]
Scheme = Annotated[str, typer.Option(help="Of the ENT column: iob1, iob2, biluo or auto.")]
Separator = Annotated[str | None, typer.Option(help="What parts columns, '\\t' for a tab. Any blanks.")]
Encoding = Annotated[str, typer.Option(help="Encoding of the files that are text.")]
Group = Annotated[int, typer.Option(help="Sentences per Doc; 0 for one Doc per -DOCSTART- document, or file of trees.")]
Code = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", exists=True, dir_okay=False, help="Python file with registered functions to import first."
    ),
]
Limit = Annotated[int, typer.Option(help="Stop after so many Docs; 0 for all.")]


def split_names(text: str) -> list[str]:
    """Names with commas between; blanks around them are dropped."""
    return [name.strip() for name in text.split(",") if name.strip()]


def tree_settings(given: str | None, tag: str, broken: str, encoding: str, group: int, limit: int) -> dict[str, Any]:
    """The options as settings of :class:`~spacy_mtl.corpora.conllu.ConlluCorpus`."""
    settings = {"tag": tag, "broken": broken, "encoding": encoding, "group": group, "limit": limit}
    return settings if given is None else {**settings, "given": split_names(given)}


def reader_settings(
    columns: str, given: str | None, scheme: str, separator: str | None, encoding: str, group: int, limit: int
) -> dict[str, Any]:
    """The options as settings of :class:`~spacy_mtl.corpora.conll.ConllCorpus`."""
    names = split_names(columns)
    return {
        "columns": names,
        "given": [name for name in ("TAG",) if name in names] if given is None else split_names(given),
        "scheme": scheme,
        "separator": separator.replace("\\t", "\t") if separator is not None else None,
        "encoding": encoding,
        "group": group,
        "limit": limit,
    }
