"""Tables 3 to 6 and 8 and Figures 1 to 5 and 7 of Mao & Tsang on chains, ``python -m benchmarks.mtlstruct MODE --help``.

Every contestant learns from the same features and label scheme, on one core in a process of its own, kernels compiled before; seconds are CPU
seconds. Constants are searched on the development part with the paper's grid; the test part is scored by ``test`` alone, for the best constants.
"""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import (
    RESULTS,
    Row,
    append_rows,
    best_point,
    console,
    find_row,
    progress,
    read_rows,
    show,
)

from .contestants import CONTESTANTS, CRFSUITE, OURS, PASSES, outputs_of

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
Contestants = Enum("Contestants", {name: name for name in CONTESTANTS}, type=str)  # type: ignore[misc]
#: Templates that are selected for Table 6.
SELECTED = 20
QUICK = 500
#: What the rows of one comparison have in common.
IDENTITY = ("corpus", "scheme", "templates", "selected", "selected_C", "limit", "split")
FOUND = {
    "contestant": "method",
    "p": "p",
    "C": "C",
    "f1_dev": "F1 dev",
    "passes": "passes",
    "cpu": "CPU s",
    "passes_all": "passes in all",
    "cpu_all": "CPU s in all",
    "stopped": "stopped by",
    "live_templates": "live templates",
}
TESTED = {
    "contestant": "method",
    "p": "p",
    "C": "C",
    "f1_dev": "F1 dev",
    "precision_test": "precision",
    "recall_test": "recall",
    "f1_test": "F1 test",
    "difference_ahead": "reference ahead by",
    "p_ahead": "p value",
    "cpu_all": "CPU s",
}


class Corpus(str, Enum):
    """Which corpus."""

    esp = "esp"
    ned = "ned"
    pku = "pku"


class Scheme(str, Enum):
    """Which labels."""

    iob2 = "iob2"
    biluo = "biluo"
    bie = "bie"


class Templates(str, Enum):
    """Which templates of the paper."""

    conll2002 = "conll2002.v1"
    tp1 = "tp1.v1"
    tp2 = "tp2.v1"
    any_width = "tp2-any-width"


CorporaOption = Annotated[
    Path,
    typer.Option("--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with conll2002/."),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", help="Add the rows to this file; what it has already is not measured again.")
]
OutputsOption = Annotated[Path, typer.Option(help="Folder of the labels given to dev and test, for the comparison.")]
SelectedOption = Annotated[
    float | None,
    typer.Option(
        "--selected", help="Only the 20 templates that weigh most at p = 1 and this C, from the rows of --json."
    ),
]
CorpusOption = Annotated[Corpus, typer.Option(help="Spanish, Dutch, or Chinese of Peking University.")]
SchemeOption = Annotated[Scheme, typer.Option(help="Labels of entities; bie of Chinese words.")]
TemplatesOption = Annotated[Templates, typer.Option(help="Which templates.")]
LimitOption = Annotated[int, typer.Option(help="Training sentences, 0 for all; half as many to test.")]
SplitOption = Annotated[
    int | None, typer.Option(help="Chinese: draw training and test part from both together; the number of the draw.")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="500 sentences.")]


def identity(
    corpus: str, scheme: str, templates: str, selected: float | None, limit: int = 0, split: int | None = None
) -> Row:
    """What the rows of one comparison have in common. selected: C of the weights by which templates were selected, None for all templates."""
    more = {"selected": SELECTED if selected else 0, "selected_C": selected, "limit": limit, "split": split}
    return {"benchmark": "mtlstruct", "corpus": corpus, "scheme": scheme, "templates": templates, **more}


def chosen(rows: list[Row], about: Row, name: str, p: float | None = None) -> Row | None:
    """The row of a contestant that is best on dev; None where it was not searched. Of several trainings with the same settings the last one counts,
    as its labels are those that were kept."""
    wanted = {**about, "mode": "search", "contestant": name} | ({} if p is None else {"p": p})
    found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    latest = {(row["p"], row["C"], row.get("most")): row for row in found}
    return best_point(list(latest.values()), "f1_dev") if found else None


def seconds_to(points: list[Row], f1: float) -> float | None:
    """CPU seconds of training until the score on dev is at least this; None where it never is."""
    return next((point["cpu"] for point in points if point["f1_dev"] >= f1), None)


def labels_of(outputs: Path, row: Row) -> Path:
    """Where the labels are that the training of a row gave to dev and test."""
    return outputs_of(outputs, **{key: row.get(key) for key in (*IDENTITY, "contestant", "p", "C", "most")})


def heaviest(rows: list[Row], about: Row, n: int) -> list[str]:
    """Names of the templates with the largest weights at p = 1, all templates learned. Ends the program where that was not measured."""
    wanted = about | {"selected": 0, "mode": "search", "contestant": OURS, "p": 1.0, "C": about["selected_C"]}
    row = find_row(rows, {key: value for key, value in wanted.items() if key != "selected_C"})
    if row is None:
        raise SystemExit(
            "--selected needs a row of MTLStruct at p = 1 and this C, all templates: run search --p 1 --C first."
        )
    order = sorted(zip(row["shares"], row["names"], strict=True), key=lambda pair: -pair[0])
    return [name for _, name in order[:n]]


def subject_settings(corpora: Path, about: Row, rows: list[Row]) -> Row:
    """Settings of the subject; names of selected templates become their texts."""
    from .data import texts_of

    only: list[str] = []
    if about["selected"]:
        names = set(heaviest(rows, about, about["selected"]))
        only = [text for text in texts_of(about["templates"]) if text.partition(":")[0] in names]
    same = {key: about[key] for key in ("corpus", "scheme", "templates", "limit", "split")}
    return {"corpora": str(corpora.absolute()), "only": only, **same}


