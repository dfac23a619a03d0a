"""Benchmarks of ``mtl_ner`` on CoNLL-2002: one mode a question, ``python -m benchmarks.ner MODE --help``.

Every contestant runs in a process of its own on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
"""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.rows import append_rows, epochs_to_try, ratio, read_rows, show
from benchmarks.common.significance import judged, take_counts

from . import tables
from .curves import reached
from .data import GROUPS
from .runs import (
    EPOCHS,
    child,
    compile_first,
    corpora_of,
    identity,
    our_settings,
    train_crfsuite,
    train_ours,
    train_spacy,
)
from .startup import startup as measure_startup

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


#: C of a model of documents and sentences.
MIXED_C = 0.3


class Lang(str, Enum):
    """Which corpus."""

    esp = "esp"
    ned = "ned"
    both = "both"


class Templates(str, Enum):
    """Which template set."""

    conll2002 = "conll2002.v1"
    ner = "ner.v1"


class Method(str, Enum):
    """Of python-crfsuite."""

    lbfgs = "lbfgs"
    ap = "ap"
    pa = "pa"


class Scheme(str, Enum):
    """Which tags."""

    iob2 = "iob2"
    biluo = "biluo"


CorporaOption = Annotated[
    Path,
    typer.Option("--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with conll2002/."),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="1,000 sentences, one language: a few minutes in all.")]
LangOption = Annotated[Lang, typer.Option("--lang", help="Spanish, Dutch or both.")]
POption = Annotated[float | None, typer.Option("--p", help="Exponent of the block norm.")]
COption = Annotated[float | None, typer.Option("--C", help="Weight of the losses.")]
PassesOption = Annotated[int | None, typer.Option("--passes", help="Of ours over the corpus.")]
AverageOption = Annotated[int | None, typer.Option("--average", help="Of how many last passes.")]
GroupOption = Annotated[int | None, typer.Option("--group", help="Sentences of a Doc; 0: the documents of the file.")]


@app.command()
def train(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.both,
    templates: Annotated[list[Templates] | None, typer.Option(help="Both if not given.")] = None,
    p: POption = None,
    C: COption = None,
    passes: PassesOption = None,
    average: AverageOption = None,
    scheme: Annotated[Scheme | None, typer.Option(help="Tags of the chain.")] = None,
    inner_passes: Annotated[int | None, typer.Option(help="Passes to run at the end of each update.")] = None,
    group: GroupOption = None,
    repeats: Annotated[int, typer.Option(help="Trainings of ours; the median counts.")] = 3,
    crf_scheme: Annotated[Scheme | None, typer.Option(help="Tags for python-crfsuite; as ours if not given.")] = None,
    method: Annotated[list[Method] | None, typer.Option(help="Of python-crfsuite; all if not given.")] = None,
    epochs: Annotated[list[int] | None, typer.Option(help="Passes to try of its online methods.")] = None,
    c2: Annotated[list[float] | None, typer.Option("--c2", help="Of its L-BFGS, one or more to choose from.")] = None,
    c: Annotated[list[float] | None, typer.Option("--c", help="Of its pa, one or more to choose from.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure python-crfsuite even if the file has it.")] = False,
    rivals: Annotated[bool, typer.Option(help="Run python-crfsuite at all.")] = True,
) -> None:
    """Training against python-crfsuite on the same observations: CPU, memory, model size, F1.

    Settings that are not given are the template set's own. Ours counts from Docs in memory to usable weights, features included.
    python-crfsuite counts from append to the end of training; making its features and turning them into its own sequences is not counted, nor is it
    in its words/s. Its online methods are trained for 1, 2, 3, 4, 6, ... passes, each time from scratch, and the best on testa counts.
    How far ours is ahead on testb is tested by approximate randomization.
    """
    known = [] if fresh else read_rows(json)
    methods = [chosen.value for chosen in method or Method] if rivals else []
    tried = epochs_to_try(epochs, EPOCHS, 6 if quick else None)
    for data in corpora_of(corpora, lang.value, quick, group):
        for name in templates or Templates:
            changes = {"p": p, "C": C, "passes": passes, "average": average, "scheme": scheme and scheme.value}
            ours = our_settings(name.value, inner_passes=inner_passes, **changes)
            rows = [train_ours(data, ours, 1 if quick else repeats)]
            mine = take_counts(rows[0])
            append_rows(json, rows)
            tags = crf_scheme.value if crf_scheme else ours.scheme
            given = {"c2": c2 or (), "c": c or ()}
            for row in train_crfsuite(data, ours, tags, methods, tried, known, given):
                rows.append(judged(row, mine))
                append_rows(json, [] if "measured" in row else rows[-1:])
            for row in rows:
                row["ratio"] = ratio(rows[0]["cpu"], row["cpu"])
            title = f"Training, {data.lang}, {name.value}, {ours.scheme}, p = {ours.p:.4g}, C = {ours.C:g}"
            show(title, tables.TRAINING, rows, tables.training_note(rows[0]))


