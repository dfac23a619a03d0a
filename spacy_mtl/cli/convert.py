"""``python -m spacy mtl convert``: column files and segmented texts to a ``.spacy`` corpus."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import Errors
from .messages import clear_errors
from .options import Columns, Encoding, FileFormat, Format, Given, Group, Limit, Scheme, Separator, reader_settings


def convert_cli(
    input_path: Annotated[str, typer.Argument(metavar="INPUT", help="Corpus file; several with commas between.")],
    output_path: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The .spacy file to write.")],
    lang: Annotated[str, typer.Option(help='Language code, such as "es".')],
    file_format: FileFormat = Format.columns,
    columns: Columns = "ORTH,TAG,ENT",
    given: Given = None,
    scheme: Scheme = "auto",
    separator: Separator = None,
    encoding: Encoding = "utf8",
    group: Group = 1,
    limit: Limit = 0,
) -> None:
    """Convert CoNLL column files, or texts with spaces between the words, to spaCy's binary corpus format.

    Of the other options, segmented texts take --encoding and --limit.
    """
    from ..corpora.convert import convert_columns, convert_segmented

    segmented = file_format is Format.segmented
    with clear_errors():
        try:
            if segmented:
                counts = convert_segmented(input_path, output_path, lang, encoding=encoding, limit=limit)
            else:
                settings = reader_settings(columns, given, scheme, separator, encoding, group, limit)
                counts = convert_columns(input_path, output_path, lang, **settings)
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output_path, reason=error.strerror)) from None
    found = f"{counts.tokens} words" if segmented else f"{counts.tokens} tokens, {counts.entities} entities"
    typer.echo(f"{output_path}: {counts.documents} documents, {counts.sentences} sentences, {found}")
