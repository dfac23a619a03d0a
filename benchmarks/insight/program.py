"""What people are told of a trained model, and whether it is true: ``python -m benchmarks.insight MODE --help``."""

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.measure import median, run_child
from benchmarks.common.rows import Row, append_rows, progress, show
from benchmarks.ner.data import as_settings
from benchmarks.ner.runs import corpora_of, identity, our_settings

from . import calibration as calibrating
from . import small
from .active import tokens_until

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[Path, typer.Option(help="Folder that has conll2002/ in it.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]


@app.command()
def sums(
    decisions: Annotated[int, typer.Option(help="Of each component and trainer.", min=1)] = 1000,
    passes: Annotated[int, typer.Option(help="Of each training.", min=1)] = 3,
    component: Annotated[list[str] | None, typer.Option(help="Only these components.")] = None,
    corpora: Annotated[
        Path | None,
        typer.Option(
            help="Folder of corpora, for recognizers and constituents, of which the package's own have fewer decisions."
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Do contributions sum to the score difference? Every component with every trainer, on the corpora that come with the package."""
    rows = []
    for name, trainer in small.cases():
        if not component or name in component:
            rows.append(_sums_of(name, trainer, passes, decisions, corpora))
            progress.print(rows[-1])
            append_rows(json, rows[-1:])
    columns = {
        "component": "component", "trainer": "trainer", "decisions": "decisions", "forbidden": "without alternative",
        "worst": "largest error", "negative": "runner-up better", "contributions": "contributions each", "ms": "ms each",
    }  # fmt: skip
    show(
        "Sums of contributions",
        columns,
        rows,
        "error: |sum - difference| / max(1, difference); ms: CPU time of a decision",
    )


@app.command()
def prune(
    corpora: CorporaOption,
    lang: Annotated[str, typer.Option(help="esp, ned or both.")] = "esp",
    templates: Annotated[int, typer.Option(help="How many are to stay.", min=2)] = 20,
    quick: Annotated[bool, typer.Option(help="Train on a thousand sentences.")] = False,
    json: JsonOption = None,
) -> None:
    """What does a recognizer lose that keeps a few of 134 templates, and how much faster is it? CoNLL-2002, pruned on testa."""
    rows = []
    for data in corpora_of(corpora, lang, quick):
        ours = our_settings("conll2002.v1")
        row = run_child("benchmarks.insight.pruning:run", **as_settings(data, ours), templates=templates)
        rows.append({**identity("prune", data, ours), "benchmark": "insight", "p": ours.p, "C": ours.C, **row})
        append_rows(json, rows[-1:])
    columns = {
        "lang": "corpus", "full_templates": "templates", "templates": "kept", "full_f1_testa": "F1 testa, full", "f1_testa": "pruned",
        "full_f1_testb": "testb, full", "f1_testb": "pruned", "full_words_per_second": "words/s, full", "times": "times as fast",
        "megabytes": "MB", "trainings": "trainings",
    }  # fmt: skip
    show("Pruning", columns, rows)


@app.command()
def tune(
    corpora: CorporaOption,
    lang: Annotated[str, typer.Option(help="esp, ned or both.")] = "esp",
    trials: Annotated[int, typer.Option(min=1)] = 40,
    C: Annotated[float, typer.Option("--C", help="Of the config that the search starts from.")] = 0.3,
    p: Annotated[float, typer.Option("--p", help="Of the same.")] = 1.3333,
    seed: Annotated[int, typer.Option(help="Of the search.")] = 0,
    quick: Annotated[bool, typer.Option(help="Train on a thousand sentences.")] = False,
    json: JsonOption = None,
) -> None:
    """Does a search of C and p find settings as good as those that people chose, and how long does it take? CoNLL-2002, tuned on testa."""
    rows = []
    for data in corpora_of(corpora, lang, quick):
        ours = replace(our_settings("ner.v1"), p=1.3333)  # as configs/ner.cfg has it
        row = run_child(
            "benchmarks.insight.tuning:run", **as_settings(data, ours), trials=trials, seed=seed, start={"C": C, "p": p}
        )
        row |= {
            "seed": seed,
            "begun": f"C = {C:g}, p = {p:g}",
            "found": ", ".join(f"{key} = {value}" for key, value in row["best"].items()),
        }
        rows.append({**identity("tune", data, ours), "benchmark": "insight", "p": ours.p, "C": ours.C, **row})
        append_rows(json, rows[-1:])
    columns = {
        "lang": "corpus", "begun": "from", "trials": "trials", "whole_trials": "to the end", "cpu": "CPU s", "found": "found",
        "f1_testa": "F1 testa, found",
        "chosen_f1_testa": "by hand", "f1_testb": "testb, found", "chosen_f1_testb": "by hand",
        "difference": "difference", "p_value": "p", "low": "95%, from", "high": "to",
    }  # fmt: skip
    show("Tuning", columns, rows)


@app.command()
def active(
    corpora: CorporaOption,
    seeds: Annotated[int, typer.Option(help="Orders in which sentences are drawn.", min=1)] = 5,
    rounds: Annotated[int, typer.Option(help="Trainings of each.", min=2)] = 20,
    tokens: Annotated[int, typer.Option(help="Annotated in each round.", min=100)] = 6000,
    by: Annotated[list[str] | None, typer.Option(help="entropy or margin; by default entropy.")] = None,
    diversity: Annotated[float, typer.Option(help="As of spacy mtl suggest.", min=0.0, max=1.0)] = 0.5,
    part: Annotated[str, typer.Option(help="What is scored: testa or testb.")] = "testb",
    share: Annotated[float, typer.Option(help="Of the full score, that is to be reached.")] = 0.95,
    json: JsonOption = None,
) -> None:
    """How many tokens must be annotated for 95 % of the full F1, if the recognizer chooses sentences itself? Spanish, beside a random choice."""
    data, rows = next(corpora_of(corpora, "esp", False)), []
    ours = our_settings("ner.v1", passes=10, inner_passes=10, average=6)
    settings = as_settings(data, ours)
    whole = run_child("benchmarks.insight.active:full", **settings, part=part)
    progress.print(whole)
    for seed in range(seeds):
        for name in [*(by or ["entropy"]), "random"]:
            row = run_child(
                "benchmarks.insight.active:run",
                **settings, part=part, by=name, seed=seed, rounds=rounds, tokens=tokens, diversity=diversity,
            )  # fmt: skip
            needed = tokens_until(row["points"], share * whole["full_f1"])
            rows.append({**identity("active", data, ours), "benchmark": "insight", **whole, **row, "needed": needed})
            progress.print({key: value for key, value in rows[-1].items() if key != "points"})
            append_rows(json, rows[-1:])
    shown = [_needed([row for row in rows if row["by"] == name]) for name in dict.fromkeys(row["by"] for row in rows)]
    show("Tokens needed", {"by": "chosen by", "median": "median", "least": "least", "most": "most"}, shown)


def _needed(rows: list[Row]) -> Row:
    found = [math.inf if row["needed"] is None else row["needed"] for row in rows]
    return {"by": rows[0]["by"], "median": median(found), "least": min(found), "most": max(found)}


@app.command()
def calibration(
    corpora: Annotated[Path, typer.Option(help="The folder with conll2002, ddt and pku2005.")],
    task: Annotated[list[str] | None, typer.Option(help=f"Only these of {', '.join(calibrating.TASKS)}.")] = None,
    limit: Annotated[int, typer.Option(help="Training sentences, 0 for all.", min=0)] = 0,
    iterations: Annotated[
        int, typer.Option(help="Of python-crfsuite, on Spanish and PKU; 0: without it.", min=0)
    ] = 100,
    folds: Annotated[
        int, typer.Option(help="Make maps also from so many trainings on parts of the corpus.", min=0)
    ] = 0,
    json: JsonOption = None,
) -> None:
    """Are probabilities right? Entities, arcs and words: expected calibration error and Brier score, and what telling them costs."""
    rows = []
    for name in task or calibrating.TASKS:
        rows += (found := calibrating.measure(name, str(corpora), limit, folds))
        append_rows(json, found)
        if name in ("spanish", "pku") and iterations:
            from .crfsuite import measure

            rows.append(measure(str(corpora), name, limit, iterations))
            append_rows(json, rows[-1:])
    columns = {
        "task": "task", "kind": "decisions about", "scores": "probabilities", "temperature": "temperature", "places": "places of the map",
        "decisions": "decisions", "ece": "ECE", "ece_by_chance": "by chance", "aim": "aim",
        "brier": "Brier score", "mean": "mean probability", "correct": "correct",
        "per_second": "per s without", "per_second_confident": "per s with", "share": "speed with, of without",
    }  # fmt: skip
    show("Calibration", columns, rows, "ECE: over 15 bins of equally many decisions; per second of CPU time")


@app.command("confidence-speed")
def confidence_speed(
    component: Annotated[list[str] | None, typer.Option(help="Only these components.")] = None,
    passes: Annotated[int, typer.Option(help="Of each training.", min=1)] = 5,
    words: Annotated[int, typer.Option(help="To tag, or characters of a segmenter.", min=1000)] = 50_000,
    json: JsonOption = None,
) -> None:
    """What does it cost that documents get probabilities? Every component, on the corpora that come with the package."""
    from .speed import measure

    rows = []
    for name in component or small.COMPONENTS:
        rows.append(measure(name, passes, words))
        append_rows(json, rows[-1:])
    columns = {
        "component": "component", "size": "words or characters", "per_second": "per s without", "per_second_confident": "per s with",
        "share": "speed with, of without",
    }  # fmt: skip
    show("Confidence", columns, rows, "per second of CPU time")


def _sums_of(component: str, trainer: str, passes: int, most: int, corpora: Path | None) -> Row:
    nlp = small.trained(component, trainer, passes, corpora=corpora)
    pipe, found, forbidden, seconds = nlp.get_pipe(component), [], 0, 0.0
    for split in ("dev", "test", "train"):
        for example in small.read(component, nlp, split, corpora):
            if len(found) >= most:
                break
            begin = time.process_time()
            decisions = pipe.explain(example.predicted).decisions  # type: ignore[attr-defined]
            seconds += time.process_time() - begin
            told = [decision for decision in decisions if decision.runner_up is not None]
            forbidden += len(decisions) - len(told)
            found += told
    errors = [abs(each.total - each.difference) / max(1.0, abs(each.difference)) for each in found]
    return {
        "mode": "sums", "component": component, "trainer": trainer, "passes": passes, "decisions": len(found), "forbidden": forbidden,
        "worst": max(errors, default=0.0), "negative": sum(each.difference < -1e-4 for each in found),
        "contributions": math.fsum(len(each.contributions) for each in found) / max(len(found), 1),
        "ms": 1000 * seconds / max(len(found) + forbidden, 1),
    }  # fmt: skip
