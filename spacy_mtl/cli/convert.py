"""``python -m spacy mtl convert``: files of many formats to a ``.spacy`` corpus, or such a corpus to CoNLL-U."""

from pathlib import Path
from typing import Annotated, Any

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of

from .shared.messages import clear_errors, number_of
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
    split_names,
    tree_settings,
)


def convert_cli(
    input_path: Annotated[str, typer.Argument(metavar="INPUT", help="Corpus file, or several separated by commas.")],
    output_path: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The .spacy or .conllu file to write.")],
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
    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Trees: keep comments, multiword tokens, MISC and all else, to write the same file again."
        ),
    ] = False,
) -> None:
    """Convert CoNLL column files, texts with spaces between words, trees or annotated tasks to spaCy's binary corpus format.

    If OUTPUT ends in .conllu, INPUT must be a .spacy corpus, which is written as CoNLL-U; --lang is then the only option that counts.
    Segmented texts and tasks use only --encoding and --limit of the other options; trees use --given, --tag, --broken, --keep, --encoding, --group
    and --limit; bracketed trees use --given, --encoding, --group and --limit.
    """
    from spacy_mtl.corpora.convert import CONVERTERS, export_conllu

    exports = output_path.suffix == ".conllu"
    settings: dict[str, Any] = {"encoding": encoding, "limit": limit}
    if file_format is Format.conllu:
        settings = {"keep": keep, **tree_settings(given, tag, broken, encoding, group, limit)}
    elif file_format is Format.bracketed:
        settings |= {"group": group} | ({} if given is None else {"given": split_names(given)})
    elif file_format is Format.columns:
        settings = reader_settings(columns, given, scheme, separator, encoding, group, limit)

    with clear_errors():
        try:
            if exports:
                counts = export_conllu(input_path, output_path, lang)
            else:
                counts = CONVERTERS[file_format.value](input_path, output_path, lang, **settings)
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output_path, reason=reason_of(error))) from None
    told = [(counts.documents, "document"), (counts.sentences, "sentence")]
    told.append((counts.tokens, "word" if file_format is Format.segmented else "token"))
    if file_format in (Format.columns, Format.tasks) and not exports:
        told.append((counts.entities, "entity"))
    typer.echo(f"{output_path}: {', '.join(number_of(n, thing) for n, thing in told)}")
