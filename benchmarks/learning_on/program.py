"""What a component gains and keeps when it learns on: ``python -m benchmarks.learning_on MODE --help``. CPU seconds, kernels compiled before."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.common.rows import Row, append_rows, show
from spacy_mtl.models import relabel, shrink

from . import runs

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[Path, typer.Option(help="The folder that the corpora are in.", envvar="SPACY_MTL_CORPORA")]
PassesOption = Annotated[int, typer.Option(help="Of a training that begins anew.", min=1)]
MoreOption = Annotated[int, typer.Option(help="Of a training that goes on.", min=1)]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
#: What the first model knows; MISC is new.
KNOWN = ("LOC", "ORG", "PER")
_COLUMNS = {"contestant": "training", "documents": "documents", "passes": "passes", "cpu": "CPU s"}


def _warm_up(task: runs.Task, read: Any) -> None:
    """Compile all kernels before anything is timed."""
    small = runs.first(read, 20)
    model = runs.train(task, small, 1)["model"]
    runs.scores(task, runs.train(task, small, 1, model)["model"], small)


@app.command()
def halves(corpora: CorporaOption, passes: PassesOption = 12, more: MoreOption = 10, json: JsonOption = None) -> None:
    """Spanish entities: on from the first half of the corpus with the second, against training on all of it."""
    task, train = runs.ENTITIES, runs.conll(corpora / "conll2002" / "esp.train")
    _warm_up(task, train)
    half = runs.train(task, runs.part(train, 0, 0.5), passes)
    found = [
        ("first half", half),
        ("second half alone", runs.train(task, runs.part(train, 0.5, 1), passes)),
        ("second half, on from the first", runs.train(task, runs.part(train, 0.5, 1), more, half["model"])),
        ("all", runs.train(task, train, passes)),
    ]

    def score(model: bytes) -> Row:
        files = {name: runs.conll(corpora / "conll2002" / f"esp.{name}") for name in ("testa", "testb")}
        return {name: runs.scores(task, model, read)["score"] for name, read in files.items()}

    rows = list(runs.rows("halves", found, score))
    show("Halves of Spanish entities", _COLUMNS | {"testa": "F1 testa", "testb": "F1 testb"}, rows)
    append_rows(json, rows)


@app.command()
def labels(
    corpora: CorporaOption, passes: PassesOption = 12, more: MoreOption = 12,
    documents: Annotated[int, typer.Option(help="With the new label.", min=1)] = 20,
    draws: Annotated[int, typer.Option(help="Of these documents, at random.", min=1)] = 6,
    rehearsed: Annotated[int, typer.Option(help="Of the first corpus, without their annotation.", min=1)] = 300,
    test: Annotated[bool, typer.Option("--test", help="Score testb too, besides testa, on which the settings were chosen.")] = False,
    json: JsonOption = None,
) -> None:  # fmt: skip
    """Spanish entities: a label that the model does not know, in a few documents; what the other labels keep. Means over several draws."""
    task, train = runs.ENTITIES, runs.conll(corpora / "conll2002" / "esp.train")
    _warm_up(task, train)
    old = runs.train(task, runs.with_label(train, "MISC", False), passes)["model"]
    pool = runs.remembered(runs.with_label(train, "MISC", True))
    kept = runs.remembered(runs.first(runs.with_label(train, "MISC", False), rehearsed))
    names = ("testa", "testb") if test else ("testa",)
    files = {name: runs.remembered(runs.conll(corpora / "conll2002" / f"esp.{name}")) for name in names}

    def on_from_it(draw: int) -> dict[str, bytes]:
        new = runs.drawn(pool, documents, draw)
        with in_full():
            whole = runs.train(task, new, more, old)["model"]
        return {
            "known labels in full": whole,
            "on from it": runs.train(task, new, more, old)["model"],
            "on from it at a tenth of C": runs.train(task.weighting_losses(0.03), new, more, old)["model"],
            f"on from it, {rehearsed} texts rehearsed": runs.train(task, new, more, old, kept)["model"],
        }

    def scored(model: bytes, name: str) -> Row:
        by_label = runs.scores(task, model, files[name])
        return {label: by_label.get(label, 0.0) for label in (*KNOWN, "MISC")}

    models = [on_from_it(draw) for draw in range(draws)]
    columns = {"contestant": "training", **{label: f"F1 {label}" for label in (*KNOWN, "MISC")}}
    for name in names:
        found = {contestant: [scored(each[contestant], name) for each in models] for contestant in models[0]}
        about = {"benchmark": "learning_on", "mode": "labels", "file": name, "documents": documents, "draws": draws}
        rows = [about | row for row in label_rows(scored(old, name), found)]
        show(f"A new label, {name}", columns | {"change": "known labels, change", "worst": "worst draw"}, rows)
        append_rows(json, rows)


def label_rows(before: Row, found: Mapping[str, Sequence[Row]]) -> Iterator[Row]:
    """A row for each contestant: the means of its draws, and the change of the mean F1 of the known labels, also in the worst draw."""
    was = statistics.mean(before[label] for label in KNOWN)
    yield {"contestant": "without MISC", **before, "change": 0.0, "worst": 0.0}
    for contestant, scores in found.items():
        changes = [statistics.mean(each[label] for label in KNOWN) - was for each in scores]
        means = {label: statistics.mean(each[label] for each in scores) for label in before}
        row = {"contestant": contestant, **means, "change": statistics.mean(changes), "worst": min(changes)}
        yield row | {"changes": changes}


@contextmanager
def in_full() -> Iterator[None]:
    """Without what protects known labels: new ones begin at the mean of their kind alone, and changes of known ones are not shrunk."""
    constants = relabel.OUTSIDE, shrink.LEAST
    relabel.OUTSIDE, shrink.LEAST = 0.0, 1.0
    try:
        yield
    finally:
        relabel.OUTSIDE, shrink.LEAST = constants


@app.command()
def domain(
    corpora: CorporaOption, passes: PassesOption = 10, more: MoreOption = 10,
    documents: Annotated[int, typer.Option(help="Of the new domain.", min=1)] = 200, json: JsonOption = None,
) -> None:  # fmt: skip
    """Tags: from news to biomedical abstracts with a few of their sentences."""
    task, news = runs.TAGS, runs.treebank(corpora / "ptb-sample" / "train.mrg")
    abstracts = runs.first(runs.tagged(corpora / "genia-pos" / "train.tsv"), documents)
    _warm_up(task, news)
    old = runs.train(task, news, passes)
    found = [
        ("news", old),
        ("abstracts", runs.train(task, abstracts, passes)),
        ("abstracts, on from news", runs.train(task, abstracts, more, old["model"])),
        ("news and abstracts", runs.train(task, runs.both(news, abstracts), passes)),
    ]

    def score(model: bytes) -> Row:
        tests = {
            "abstracts": runs.tagged(corpora / "genia-pos" / "test.tsv"),
            "news": runs.treebank(corpora / "ptb-sample" / "test.mrg"),
        }
        return {name: runs.scores(task, model, read)["score"] for name, read in tests.items()}

    rows = list(runs.rows("domain", found, score))
    show("From news to abstracts", _COLUMNS | {"abstracts": "accuracy on abstracts", "news": "on news"}, rows)
    append_rows(json, rows)
