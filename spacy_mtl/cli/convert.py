"""``python -m spacy mtl convert``: column files, segmented texts and dependency trees to a ``.spacy`` corpus, or that to CoNLL-U."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_mtl.errors import Errors

from .shared.messages import clear_errors
from .shared.options import (
    Broken,
    Columns,
    Encoding,
    FileFormat,
    Format,
    Given,
    Group,
    Limit,
    Scheme,
    Separator,
    Tag,
    reader_settings,
    tree_settings,
)


def convert_cli(
    input_path: Annotated[str, typer.Argument(metavar="INPUT", help="Corpus file; several with commas between.")],
    output_path: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="The .spacy file to write, or the .conllu file.")
    ],
    lang: Annotated[str, typer.Option(help='Language code, such as "es".')],
    file_format: FileFormat = Format.columns,
    columns: Columns = "ORTH,TAG,ENT",
    given: Given = None,
    scheme: Scheme = "auto",
    separator: Separator = None,
    encoding: Encoding = "utf8",
    group: Group = 1,
    limit: Limit = 0,
    tag: Tag = "auto",
    broken: Broken = "error",
) -> None:
    """Convert CoNLL column files, texts with spaces between the words, or dependency trees to spaCy's binary corpus format.

    Where OUTPUT is a .conllu file, INPUT is a .spacy corpus, written as CoNLL-U; --lang is the only option then.
    Of the other options, segmented texts take --encoding and --limit, trees take --given, --tag, --broken, --encoding, --group and --limit.
    """
    from spacy_mtl.corpora.conllu_write import export_conllu
    from spacy_mtl.corpora.convert import convert_columns, convert_conllu, convert_segmented

    exports = output_path.suffix == ".conllu"

    with clear_errors():
        try:
            if exports:
                counts = export_conllu(input_path, output_path, lang)
            elif file_format is Format.conllu:
                trees = tree_settings(given, tag, broken, encoding, group, limit)
                counts = convert_conllu(input_path, output_path, lang, **trees)
            elif file_format is Format.segmented:
                counts = convert_segmented(input_path, output_path, lang, encoding=encoding, limit=limit)
            else:
                settings = reader_settings(columns, given, scheme, separator, encoding, group, limit)
                counts = convert_columns(input_path, output_path, lang, **settings)
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output_path, reason=error.strerror)) from None
    found = f"{counts.tokens} {'words' if file_format is Format.segmented else 'tokens'}"
    if file_format is Format.columns and not exports:
        found += f", {counts.entities} entities"
    typer.echo(f"{output_path}: {counts.documents} documents, {counts.sentences} sentences, {found}")