@app.command()
def solvers(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    C: Annotated[list[float] | None, typer.Option("--C", help="One or more; 1 and 0.01 if not given.")] = None,
    budget: Annotated[float, typer.Option(help="CPU seconds for the cutting plane method, for each C.")] = 600,
    tol: Annotated[float, typer.Option(help="Its eps stop, relative to the primal.")] = 1e-3,
) -> None:
    """Dual ascent against the paper's Algorithm 1, to the same primal value (p = 1, conll2002.v1)."""
    ours = our_settings("conll2002.v1")
    for data in corpora_of(corpora, lang.value, quick):
        compile_first(data, ours)
        rows = []
        for value in C or [1.0, 0.01]:
            more = {"C": value, "budget": min(budget, 40) if quick else budget, "tol": tol}
            row = identity("solvers", data, ours)
            row |= child("benchmarks.ner.curves:solvers", f"both solvers, C = {value:g}", data, ours, **more)
            rows.append(row | {"ratio": ratio(row["cpu_dual_ascent"], row["cpu_cutting_plane"])})
            append_rows(json, rows[-1:])
        show(f"CPU to the same primal value, {data.lang}", tables.SOLVERS, rows)


@app.command()
def gap(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    templates: Annotated[Templates, typer.Option(help="Which features.")] = Templates.conll2002,
    p: POption = None,
    C: COption = None,
    target: Annotated[float, typer.Option(help="Relative gap to stop at.")] = 0.01,
    budget: Annotated[float, typer.Option(help="CPU seconds to stop at.")] = 1200,
) -> None:
    """Convergence of dual ascent, and what weighing templates costs against p = 2."""
    ours = our_settings(templates.value, p=p, C=C, average=1)
    for data in corpora_of(corpora, lang.value, quick):
        compile_first(data, ours)
        stop = {"target": target, "budget": min(budget, 40) if quick else budget}
        points = child("benchmarks.ner.curves:gap", "training to a small gap", data, ours, **stop)
        stops = {limit: reached(points, limit) for limit in (0.05, 0.01)}
        title = f"Duality gap, {data.lang}, {templates.value}, p = {ours.p:.4g}, C = {ours.C:g}"
        show(title, tables.GAP, points, tables.gap_note(stops))
        norms = child("benchmarks.ner.curves:norms", "p = 1 against p = 2", data, ours, passes=5 if quick else 12)
        for row in norms:
            row["ratio"] = ratio(norms[0]["cpu"], row["cpu"])
        show(f"Price of weighing templates, {data.lang}", tables.NORMS, norms)
        about = {**identity("gap", data, ours), "p": ours.p, "C": ours.C}
        found = {"cpu_to_5": stops[0.05], "cpu_to_1": stops[0.01], "points": points, "norms": norms}
        append_rows(json, [about | found])


@app.command()
def speed(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    repeats: Annotated[int, typer.Option(help="Portions of the test texts; the median counts.")] = 5,
    group: GroupOption = None,
) -> None:
    """Words a second of nlp.pipe against spaCy's ner (initialized, not trained: as fast) and python-crfsuite.

    Everybody reads the training text, from empty caches, then the test texts, then these again.
    """
    ours = our_settings("ner.v1")
    for data in corpora_of(corpora, lang.value, quick, group):
        compile_first(data, ours)
        more = {"repeats": repeats, "crf_passes": 2 if quick else 8}
        found = child("benchmarks.ner.speed:speed", "words a second", data, ours, **more)
        for source, title in (("text", "raw text"), ("docs", "Docs, tags given")):
            rows = found[source]
            best = next(row for row in rows if row["contestant"] == "ours, without TAG")
            for row in rows:
                row |= {**identity("speed", data, ours), "source": source}
                row |= {f"ratio_{key}": best[key] / row[key] for key in ("new_text", "known_text", "from_empty_caches")}
            append_rows(json, rows)
            show(f"Words a CPU second from {title}, {data.lang}, ner.v1", tables.SPEED, rows)


@app.command()
def startup(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    repeats: Annotated[int, typer.Option(help="Runs of each; the median counts.")] = 5,
) -> None:
    """spacy.load and the first document of a saved model, against a blank pipeline."""
    ours = our_settings("ner.v1", tag=False)
    for data in corpora_of(corpora, lang.value, quick):
        compile_first(data, ours)
        found = measure_startup(data, ours, 3 if quick else repeats)
        rows = [identity("startup", data, ours) | row for row in found]
        append_rows(json, rows)
        show(f"Start to first document, {data.lang}", tables.STARTUP, rows)


