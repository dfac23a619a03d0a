"""Benchmarks of ``mtl_parser``: dependency trees of Danish (DDT), Swedish (Talbanken), Dutch (LassySmall), Gothic (PROIEL) and Turkish (IMST).
``python -m benchmarks.parsing MODE --help``.

Everybody gets the same tokens, sentences and gold tags. Where a Danish sentence has several roots, UDPipe and spaCy learn a tree in which the further
ones hang on the first with a label of their own, and are roots again before the scores are counted.

Every contestant runs in a process of its own on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
"""

from dataclasses import asdict
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.common.rows import Row, append_rows, ratio, read_rows, show

from . import tables

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Corpus(str, Enum):
    """Which treebank."""

    swedish = "swedish"
    dutch = "dutch"
    danish = "danish"
    gothic = "gothic"
    turkish = "turkish"


class Trainer(str, Enum):
    """Of ours."""

    mtlstruct = "MTLStruct"
    ssvm = "SSVM"
    eg = "EG"
    mira = "MIRA"


class Trees(str, Enum):
    """What ours may predict."""

    projective = "projective"
    non_projective = "non-projective"


class Labelling(str, Enum):
    """How ours finds labels."""

    second_pass = "second_pass"
    joint = "joint"


CorporaOption = Annotated[
    Path,
    typer.Option(
        "--corpora",
        envvar="SPACY_MTL_CORPORA",
        exists=True,
        file_okay=False,
        help="Folder with ddt/, ud-swedish-talbanken/ and the like.",
    ),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="300 sentences of one treebank: a minute or two.")]
TrainerOption = Annotated[list[Trainer] | None, typer.Option("--trainer", help="MTLStruct if not given.")]
OrderOption = Annotated[
    list[int] | None, typer.Option("--order", min=1, max=2, help="1 if not given; 2: pairs of siblings.")
]
GrandparentsOption = Annotated[
    bool,
    typer.Option("--grandparents/--no-grandparents", help="Pairs with grandparents, too, in the second order."),
]
TreesOption = Annotated[list[Trees] | None, typer.Option("--trees", help="Projective if not given.")]
LabellingOption = Annotated[list[Labelling] | None, typer.Option("--labelling", help="In a second pass if not given.")]
CorpusOption = Annotated[list[Corpus] | None, typer.Option("--corpus", help="All if not given.")]


def _ours(
    trainer: list[Trainer] | None,
    order: list[int] | None,
    trees: list[Trees] | None,
    labelling: list[Labelling] | None = None,
    **more: Any,
) -> list[Row]:
    """Settings of ours, a row for each combination; what is None is left at its default."""
    from .ours import Ours

    changes = {key: value for key, value in more.items() if value is not None}
    grandparents = changes.pop("grandparents", False)
    if grandparents and 2 not in (order or []):
        raise typer.BadParameter("grandparents belong to the second order: add --order 2.", param_hint="--grandparents")
    combinations = product(
        trainer or [Trainer.mtlstruct], order or [1], trees or [Trees.projective], labelling or [Labelling.second_pass]
    )
    return [
        asdict(
            Ours(
                name.value,
                number,
                kind is Trees.projective,
                labelling=labels.value,
                grandparents=grandparents and number == 2,
                **changes,
            )
        )
        for name, number, kind, labels in combinations
    ]


def _names(corpus: list[Corpus] | None) -> list[str]:
    return [name.value for name in corpus or Corpus]


