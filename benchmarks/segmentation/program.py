"""Benchmarks of ``mtl_segmenter`` on the texts of the segmentation bakeoffs: ``python -m benchmarks.segmentation MODE --help``.

Every contestant runs on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
"""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.rows import append_rows, ratio, read_rows, show

from . import tables

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Corpus(str, Enum):
    """Which texts."""

    pku = "pku"
    sxu = "sxu"


class Templates(str, Enum):
    """Which template set."""

    tp1 = "tp1.v1"
    tp2 = "tp2.v1"
    seg = "seg.v1"


CorporaOption = Annotated[
    Path,
    typer.Option(
        "--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with pku2005/ and sxu/."
    ),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="1,000 sentences of one corpus: about a minute.")]
CorpusOption = Annotated[list[Corpus] | None, typer.Option("--corpus", help="Both if not given.")]
TemplatesOption = Annotated[list[Templates] | None, typer.Option(help="All if not given.")]
PkusegOption = Annotated[
    Path | None, typer.Option("--pkuseg-model", exists=True, file_okay=False, help="Folder of a model of pkuseg.")
]


def _names(corpus: list[Corpus] | None, quick: bool) -> list[str]:
    names = [name.value for name in corpus or Corpus]
    return names[:1] if quick else names


@app.command()
def train(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    templates: TemplatesOption = None,
    p: Annotated[float | None, typer.Option("--p", help="Exponent of the block norm.")] = None,
    C: Annotated[float | None, typer.Option("--C", help="Weight of the losses.")] = None,
    passes: Annotated[int | None, typer.Option("--passes", help="Of ours over the corpus.")] = None,
    average: Annotated[int | None, typer.Option("--average", help="Of how many last passes.")] = None,
    inner_passes: Annotated[
        int | None, typer.Option(help="Passes to run at the end of each update; all if not given.")
    ] = None,
    megabytes: Annotated[float, typer.Option(help="Size of our saved model at most.")] = 10.0,
    words: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="The user's dictionary of ours: a list of words, or a text."),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Trainings of ours; the median counts.")] = 3,
    crf_limit: Annotated[
        int | None,
        typer.Option(help="Sentences for python-crfsuite, 0 for all, -1 to leave it out. All, or 200 if --quick."),
    ] = None,
    crf_iterations: Annotated[
        int, typer.Option(min=0, help="Of python-crfsuite's L-BFGS; 0: to its default stop, most of an hour or more.")
    ] = 150,
    others: Annotated[bool, typer.Option(help="Run jieba, LTP and pkuseg.")] = True,
    pkuseg_model: PkusegOption = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure python-crfsuite even if the file has it.")] = False,
    dev: Annotated[bool, typer.Option("--dev", help="Test on a held-out tenth of the training text.")] = False,
) -> None:
    """Training and quality: CPU, memory, model size, F1, recall of known and unknown words, characters/s from raw text.

    Ours counts from Docs in memory to usable weights, features included. python-crfsuite (L-BFGS) gets the same templates, evaluated in Python,
    and counts from append to the end of training; making its features is not counted there, but is in characters/s. LTP's
    perceptron trains on the same sentences with its own features. jieba and spacy-pkuseg come with their dictionary and model and are not trained:
    their standards of what is a word differ. spacy-pkuseg runs if --pkuseg-model names a model; training one takes hours.
    """
    from .runs import QUICK_CRF_SENTENCES, corpora_of, our_settings, run_others, train_crfsuite, train_ours

    known = [] if fresh else read_rows(json)
    crf_limit = (QUICK_CRF_SENTENCES if quick else 0) if crf_limit is None else crf_limit
    changes = {"p": p, "C": C, "passes": passes, "average": average, "inner_passes": inner_passes}
    for data in corpora_of(corpora, _names(corpus, quick), quick, dev):
        rows = []
        for name in templates or Templates:
            ours = our_settings(name.value, megabytes=megabytes, words=str(words) if words else None, **changes)
            rows.append(train_ours(data, ours, 1 if quick else repeats))
            append_rows(json, rows[-1:])
        for name in (templates or Templates) if crf_limit >= 0 else ():
            rows.append(train_crfsuite(data, name.value, crf_limit, crf_iterations, known))
            append_rows(json, [row for row in rows[-1:] if "measured" not in row])
        for row in run_others(data, pkuseg_model) if others else ():
            rows.append(row)
            append_rows(json, [row])
        seconds = {row["templates"]: row["cpu"] for row in rows if row["contestant"] == "ours"}
        for row in rows:
            row["ratio"] = ratio(seconds.get(row["templates"], rows[0]["cpu"]), row["cpu"])
        title = f"Segmentation, {data.name}{', held-out' if dev else ''}, {data.limit or 'all'} sentences"
        show(title, tables.TRAINING, rows, tables.training_note(rows))


