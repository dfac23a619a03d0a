"""``python -m spacy mtl lists``: lists of phrases from the entities of a corpus, or from the aliases of a knowledge base."""

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief
from spacy_mtl.tables.lines import LONGEST_LINE
from spacy_mtl.tables.phrases import MOST_WORDS, can_be_phrase, words_of

from ..shared.messages import clear_errors
from ..shared.options import Columns, Encoding, Scheme, Separator, reader_settings
from ..shared.output import check_files, check_place, write_file

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: How often each phrase occurs, by the name of its list.
Counts = dict[str, Counter[str]]
#: The list of what a knowledge base has.
ALIASES = "aliases"


def lists_cli(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="Column files and .spacy files, whose entities count; folders of saved knowledge bases (InMemoryLookupKB), whose aliases do.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for a file of each label.")],
    label: Annotated[list[str] | None, typer.Option(help="Only entities with this label. Repeatable.")] = None,
    min_count: Annotated[int, typer.Option(min=1, help="Leave out entities that occur less often.")] = 1,
    lang: Annotated[
        str | None,
        typer.Option(help="Divide aliases into words as spaCy does for this language. Default: at white space."),
    ] = None,
    columns: Columns = "ORTH,TAG,ENT",
    scheme: Scheme = "auto",
    separator: Separator = None,
    encoding: Encoding = "utf8",
) -> None:
    """Write lists of phrases for LIST attributes: a file LABEL.txt of the entities with each label, aliases.txt of a knowledge base.

    Frequent entities come first. A component that is trained on the same corpus must be told so ("folds" of spacy_mtl.phrases.v1), or it trusts
    the lists too much.
    """
    from spacy_mtl.languages import blank

    with clear_errors():
        check_place(output, folder=True)
        nlp = blank(lang or "xx")
        settings = reader_settings(columns, None, scheme, separator, encoding, 1, 0)
        counts: Counts = {}
        for path in data:
            if os.path.isdir(path):  # unlike Path.is_dir, also where no file can have such a name
                _add_aliases(path, nlp, lang is not None, counts)
            else:
                _add_entities(path, nlp, settings, counts)
        frequent = _frequent(counts, label, min_count)
        files, unfit = _files(frequent, output)
        if not files:
            names = ", ".join(f"'{brief(path, 100)}'" for path in data[:3])
            message = Errors.M962 if unfit else Errors.M748
            raise ValueError(message.format(paths=names, min_count=min_count, words=MOST_WORDS, most=LONGEST_LINE))
        _write(files, data)
    if unfit:
        typer.echo(Errors.M961.format(n=unfit, words=MOST_WORDS, most=LONGEST_LINE), err=True)
    for path, phrases in files.items():
        typer.echo(f"{path}: {len(phrases):,} phrases")


def _add_entities(path: Path, nlp: "Language", settings: dict[str, Any], counts: Counts) -> None:
    """Count the entities of a file. Raises ValueError: M501-M514, M705."""
    for doc in _references(path, nlp, settings):
        for ent in doc.ents:
            words = [token.text for token in ent if not token.is_space]
            counts.setdefault(ent.label_, Counter())[" ".join(words)] += 1


def _references(path: Path, nlp: "Language", settings: dict[str, Any]) -> "list[Doc]":
    from spacy_mtl.corpora.binary import stored_docs
    from spacy_mtl.corpora.conll import ConllCorpus

    if path.suffix == ".spacy":
        return list(stored_docs(path, nlp.vocab))
    return [example.reference for example in ConllCorpus(path, **settings)(nlp)]


def _add_aliases(path: Path, nlp: "Language", tokenize: bool, counts: Counts) -> None:
    """Add the aliases of a knowledge base. Raises ValueError (M749)."""
    from spacy_mtl.tables.knowledge_bases import read_aliases

    found = counts.setdefault(ALIASES, Counter())
    for alias in read_aliases(path, nlp.vocab):
        words = [token.text for token in nlp.make_doc(alias) if not token.is_space] if tokenize else words_of(alias)
        found[" ".join(words)] += 1


def _frequent(counts: Counts, labels: list[str] | None, least: int) -> dict[str, list[str]]:
    """What occurs often enough, frequent ones first, by the names of the lists that are asked for; aliases all count as frequent."""
    frequent = {}
    for name, found in sorted(counts.items()):
        enough = 1 if name == ALIASES else least
        if not labels or name in (*labels, ALIASES):
            frequent[name] = [text for text, n in found.most_common() if n >= enough]
    return frequent


def _files(frequent: dict[str, list[str]], output: Path) -> tuple[dict[Path, list[str]], int]:
    """The phrases of each file, and how many texts can be none. Raises ValueError (M750) for labels with the same file."""
    files: dict[Path, list[str]] = {}
    unfit = 0
    for name, texts in frequent.items():
        phrases = [" ".join(words_of(text)) for text in texts if can_be_phrase(text)]
        unfit += len(texts) - len(phrases)
        if not phrases:
            continue
        path = output / ("".join(c if c.isalnum() or c in "-_" else "_" for c in name) + ".txt")
        if path in files:
            raise ValueError(Errors.M750.format(label=brief(name), path=path))
        files[path] = phrases
    return files, unfit


def _write(files: dict[Path, list[str]], data: list[Path]) -> None:
    """Write all files, or none where one of them cannot be. Raises ValueError: M704, M741, M795."""
    check_files([*files], data)
    for path, phrases in files.items():
        write_file(path, "".join(f"{phrase}\n" for phrase in phrases).encode())