@app.command()
def train(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    trainer: TrainerOption = None,
    order: OrderOption = None,
    grandparents: GrandparentsOption = False,
    trees: TreesOption = None,
    labelling: LabellingOption = None,
    passes: Annotated[int | None, typer.Option(help="Of ours over the corpus.")] = None,
    C: Annotated[
        float | None, typer.Option("--C", help="Weight of the losses; of each trainer its own if not given.")
    ] = None,
    p: Annotated[float | None, typer.Option("--p", help="Exponent of the block norm, of MTLStruct.")] = None,
    margin: Annotated[float | None, typer.Option(help="Of our filter of hopeless arcs.")] = None,
    megabytes: Annotated[float | None, typer.Option(help="Size of our saved model.")] = None,
    repeats: Annotated[int, typer.Option(help="Trainings of ours; the median counts. 0 leaves ours out.")] = 1,
    iterations: Annotated[int, typer.Option(help="Of UDPipe's training; 0 leaves it out.")] = 10,
    structured_interval: Annotated[
        int, typer.Option(help="Every how many sentences UDPipe asks its search-based oracle; 0: never.")
    ] = 8,
    max_steps: Annotated[int, typer.Option(help="Of spaCy's training; 0 leaves it out.")] = 20000,
    patience: Annotated[int, typer.Option(help="Steps without a better dev score before spaCy stops.")] = 1600,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure the others even if the file has them.")] = False,
) -> None:
    """Training and quality: CPU, memory, model size, attachment scores, crossing arcs.

    Ours counts from Docs in memory to usable weights, features included; it is run with every combination of the given trainers, orders, trees
    and ways to find labels.
    UDPipe's seconds count from sentences in memory to the model's bytes, its evaluations of dev included, by which it picks an iteration (Danish has
    no dev part: all is learnt from, for all iterations); spaCy's count all of its training, as its stop needs the evaluations.
    """
    from .runs import corpora_of, train_ours, train_spacy, train_udpipe

    known = [] if fresh else read_rows(json)
    changes = {"passes": passes, "C": C, "p": p, "margin": margin, "megabytes": megabytes, "grandparents": grandparents}
    ours = _ours(trainer, order, trees, labelling, **changes) if repeats else []
    for data in corpora_of(corpora, _names(corpus), quick):
        rows: list[Row] = []
        for settings in ours:
            rows.append(train_ours(data, settings, 1 if quick else repeats))
            append_rows(json, rows[-1:])
        if iterations:
            rows.append(train_udpipe(data, min(iterations, 2) if quick else iterations, structured_interval, known))
            append_rows(json, [row for row in rows[-1:] if "measured" not in row])
        if max_steps:
            rows.append(train_spacy(data, min(max_steps, 100) if quick else max_steps, patience, known))
            append_rows(json, [row for row in rows[-1:] if "measured" not in row])
        for row in rows:
            row["ratio"] = ratio(rows[0]["cpu"], row["cpu"])
        show(
            f"Parsing, {data.name}, {data.limit or 'all'} sentences",
            tables.COST,
            rows,
            tables.cost_note(rows),
        )
        show(f"Trees of the test part, {data.name}", tables.RULES, rows, tables.rules_note(rows))


@app.command()
def speed(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    trainer: TrainerOption = None,
    order: OrderOption = None,
    grandparents: GrandparentsOption = False,
    trees: TreesOption = None,
    sentences: Annotated[int, typer.Option(help="Of the training part, that ours and UDPipe learn from; 0: all.")] = 0,
    repeats: Annotated[int, typer.Option(help="Portions of the dev and test parts; the median counts.")] = 5,
) -> None:
    """Words a CPU second from tagged sentences to trees.

    spaCy's parser is initialized, not trained, UDPipe's is trained for one iteration: as fast as fully trained.
    """
    from .runs import child, corpora_of, identity

    ours = _ours(trainer, order, trees, grandparents=grandparents)
    for data in corpora_of(corpora, _names(corpus), quick):
        rows = child(
            "benchmarks.parsing.speed:speed",
            "words a second",
            data,
            ours=ours,
            brief=data.limit or sentences,
            repeats=repeats,
        )
        for row in rows:
            row |= identity("speed", data)
            row["ratio"] = ratio(row["words_a_second"], rows[0]["words_a_second"])
        append_rows(json, rows)
        show(f"Words a CPU second from tagged sentences to trees, {data.name}", tables.SPEED, rows)


@app.command()
def templates(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: Annotated[Corpus, typer.Option(help="Which treebank.")] = Corpus.danish,
    plot: Annotated[Path | None, typer.Option(help="Draw the shares of the templates (.png or .svg).")] = None,
    constants: Annotated[list[float] | None, typer.Option("--C", help="To choose among on dev: 0.1, 0.3, 1.")] = None,
    passes: Annotated[int, typer.Option(help="Over the corpus: p = 1 takes more of them than other exponents.")] = 30,
) -> None:
    """Which templates count, as Figure 6 of the MTLstruct paper: MSTParser's templates, one for each direction and distance, p = 1, no labels.

    Then the templates that are left are trained alone.
    """
    from .runs import child, corpora_of, identity

    for data in corpora_of(corpora, [corpus.value], quick):
        settings = {"constants": constants or [0.1, 0.3, 1.0], "passes": min(passes, 5) if quick else passes}
        rows, shares = child("benchmarks.parsing.templates:study", "templates", data, **settings)
        rows = [{**identity("templates", data), **row} for row in rows]
        append_rows(json, rows)
        show(f"Templates of arcs at p = 1, {data.name}", tables.TEMPLATES, rows)
        if plot is not None:
            from .plot import plot_shares

            plot_shares(plot, shares)


@app.command()
def tags(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: Annotated[Corpus, typer.Option(help="Which treebank.")] = Corpus.danish,
    passes: Annotated[int, typer.Option(help="Over the corpus.", min=1)] = 10,
) -> None:
    """Defaults of ``mtl_parser`` on dev, with gold tags, with those of a tagger trained together with it, and without any; and earlier defaults."""
    from .runs import child, corpora_of, identity
    from .tags import CONTESTANTS

    for data in corpora_of(corpora, [corpus.value], quick):
        rows = []
        for contestant in CONTESTANTS:
            found = child("benchmarks.parsing.tags:train", contestant, data, contestant=contestant, passes=passes)
            rows.append({**identity("tags", data), "contestant": contestant, "passes": passes, **found})
            append_rows(json, rows[-1:])
        show(f"Where tags come from, {data.name}, dev", tables.TAGS, rows)
