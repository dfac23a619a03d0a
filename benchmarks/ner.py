"""Benchmarks of ``mtl_ner`` on CoNLL-2002: one mode a question, ``python benchmarks/ner.py MODE --help``.

Every contestant runs in a process of its own on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import ner_startup
import typer
from measure import median, run_child, use_kernel_cache, use_one_core
from ner_curves import reached
from ner_data import DEFAULTS, Data, Ours, as_settings
from rows import Row, append_rows, find_row, progress, ratio, read_rows, show

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

CorporaOption = Annotated[
    Path, typer.Option("--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with conll2002/.")
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="A few minutes in all: 1,000 sentences, one language.")]
POption = Annotated[float | None, typer.Option("--p", help="Exponent of the block norm; the template set's own if not given.")]
COption = Annotated[float | None, typer.Option("--C", help="Weight of the losses; the template set's own if not given.")]
PassesOption = Annotated[int | None, typer.Option("--passes", help="Of ours over the corpus.")]


class Lang(str, Enum):
    """Which corpus."""

    esp = "esp"
    ned = "ned"
    both = "both"


LangOption = Annotated[Lang, typer.Option("--lang", help="Spanish, Dutch or both.")]
BENCHMARK = "ner"
QUICK_SENTENCES = 1000
EPOCHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
TRAIN_COLUMNS = {
    "lang": "", "templates": "templates", "contestant": "contestant", "cpu": "CPU s", "cpu_extraction": "of it features",
    "ratio": "CPU : ours", "peak_mb": "peak MB", "model_mb": "model MB", "words_per_second": "words/s", "iterations": "passes",
    "f1_testa": "F1 testa", "f1_testb": "F1 testb", "gap": "gap", "live_templates": "live", "cached": "measured",
}  # fmt: skip


@app.callback()
def prepare() -> None:
    """One core and compiled kernels for everything that follows."""
    use_one_core()
    use_kernel_cache()


def corpora_of(corpora: Path, lang: Lang, quick: bool) -> Iterator[Data]:
    """The corpora to run on."""
    langs = ["esp", "ned"] if lang is Lang.both else [lang.value]
    for name in langs[:1] if quick else langs:
        yield Data(str(corpora.absolute()), name, QUICK_SENTENCES if quick else 0)


def our_settings(templates: str, **changes: Any) -> Ours:
    """The defaults of a template set with what the user changed."""
    return replace(DEFAULTS[templates], **{key: value for key, value in changes.items() if value is not None})


def child(task: str, says: str, data: Data, ours: Ours, **more: Any) -> Any:
    """Run a contestant and say so."""
    progress.print(f"[dim]{data.lang}: {says} ...[/dim]")
    return run_child(task, **as_settings(data, ours), **more)


def compile_first(data: Data, ours: Ours) -> float:
    return child("ner_ours:compile_kernels", "compiling kernels", data, ours)["cpu"]


def identity(mode: str, data: Data, ours: Ours) -> Row:
    """What a row is about."""
    templates = ours.templates + ("" if ours.tag else ", no TAG")
    return {"benchmark": BENCHMARK, "mode": mode, "lang": data.lang, "limit": data.limit, "templates": templates}


# --- train ---


def train_ours(data: Data, ours: Ours, repeats: int, mode: str = "train") -> Row:
    """Median CPU of several trainings; the other figures are those of the last."""
    compiling = compile_first(data, ours)
    runs = [child("ner_ours:train", f"ours, {ours.templates}", data, ours) for _ in range(repeats)]
    settings = {"p": ours.p, "C": ours.C, "scheme": ours.scheme, "iterations": ours.passes, "average": ours.average}
    cpu = median([run["cpu"] for run in runs])
    return {**identity(mode, data, ours), **settings, **runs[-1], "cpu": cpu, "cpu_runs": [run["cpu"] for run in runs], "cpu_compiling": compiling}


def fingerprint(data: Data, ours: Ours) -> str:
    """Changes when the templates do."""
    _, ner = ours.pipeline(data)
    return blake2b("\n".join(ner.model.attrs["templates"].texts()).encode(), digest_size=6).hexdigest()


def train_crfsuite(data: Data, ours: Ours, scheme: str, epochs: list[int], known: list[Row]) -> Iterator[Row]:
    """L-BFGS to its default stop, then the two online methods to their best testa score; rows measured before are taken from ``known``."""
    about = {**identity("train", data, ours), "scheme": scheme, "observed": fingerprint(data, ours)}
    methods: dict[str, list[int] | None] = {"lbfgs": None, "ap": epochs, "pa": epochs}
    with TemporaryDirectory() as folder:
        for method, iterations in methods.items():
            found = find_row(known, {**about, "contestant": f"crfsuite {method}"})
            if found:
                yield {**found, "cached": found["time"][:10]}
                continue
            if not any(Path(folder).iterdir()):
                counts = child("ner_crfsuite:write_observations", "making observations", data, ours, folder=folder, scheme=scheme)
            progress.print(f"[dim]{data.lang}: crfsuite {method}, {ours.templates} ...[/dim]")
            yield {**about, **counts, **run_child("ner_crfsuite:train", folder=folder, algorithm=method, iterations=iterations)}


@app.command()
def train(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.both,
    templates: Annotated[list[str] | None, typer.Option(help="conll2002.v1, ner.v1; both if not given.")] = None,
    p: POption = None,
    C: COption = None,
    passes: PassesOption = None,
    inner_passes: Annotated[int, typer.Option(help="Of the passes, how many to run at the end of each update.")] = 1,
    repeats: Annotated[int, typer.Option(help="Trainings of ours; the median counts.")] = 3,
    crf_scheme: Annotated[str | None, typer.Option(help="Tags for python-crfsuite: iob2 or biluo; as ours if not given.")] = None,
    fresh: Annotated[bool, typer.Option(help="Measure python-crfsuite again, even if the JSON file has it.")] = False,
    rivals: Annotated[bool, typer.Option(help="Run python-crfsuite at all.")] = True,
) -> None:
    """Training against python-crfsuite on the same observations: CPU, memory, model size, F1.

    Ours counts from Docs in memory to usable weights, features included. python-crfsuite counts from append to the end of training: making its
    features and turning them into its own sequences is not counted, nor in its words/s.
    """
    known = [] if fresh else read_rows(json)
    for data in corpora_of(corpora, lang, quick):
        for name in templates or list(DEFAULTS):
            ours = our_settings(name, p=p, C=C, passes=passes, inner_passes=inner_passes)
            rows = [train_ours(data, ours, 1 if quick else repeats)]
            append_rows(json, rows)
            if rivals:
                for row in train_crfsuite(data, ours, crf_scheme or ours.scheme, EPOCHS[: 6 if quick else None], known):
                    rows.append(row)
                    append_rows(json, [] if "cached" in row else [row])
            for row in rows:
                row["ratio"] = ratio(rows[0]["cpu"], row["cpu"])
            show(f"Training, {data.lang}, {name}, {rows[0]['scheme']}", TRAIN_COLUMNS, rows, training_note(rows[0]))


def training_note(row: Row) -> str:
    """Where our seconds went."""
    parts = ("initialize", "extraction", "passes", "export")
    spent = ", ".join(f"{part} {row[f'cpu_{part}']:.2f}" for part in parts)
    rest = row["cpu"] - sum(row[f"cpu_{part}"] for part in parts)
    return f"Ours: {spent}, the rest of update {rest:.2f} s; first training of a process (kernels compiled or loaded) {row['cpu_compiling']:.1f} s."


# --- solvers, gap ---


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
    for data in corpora_of(corpora, lang, quick):
        compile_first(data, ours)
        rows = []
        for value in C or [1.0, 0.01]:
            more = {"C": value, "budget": min(budget, 40) if quick else budget, "tol": tol}
            found = child("ner_curves:solvers", f"both solvers, C = {value:g}", data, ours, **more)
            rows.append({**identity("solvers", data, ours), **found, "ratio": ratio(found["cpu_dual_ascent"], found["cpu_cutting_plane"])})
            append_rows(json, rows[-1:])
        columns = {"C": "C", "primal": "primal", "rounds": "rounds", "cpu_cutting_plane": "cutting plane CPU s", "passes": "passes",
                   "cpu_dual_ascent": "dual ascent CPU s", "ratio": "ratio"}  # fmt: skip
        show(f"CPU to the same primal value, {data.lang}", columns, rows)


@app.command()
def gap(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    templates: Annotated[str, typer.Option(help="conll2002.v1 or ner.v1.")] = "conll2002.v1",
    p: POption = None,
    C: COption = None,
    target: Annotated[float, typer.Option(help="Relative gap to stop at.")] = 0.01,
    budget: Annotated[float, typer.Option(help="CPU seconds to stop at.")] = 1200,
) -> None:
    """Convergence of dual ascent, and what weighing templates costs against p = 2."""
    ours = our_settings(templates, p=p, C=C, average=1)
    for data in corpora_of(corpora, lang, quick):
        compile_first(data, ours)
        points = child("ner_curves:gap", "training to a small gap", data, ours, target=target, budget=min(budget, 40) if quick else budget)
        columns = {"passes": "passes", "cpu": "CPU s", "primal": "primal", "dual": "dual", "gap": "gap", "live_templates": "live", "f1_testa": "F1 testa"}
        stops = {limit: reached(points, limit) for limit in (0.05, 0.01)}
        note = "; ".join(f"gap {limit:.0%}: {'not reached' if cpu is None else f'{cpu:.1f} CPU s'}" for limit, cpu in stops.items())
        show(f"Duality gap, {data.lang}, {templates}, p = {ours.p:g}, C = {ours.C:g}", columns, points, note)
        norms = child("ner_curves:norms", "p = 1 against p = 2", data, ours, passes=5 if quick else 12)
        for row in norms:
            row["ratio"] = ratio(norms[0]["cpu"], row["cpu"])
        show(f"Price of weighing templates, {data.lang}", {"p": "p", "cpu": "CPU s", "cpu_pass": "CPU s a pass", "ratio": "ratio"}, norms)
        about = {**identity("gap", data, ours), "p": ours.p, "C": ours.C}
        append_rows(json, [{**about, "cpu_to_5": stops[0.05], "cpu_to_1": stops[0.01], "points": points, "norms": norms}])


# --- the model in use ---


@app.command()
def speed(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    repeats: Annotated[int, typer.Option(help="Runs of each; the median counts.")] = 5,
    sentences: Annotated[int, typer.Option(help="Of each text.")] = 8,
) -> None:
    """Words a second of nlp.pipe against spaCy's ner (initialized, not trained: that does not change its speed) and python-crfsuite."""
    ours = our_settings("ner.v1")
    for data in corpora_of(corpora, lang, quick):
        compile_first(data, ours)
        found = child("ner_speed:speed", "words a second", data, ours, repeats=repeats, group=sentences, crf_passes=2 if quick else 8)
        columns = {"contestant": "contestant", "words_per_second": "words/s", "first_words_per_second": "words/s, first run", "ratio": "ours : it"}
        for source, title in (("text", "raw text"), ("docs", "Docs, tags given")):
            rows = found[source]
            best = find_row(rows, {"contestant": "ours, without TAG"})
            for row in rows:
                row |= {**identity("speed", data, ours), "source": source}
                row["ratio"] = ratio(row["words_per_second"], best["words_per_second"]) if best else None
            append_rows(json, rows)
            show(f"Words a CPU second from {title}, {data.lang}, ner.v1", columns, rows, f"{rows[0]['words']:,} words")


