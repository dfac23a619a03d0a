"""``python -m spacy mtl clusters``: learn clusters of words from raw text."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

from ..shared.messages import clear_errors
from ..shared.options import Encoding
from ..shared.output import check_file_name, check_other, write_file
from .interrupts import interrupts_noted

if TYPE_CHECKING:
    from spacy_mtl.clustering.learn import Learned
    from spacy_mtl.clustering.neighbours import Text


def clusters_cli(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT...",
            help='Raw text, a sentence or paragraph a line; .jsonl files with a "text" on each line; column files and CoNLL-U, whose words count.',
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file of clusters to write.")],
    classes: Annotated[int, typer.Option(min=2, max=5000, help="Number of clusters.")] = 500,
    min_count: Annotated[int, typer.Option(min=1, help="Leave out rarer words.")] = 5,
    passes: Annotated[int, typer.Option(min=1, max=1000, help="Passes over all words, at most.")] = 15,
    lang: Annotated[
        str | None,
        typer.Option(help="Divide texts into words as spaCy does for this language. Default: at white space."),
    ] = None,
    encoding: Encoding = "utf8",
) -> None:
    """Learn clusters of words from raw text, and write them in the format of Brown clusters.

    Words whose neighbours are alike come into one cluster, and similar clusters beside each other in a binary tree. The result is the same every
    time. Once the texts have been read, an interrupt (Ctrl-C) ends the search, and what has been found by then is written.
    """
    from spacy_mtl.tables.brown import brown_text

    with clear_errors():
        text = _counted(texts, output, min_count, lang, encoding)
        with interrupts_noted() as interrupted:
            learned = _learned(text, classes, passes, interrupted)
            write_file(output, brown_text(learned.entries).encode())
    if not learned.finished:
        typer.echo("Interrupted: these are the clusters so far.", err=True)
    typer.echo(
        f"{output}: {len(learned.entries):,} words in {learned.clusters:,} clusters, of {text.counts.sum():,} tokens"
    )


def _counted(texts: list[Path], output: Path, min_count: int, lang: str | None, encoding: str) -> "Text":
    """Read the texts.

    Raises ValueError: M501, M502, M513, M746 for a file, M515 and M767 for the language, M704 and M741 for the output, M747 without words.
    """
    from spacy_mtl.clustering.neighbours import count_neighbours
    from spacy_mtl.corpora.settings import check_file

    for path in texts:
        check_file(path)
    check_other(output, texts)
    check_file_name(output)
    sentences = _sentences(texts, _tokenizer(lang), encoding)
    text = count_neighbours(sentences, min_count)
    if text is None:
        names = ", ".join(f"'{brief(path, 100)}'" for path in texts[:3])
        raise ValueError(Errors.M747.format(paths=names, min_count=min_count))
    return text


def _tokenizer(lang: str | None) -> Callable[[str], Sequence[str]]:
    if lang is None:
        return str.split
    from spacy_mtl.languages import blank

    tokenizer = blank(lang).tokenizer
    return lambda text: [token.text for token in tokenizer(text) if not token.is_space]


def _sentences(texts: list[Path], tokenize: Callable[[str], Sequence[str]], encoding: str) -> Iterator[Sequence[str]]:
    from tqdm import tqdm

    from spacy_mtl.clustering.sentences import is_told, sentences_of

    from .content import has_columns

    columns = {path for path in texts if not is_told(path) and has_columns(path, tokenize, encoding)}
    for path in texts:
        if path in columns:
            typer.echo(f"{brief(path, 100)} is read as a column file: a word from each line.", err=True)
    with tqdm(desc="words read", unit="", unit_scale=True, leave=False) as bar:
        for path in texts:
            for sentence in sentences_of(path, tokenize, encoding, path in columns):
                yield sentence
                bar.update(len(sentence))


def _learned(text: "Text", classes: int, passes: int, stopped: Callable[[], bool]) -> "Learned":
    """Search, and show how far it is: the words, and then the clusters that have been compared for the tree."""
    from tqdm import tqdm

    from spacy_mtl.clustering.learn import learn_clusters

    n_words = len(text.words)
    with (
        tqdm(total=n_words * passes, desc="words placed", unit="", unit_scale=True, leave=False) as placed,
        tqdm(total=min(classes, n_words), desc="clusters compared", unit="", leave=False) as compared,
    ):
        return learn_clusters(text, classes, passes, placed.update, compared.update, stopped)
