"""``python -m spacy mtl init-ud``: look at a treebank and write the configs that make a pipeline of all its columns."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors

from ..shared.languages import check_language
from ..shared.messages import clear_errors
from ..shared.options import Encoding
from ..shared.output import write_file

if TYPE_CHECKING:
    from spacy_mtl.survey.found import Survey

#: spaCy's name for any language.
ANY = "xx"


def init_ud_cli(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="TREEBANK FOLDER",
            help="Folder of a treebank in CoNLL-U, with or without a dev part, and where the configs go. Or three paths: TRAIN DEV FOLDER.",
        ),
    ],
    lang: Annotated[
        str | None,
        typer.Option(
            help='Language code, or "xx" for any language. Default: as in the name of the training part (nl_lassysmall-ud-train.conllu).'
        ),
    ] = None,
    encoding: Encoding = "utf8",
) -> None:
    """Look at a treebank, say what is in it, and write the configs that make a pipeline of all its columns.

    Columns that the treebank does not have are left out. FOLDER gets senter.cfg, ud-tags.cfg and ud.cfg; the commands that use them are shown.
    Several files of a part are joined in FOLDER, and of a treebank without a dev part a tenth of the training sentences is set aside there.
    """
    from spacy_mtl.survey.look import survey
    from spacy_mtl.survey.pair import check_dev
    from spacy_mtl.survey.unfit import KINDS

    from .parts import files_of, language_of
    from .two_parts import two_parts
    from .ud_configs import check_folder, commands, ud_configs

    with clear_errors():
        files = files_of(paths)
        folder, lang = files.folder, lang or language_of(files.train[0])
        check_folder(folder, [*files.train, *files.dev])
        train, dev, done = two_parts(files, encoding)
        found, other = survey(train, encoding), survey(dev, encoding)
        for each in (found, other):
            if each.kind != "trees":
                hint = "Give the .conllu files of a treebank"
                raise ValueError(
                    Errors.M728.format(
                        name="ud", path=each.path, seen=f"no trees, but {KINDS.get(each.kind, each.kind)}", hint=hint
                    )
                )
        check_dev(found, other)
        known = _known(lang)
        configs = ud_configs(found, other, known, folder, encoding)
        for name, text in configs.items():
            write_file(folder / f"{name}.cfg", str(text).encode())
    for line in (*done, str(found), str(other), *_notes(found, lang, known)):
        typer.echo(line)
    typer.echo(f"\nWritten: {', '.join(str(folder / f'{name}.cfg') for name in configs)}. Train with:")
    for command in commands(found, dev, folder, encoding):
        typer.echo(f"  {command}")


def _notes(found: "Survey", lang: str, known: str) -> Iterator[str]:
    """What the configs make of a treebank, for people. known: the language as the configs have it."""
    from ..shared.new_config import known_words
    from .ud_configs import joined_words, learns_tags, missing_components

    if known == ANY != lang:
        yield f"  ! spaCy does not know the language '{lang}': the configs say '{ANY}', for any language."
    yield f"  The tokenizer learns from {found.path} where tokens begin{_multiword(found.multiword)}."
    if joined_words(found):
        yield f"  {found.joined:.0%} of words follow another one letter to letter, so the tokenizer is a segmenter, which learns all of them."
    missing = missing_components(found)
    if (fitting := known_words(found)) is not None and "morphologizer" not in missing:
        yield f"  ! known_words of 'morphologizer' is {fitting.value}: {fitting.reason.splitlines()[-1].strip('()')}."
    if learns_tags(found, missing):
        yield f"  Parts of speech and features nearly determine the {len(found.tags):,} tags, so 'morphologizer' learns these, too."
    for component, columns in missing.items():
        yield f"  ! There are no {columns}: '{component}' is left out."


def _multiword(n: int) -> str:
    """What the tokenizer learns of multiword tokens, for people."""
    return f", and how to split its {n:,} multiword tokens" if n else ". It has no multiword tokens"


def _known(lang: str) -> str:
    """The language as spaCy has it, or ANY where spaCy does not know it."""
    try:
        return check_language(lang)
    except ValueError:
        return ANY