@app.command()
def startup(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    repeats: Annotated[int, typer.Option(help="Runs of each; the median counts.")] = 5,
) -> None:
    """spacy.load and the first document of a saved model, against a blank pipeline."""
    ours = our_settings("ner.v1")
    for data in corpora_of(corpora, lang, quick):
        compile_first(data, ours)
        rows = [{**identity("startup", data, ours), **row} for row in ner_startup.startup(data, ours, 3 if quick else repeats)]
        append_rows(json, rows)
        columns = {"contestant": "", "wall": "wall s", "cpu": "CPU s", "extra_wall": "wall s more", "extra_cpu": "CPU s more"}
        show(f"Start to first document, {data.lang}", columns, rows)


@app.command()
def size(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    passes: PassesOption = None,
) -> None:
    """F1 of smaller and smaller models of one training."""
    ours = our_settings("ner.v1", passes=passes)
    budgets = [None, 20, 10, 5, 3, 2, 1]
    for data in corpora_of(corpora, lang, quick):
        compile_first(data, ours)
        rows = child("ner_ours:sizes", "models of all sizes", data, ours, budgets=budgets)
        for row in rows:
            row |= {**identity("size", data, ours), "loss": rows[0]["f1_testb"] - row["f1_testb"]}
        append_rows(json, rows)
        columns = {"megabytes": "megabytes =", "model_mb": "model MB", "rows_kept": "rows", "f1_testa": "F1 testa", "f1_testb": "F1 testb", "loss": "below full"}
        show(f"Model size, {data.lang}, ner.v1", columns, rows)


