"""Benchmarks of ``mtl_tagger``: GENIA (biomedical English, 42 tags) and Swedish (Talbanken; of its two columns of tags the coarse one, the universal
parts of speech). ``python -m benchmarks.tagging MODE --help``.

Every contestant runs in a process of its own on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
"""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.rows import append_rows, epochs_to_try, ratio, read_rows, show
from benchmarks.common.significance import judged, take_counts

from . import tables

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Corpus(str, Enum):
    """Which corpus."""

    genia = "genia"
    swedish = "swedish"


class Method(str, Enum):
    """Of python-crfsuite."""

    lbfgs = "lbfgs"
    ap = "ap"
    pa = "pa"


CorporaOption = Annotated[
    Path,
    typer.Option(
        "--corpora",
        envvar="SPACY_MTL_CORPORA",
        exists=True,
        file_okay=False,
        help="Folder with genia-pos/ and ud-swedish-talbanken/.",
    ),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="1,000 sentences of one corpus: a minute or two.")]
CorpusOption = Annotated[list[Corpus] | None, typer.Option("--corpus", help="Both if not given.")]


def _names(corpus: list[Corpus] | None) -> list[str]:
    return [name.value for name in corpus or Corpus]


@app.command()
def train(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    p: Annotated[float | None, typer.Option("--p", help="Exponent of the block norm.")] = None,
    C: Annotated[float | None, typer.Option("--C", help="Weight of the losses.")] = None,
    passes: Annotated[int | None, typer.Option("--passes", help="Of ours over the corpus.")] = None,
    average: Annotated[int | None, typer.Option("--average", help="Of how many last passes.")] = None,
    known_words: Annotated[int | None, typer.Option(help="Words seen so often are held to their tags.")] = None,
    megabytes: Annotated[float | None, typer.Option(help="Size of our saved model.")] = None,
    repeats: Annotated[int, typer.Option(help="Trainings of ours; the median counts.")] = 3,
    max_steps: Annotated[int, typer.Option(help="Of spaCy's training; 0 leaves it out.")] = 20000,
    patience: Annotated[int, typer.Option(help="Steps without a better dev score before spaCy stops.")] = 1600,
    max_iterations: Annotated[
        int, typer.Option(help="Of python-crfsuite's L-BFGS; 0: to its default stop, -1: no python-crfsuite at all.")
    ] = 150,
    method: Annotated[list[Method] | None, typer.Option(help="Of python-crfsuite; all if not given.")] = None,
    epochs: Annotated[list[int] | None, typer.Option(help="Passes to try of its online methods.")] = None,
    c2: Annotated[list[float] | None, typer.Option("--c2", help="Of its L-BFGS, one or more to choose from.")] = None,
    c: Annotated[list[float] | None, typer.Option("--c", help="Of its pa, one or more to choose from.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure the others even if the file has them.")] = False,
) -> None:
    """Training and quality: CPU, memory, model size, accuracy of all words and of unknown ones.

    Ours counts from Docs in memory to usable weights, features included. spaCy's counts all of its training, evaluations included, which its stop
    needs. python-crfsuite gets the same observations and counts from append to the end of training; its online methods are trained for 1, 2, 4, ...
    passes, each time from scratch, and the best on dev counts.
    """
    from .runs import EPOCHS, corpora_of, our_settings, train_crfsuite, train_ours, train_spacy

    known = [] if fresh else read_rows(json)
    changes = {"p": p, "C": C, "passes": passes, "average": average, "known_words": known_words, "megabytes": megabytes}
    ours = our_settings(**changes)
    tried = epochs_to_try(epochs, EPOCHS, 3 if quick else None)
    of_method = {Method.lbfgs: [30 if quick else max_iterations or None]}
    methods = {chosen.value: of_method.get(chosen, tried) for chosen in method or Method}
    for data in corpora_of(corpora, _names(corpus), quick):
        rows = [train_ours(data, ours, 1 if quick else repeats)]
        mine = take_counts(rows[0])
        append_rows(json, rows)
        if max_steps:
            rows.append(judged(train_spacy(data, min(max_steps, 200) if quick else max_steps, patience, known), mine))
            append_rows(json, [row for row in rows[-1:] if "measured" not in row])
        given = {"c2": c2 or (), "c": c or ()}
        for row in train_crfsuite(data, ours, methods, known, given) if max_iterations >= 0 else ():
            rows.append(judged(row, mine))
            append_rows(json, [] if "measured" in row else rows[-1:])
        for row in rows:
            row["ratio"] = ratio(rows[0]["cpu"], row["cpu"])
        title = f"Tagging, {data.name}, p = {ours.p:.4g}, C = {ours.C:g}, {data.limit or 'all'} sentences"
        show(title, tables.TRAINING, rows, tables.training_note(rows))


@app.command()
def speed(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    repeats: Annotated[int, typer.Option(help="Portions of the dev and test parts; the median counts.")] = 5,
    crf: Annotated[bool, typer.Option(help="Run python-crfsuite, features in Python.")] = True,
) -> None:
    """Words a CPU second of nlp.pipe, from raw text and from tokens, against spaCy's tagger (initialized, not trained: as fast) and python-crfsuite.

    Everybody reads the training part, from empty caches, then dev and test, then these again.
    """
    from dataclasses import asdict

    from .runs import child, corpora_of, identity, our_settings

    for data in corpora_of(corpora, _names(corpus), quick):
        more = {"ours": asdict(our_settings()), "repeats": repeats, "crf_passes": 1 if crf else 0}
        found = child("benchmarks.tagging.speed:speed", "words a second", data, **more)
        for source, title in (("text", "raw text"), ("docs", "tokens")):
            rows = found[source]
            best = next(row for row in rows if row["contestant"] == "ours")
            for row in rows:
                row |= {**identity("speed", data), "source": source}
                row |= {f"ratio_{key}": best[key] / row[key] for key in ("new_text", "known_text")}
            append_rows(json, rows)
            show(f"Words a CPU second from {title}, {data.name}", tables.SPEED, rows)
