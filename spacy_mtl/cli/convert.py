"""``python -m spacy mtl convert``: column files to a ``.spacy`` corpus."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import Errors
from .messages import clear_errors


def convert_cli(
    input_path: Annotated[str, typer.Argument(metavar="INPUT", help="Column file; several with commas between.")],
    output_path: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The .spacy file to write.")],
    lang: Annotated[str, typer.Option(help='Language code, such as "es".')],
    columns: Annotated[str, typer.Option(help="Column names from left to right.")] = "ORTH,TAG,ENT",
    given: Annotated[str | None, typer.Option(help="Columns that are input. TAG, if it is a column.")] = None,
    scheme: Annotated[str, typer.Option(help="Of the ENT column: iob1, iob2, biluo or auto.")] = "auto",
    separator: Annotated[str | None, typer.Option(help="What parts columns, '\\t' for a tab. Any blanks.")] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the input.")] = "utf8",
    group: Annotated[int, typer.Option(help="Sentences per Doc; 0 for one Doc per -DOCSTART- document.")] = 1,
    limit: Annotated[int, typer.Option(help="Stop after so many Docs; 0 for all.")] = 0,
) -> None:
    """Convert CoNLL column files to spaCy's binary corpus format."""
    from ..corpora.convert import convert_columns

    names = _names(columns)
    inputs = [name for name in ("TAG",) if name in names] if given is None else _names(given)
    with clear_errors():
        try:
            counts = convert_columns(
                input_path,
                output_path,
                lang,
                columns=names,
                given=inputs,
                scheme=scheme,
                separator=separator.replace("\\t", "\t") if separator is not None else None,
                encoding=encoding,
                group=group,
                limit=limit,
            )
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output_path, reason=error.strerror)) from None
    typer.echo(
        f"{output_path}: {counts.documents} documents, {counts.sentences} sentences, {counts.tokens} tokens, "
        f"{counts.entities} entities"
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