@app.command("spacy-ner")
def spacy_ner(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: LangOption = Lang.esp,
    max_steps: Annotated[int, typer.Option(help="Of spaCy's training.")] = 20000,
    patience: Annotated[int, typer.Option(help="Steps without a better testa score before it stops.")] = 1600,
) -> None:
    """spaCy's own ner, trained as spaCy recommends to its own stop, against ours with and without TAG."""
    for data in corpora_of(corpora, lang, quick):
        rows = [train_ours(data, our_settings("ner.v1", tag=tag), 1, "spacy-ner") for tag in (False, True)]
        progress.print(f"[dim]{data.lang}: spaCy ner ...[/dim]")
        steps = {"max_steps": min(max_steps, 400) if quick else max_steps, "patience": patience}
        about = {"data": as_settings(data, our_settings("ner.v1"))["data"], **steps}
        theirs = run_child("ner_spacy:train", **about)
        rows.append({**identity("spacy-ner", data, our_settings("ner.v1", tag=False)), "templates": "", **theirs, "iterations": theirs["steps"]})
        for row in rows:
            row["ratio"] = ratio(rows[0]["cpu"], row["cpu"])
        append_rows(json, rows)
        note = f"spaCy counts steps; its best score came after {theirs['cpu_to_best']:.0f} CPU s."
        show(f"Against spaCy's ner, {data.lang}", TRAIN_COLUMNS, rows, note)


if __name__ == "__main__":
    app()