@app.command()
def search(
    corpora: CorporaOption,
    outputs: OutputsOption,
    json: JsonOption = None,
    corpus: CorpusOption = Corpus.esp,
    scheme: SchemeOption = Scheme.iob2,
    templates: TemplatesOption = Templates.conll2002,
    selected: SelectedOption = None,
    contestant: Annotated[list[Contestants] | None, typer.Option(help="One or more; ours if not given.")] = None,  # type: ignore[valid-type]
    C: Annotated[list[float] | None, typer.Option("--C", help="One or more; 1 if not given.")] = None,
    p: Annotated[list[float] | None, typer.Option("--p", help="Exponents, of ours; 1 if not given.")] = None,
    passes: Annotated[int, typer.Option(help="Of methods without a stop of their own.")] = PASSES,
    iterations: Annotated[int, typer.Option(help="Of python-crfsuite; 0: to its default stop.")] = 0,
    budget: Annotated[float, typer.Option(help="CPU seconds after which a training is stopped.")] = 1200,
    limit: LimitOption = 0,
    split: SplitOption = None,
    quick: QuickOption = False,
) -> None:
    """Train with each constant, and score on dev: a row for each.

    What --json has a row of and --outputs the labels is not trained again.
    """
    rows, found = read_rows(json), []
    about = identity(corpus.value, scheme.value, templates.value, selected, QUICK if quick else limit, split)
    settings = subject_settings(corpora, about, rows)
    for name in [entry.value for entry in contestant or [Contestants(OURS)]]:
        for exponent in (p or [1.0]) if name == OURS else [None]:
            for value in C or [1.0]:
                limit = iterations if name in CRFSUITE else passes
                who: Row = {**about, "mode": "search", "contestant": name, "p": exponent, "C": value, "most": limit}
                row, path = find_row(rows, who), labels_of(outputs, who)
                if row is None or not path.exists():
                    progress.print(f"[dim]{corpus.value}: {name}, p = {exponent}, C = {value:g} ...[/dim]")
                    task = {"subject": settings, "name": name, "C": value, "p": exponent or 1.0, "passes": limit}
                    row = who | run_child("benchmarks.mtlstruct.runs:train", **task, budget=budget, outputs=str(path))
                    append_rows(json, [row])
                    rows.append(row)
                found.append(row)
                show(f"{corpus.value}, {scheme.value}, {templates.value}", FOUND, [row])
    show(f"{corpus.value}, {scheme.value}, {templates.value}, selected: {selected}", FOUND, found)


@app.command("test")
def on_test(
    corpora: CorporaOption,
    outputs: OutputsOption,
    json: JsonOption = None,
    corpus: CorpusOption = Corpus.esp,
    scheme: SchemeOption = Scheme.iob2,
    templates: TemplatesOption = Templates.conll2002,
    selected: SelectedOption = None,
    limit: LimitOption = 0,
    split: SplitOption = None,
    quick: QuickOption = False,
) -> None:
    """Score on test what was best on dev, of each contestant, and of ours at each p, and test each against ours at its best p below 2.

    Approximate randomization over sentences, two-sided, 10,000 shuffles, and 95% intervals of the paired bootstrap. Each row also says after how many
    CPU seconds ours is as good on dev.
    """
    rows = read_rows(json)
    about = identity(corpus.value, scheme.value, templates.value, selected, QUICK if quick else limit, split)
    exponents = sorted({row["p"] for row in rows if row.get("contestant") == OURS and row.get("p")})
    best = {f"{OURS} p={p:.4g}": chosen(rows, about, OURS, p) for p in exponents}
    best |= {name: chosen(rows, about, name) for name in CONTESTANTS if name != OURS}
    measured = {name: row for name, row in best.items() if row and labels_of(outputs, row).exists()}
    for name in [name for name, row in best.items() if row and name not in measured]:
        progress.print(f"{name} is left out: {outputs} has no labels of it. search trains it again.")
    candidates = [name for name, row in measured.items() if row["contestant"] == OURS and row["p"] < 2]
    if not candidates:
        raise SystemExit("There is nothing of ours at p below 2: run search first.")
    reference = max(candidates, key=lambda name: measured[name]["f1_dev"])
    paths = {name: str(labels_of(outputs, row)) for name, row in measured.items()}
    settings = subject_settings(corpora, about, rows)
    judged = run_child("benchmarks.mtlstruct.runs:judge", subject=settings, contestants=paths, reference=reference)
    taken = (
        *about,
        "contestant",
        "p",
        "C",
        "most",
        "cpu",
        "cpu_all",
        "cpu_features",
        "passes",
        "passes_all",
        "live_templates",
        "n_templates",
        "observations",
        "stopped",
    )
    new = []
    for name, row in measured.items():
        dev = {key: row[key] for key in ("precision_dev", "recall_dev", "f1_dev")}
        kind = {"mode": "test", "reference": reference, "shown": name}
        kind["cpu_ours_to"] = seconds_to(measured[reference]["points"], row["f1_dev"])
        new.append({key: row.get(key) for key in taken} | kind | dev | judged[name])
    append_rows(json, new)
    show(f"{corpus.value}, {scheme.value}, {templates.value}; reference: {reference}", TESTED, new)


@app.command()
def plots(
    folder: Annotated[Path, typer.Option(help="Where the pictures go.")],
    json: Annotated[Path, typer.Option("--json", help="Rows of search.")] = RESULTS / "mtlstruct.jsonl",
) -> None:
    """Draw template weights, weights by p, and learning curves."""
    from .plots import draw

    for path in draw(folder, read_rows(json)):
        console.print(path.name)