@app.command()
def speed(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    templates: TemplatesOption = None,
    pkuseg_model: PkusegOption = None,
    repeats: Annotated[int, typer.Option(help="Portions of the test texts; the median counts.")] = 5,
) -> None:
    """Characters a CPU second from raw text to words, the contestants taking turns in one process: ours to Docs, the others to lists of words.

    Ours is the tokenizer of the pipeline; as a component it gets Docs of characters, which spaCy's tokenizer makes.
    """
    from dataclasses import asdict

    from benchmarks.common.measure import run_child

    from .runs import corpora_of, identity

    names = [name.value for name in templates or Templates]
    for data in corpora_of(corpora, _names(corpus, quick), quick):
        settings = {"names": names, "pkuseg_model": str(pkuseg_model) if pkuseg_model else None, "repeats": repeats}
        rows = run_child("benchmarks.segmentation.runs:speed", data=asdict(data), crf_passes=2, **settings)
        best = next(row for row in rows if row["contestant"] == f"ours, {names[-1]}")
        for row in rows:
            row |= identity("speed", data)
            row |= {f"ratio_{key}": best[key] / row[key] for key in ("new_text", "known_text")}
        append_rows(json, rows)
        show(f"Characters a CPU second from raw text, {data.name}", tables.SPEED, rows)


@app.command()
def words(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    n: Annotated[int, typer.Option("--words", min=1, help="Words in the user's dictionary.")] = 1_000_000,
    repeats: Annotated[int, typer.Option(help="Times that the test text is cut; the median counts.")] = 5,
) -> None:
    """The user's dictionary as law: the share of its words that are cut as given, speed against hints and none, and how long an addition takes."""
    from dataclasses import asdict

    from benchmarks.common.measure import run_child

    from .runs import corpora_of, identity

    for data in corpora_of(corpora, ["pku"], quick):
        settings = {"n_words": min(n, 10_000) if quick else n, "repeats": repeats}
        row = identity("words", data) | run_child(
            "benchmarks.segmentation.user_words:run", data=asdict(data), **settings
        )
        append_rows(json, [row])
        show(f"The user's words as law, {data.name}", tables.WORDS, [row])


@app.command()
def domains(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    hidden: Annotated[
        float, typer.Option(help="Share of words to hide in training, for texts of another source.")
    ] = 0.2,
    C: Annotated[float, typer.Option("--C", help="Constant of training for texts of another source.")] = 0.15,
    bias: Annotated[float, typer.Option(help="Bias for texts of another source.")] = -0.2,
) -> None:
    """Ours, with and without settings for texts of another source, and LTP's perceptron, on test texts of their corpus and of another one."""
    from dataclasses import asdict, replace

    from benchmarks.common.measure import run_child

    from .domains import judged_domains
    from .runs import corpora_of, identity

    for data in corpora_of(corpora, _names(corpus, quick), quick):
        both = {"data": asdict(data), "other": asdict(replace(data, name="sxu" if data.name == "pku" else "pku"))}
        rows = []
        for settings in ({}, {"hidden": hidden, "C": C, "bias": bias}):
            rows += run_child("benchmarks.segmentation.domains:ours", **both, settings=settings)
        rows += run_child("benchmarks.segmentation.domains:rival", **both)
        rows = judged_domains([identity("domains", data) | row for row in rows])
        append_rows(json, rows)
        show(f"Texts of another source, trained on {data.name}", tables.DOMAINS, rows)
