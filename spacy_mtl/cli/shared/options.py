"""Options that several commands share, mostly on how corpora are read."""

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer


class Format(str, Enum):
    """File formats of a corpus."""

    columns = "columns"
    segmented = "segmented"
    conllu = "conllu"
    bracketed = "bracketed"
    tasks = "tasks"


_FORMATS = (
    "columns: CoNLL columns; segmented: one sentence per line, spaces between words; conllu: trees, CoNLL-U or CoNLL-X; "
    "bracketed: constituency trees, as of the Penn Treebank; tasks: entities annotated with Prodigy or Label Studio."
)
FileFormat = Annotated[Format, typer.Option("--format", help=_FORMATS)]
Columns = Annotated[str, typer.Option(help="Column names from left to right, '_' for a column to ignore.")]
Given = Annotated[
    str | None,
    typer.Option(help="Columns that are input. Default: TAG if it is a column; for trees, TAG,POS,MORPH,LEMMA."),
]
# the same options of a command that asks the pipeline first how it was trained
_ELSE = " Default: as in training, else {}."
AsFormat = Annotated[Format | None, typer.Option("--format", help=_FORMATS + _ELSE.format("columns"))]
AsColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="Column names from left to right, '_' for a column to ignore." + _ELSE.format("ORTH,TAG,ENT"),
    ),
]
AsScheme = Annotated[
    str | None,
    typer.Option("--scheme", help="Tag scheme of the ENT column: iob1, iob2, biluo or auto." + _ELSE.format("auto")),
]
AsSeparator = Annotated[
    str | None,
    typer.Option("--separator", help="Separator of columns, '\\t' for a tab." + _ELSE.format("any run of blanks")),
]
AsGroup = Annotated[
    int | None,
    typer.Option(
        "--group",
        help="Sentences per Doc; 0 for one Doc per -DOCSTART- document, or per file of trees." + _ELSE.format("1"),
    ),
]
AsTag = Annotated[
    str | None,
    typer.Option(
        "--tag",
        help="Trees: the column that TAG is read from: xpos, upos, or auto (xpos if used)." + _ELSE.format("auto"),
    ),
]
Tag = Annotated[
    str, typer.Option(help="Trees: the column that TAG is read from: xpos, upos, or auto (xpos if it is used).")
]
Broken = Annotated[
    str, typer.Option(help="Trees: 'error', 'skip' to leave out sentences whose heads are not a tree, or 'treeless'.")
]
Scheme = Annotated[str, typer.Option(help="Tag scheme of the ENT column: iob1, iob2, biluo or auto.")]
Separator = Annotated[
    str | None, typer.Option(help="Separator of columns, '\\t' for a tab. Default: any run of spaces and tabs.")
]
Encoding = Annotated[str, typer.Option(help="Encoding of text files.")]
Group = Annotated[
    int, typer.Option(help="Sentences per Doc; 0 for one Doc per -DOCSTART- document, or per file of trees.")
]
Code = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", exists=True, dir_okay=False, help="Python file to import first, with registered functions."
    ),
]
Limit = Annotated[int, typer.Option(help="Read at most this many Docs of each file; 0 for all.")]


def split_names(text: str) -> list[str]:
    """Split a comma-separated list of names; blanks around names are dropped."""
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