@app.command()
def size(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    passes: PassesOption = None,
    group: GroupOption = None,
) -> None:
    """F1 of smaller and smaller models of one training."""
    ours = our_settings("ner.v1", passes=passes)
    for data in corpora_of(corpora, lang.value, quick, group):
        compile_first(data, ours)
        rows = child("benchmarks.ner.ours:sizes", "models of all sizes", data, ours, budgets=[None, 20, 10, 5, 3, 2, 1])
        for row in rows:
            row |= {**identity("size", data, ours), "loss": rows[0]["f1_testb"] - row["f1_testb"]}
        append_rows(json, rows)
        show(f"Model size, {data.lang}, ner.v1", tables.SIZE, rows)


@app.command("spacy-ner")
def spacy_ner(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    max_steps: Annotated[int, typer.Option(help="Of spaCy's training.")] = 20000,
    patience: Annotated[int, typer.Option(help="Steps without a better testa score before it stops.")] = 1600,
    group: GroupOption = None,
    spacy_group: Annotated[int, typer.Option(help="Sentences of a Doc for spaCy's ner.")] = 1,
) -> None:
    """spaCy's own ner, trained as spaCy recommends to its own stop, against ours with and without TAG."""
    steps = min(max_steps, 400) if quick else max_steps
    for data in corpora_of(corpora, lang.value, quick, group):
        rows = [train_ours(data, our_settings("ner.v1", tag=tag), mode="spacy-ner") for tag in (False, True)]
        without_tag, _ = [take_counts(row) for row in rows]
        for theirs in corpora_of(corpora, data.lang, quick, spacy_group):
            rows.append(judged(train_spacy(theirs, steps, patience), without_tag))
        for row in rows:
            row["ratio"] = ratio(rows[0]["cpu"], row["cpu"])
        append_rows(json, rows)
        note = f"spaCy counts steps; its best score on testa came after {rows[-1]['cpu_to_best']:.0f} CPU s."
        show(f"Against spaCy's ner, {data.lang}", tables.TRAINING, rows, note)


@app.command()
def mixed(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.ned,
    share: Annotated[
        list[float] | None, typer.Option(help="Of single sentences beside documents; 0.4 if not given.")
    ] = None,
    C: COption = None,
    passes: PassesOption = None,
    group: GroupOption = None,
    test: Annotated[
        bool, typer.Option(help="Score on testb too: once, when everything has been chosen on testa.")
    ] = False,
) -> None:
    """One model for documents and single sentences, against models made for each (no tags; the Dutch files mark their documents).

    Models made for each have the settings that are best for them; --C is that of the mixed one.
    """
    for data in corpora_of(corpora, lang.value, quick, GROUPS[lang.value] if group is None else group):
        ours = our_settings("ner.v1", tag=False, passes=passes, average=6)
        mixed_one = our_settings("ner.v1", tag=False, passes=passes, average=6, C=C or MIXED_C)
        compile_first(data, ours)
        runs = [("documents", ours, data.group, 0.0), ("sentences", ours, 1, 0.0)]
        runs += [(f"documents and {part:.0%} of sentences", mixed_one, data.group, part) for part in share or [0.4]]
        rows = []
        for says, settings, size, part in runs:
            more = {"group": size, "singles": part, "parts": ["testa", "testb"] if test else ["testa"]}
            row = identity("mixed", data, settings) | {"trained_on": says, "C": settings.C, "passes": settings.passes}
            rows.append(row | {"singles": part} | child("benchmarks.ner.mixed:train", says, data, settings, **more))
            append_rows(json, rows[-1:])
        show(f"Documents and single sentences, {data.lang}, ner.v1 without tags", tables.MIXED, rows)


@app.command()
def vectors(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    C: COption = None,
    test: Annotated[
        bool, typer.Option(help="Score on testb too: once, when everything has been chosen on testa.")
    ] = False,
) -> None:
    """Templates, word vectors trained on the training text alone, and both (Spanish, no tags)."""
    for data in corpora_of(corpora, "esp", quick):
        ours = our_settings("ner.v1", tag=False, C=C, average=6)  # as shipped
        compile_first(data, ours)
        rows = []
        for says, templates, dense in (("templates", True, False), ("vectors", False, True), ("both", True, True)):
            more = {
                "with_templates": templates,
                "with_vectors": dense,
                "parts": ["testa", *(["testb"] if test else [])],
            }
            row = identity("vectors", data, ours) | {"contestant": says, "C": ours.C, "passes": ours.passes}
            rows.append(row | child("benchmarks.ner.vectors:run", says, data, ours, **more))
            append_rows(json, rows[-1:])
        show(f"Word vectors, {data.lang}, ner.v1 without tags", tables.VECTORS, rows)
