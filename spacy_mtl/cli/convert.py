"""``python -m spacy mtl convert``: column files to a ``.spacy`` corpus."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import Errors
from .messages import clear_errors
from .options import Columns, Encoding, Given, Group, Limit, Scheme, Separator, reader_settings


def convert_cli(
    input_path: Annotated[str, typer.Argument(metavar="INPUT", help="Column file; several with commas between.")],
    output_path: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The .spacy file to write.")],
    lang: Annotated[str, typer.Option(help='Language code, such as "es".')],
    columns: Columns = "ORTH,TAG,ENT",
    given: Given = None,
    scheme: Scheme = "auto",
    separator: Separator = None,
    encoding: Encoding = "utf8",
    group: Group = 1,
    limit: Limit = 0,
) -> None:
    """Convert CoNLL column files to spaCy's binary corpus format."""
    from ..corpora.convert import convert_columns

    settings = reader_settings(columns, given, scheme, separator, encoding, group, limit)
    with clear_errors():
        try:
            counts = convert_columns(input_path, output_path, lang, **settings)
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output_path, reason=error.strerror)) from None
    typer.echo(
        f"{output_path}: {counts.documents} documents, {counts.sentences} sentences, {counts.tokens} tokens, "
        f"{counts.entities} entities"
    )
