"""What people are told of a trained model, and whether it is true: ``python -m benchmarks.insight MODE --help``."""

import math
import time
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, progress, show
from benchmarks.ner.data import as_settings
from benchmarks.ner.runs import corpora_of, identity, our_settings

from . import small

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[Path, typer.Option(help="Folder that has conll2002/ in it.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]


@app.command()
def sums(
    decisions: Annotated[int, typer.Option(help="Of each component and trainer.", min=1)] = 1000,
    passes: Annotated[int, typer.Option(help="Of each training.", min=1)] = 3,
    component: Annotated[list[str] | None, typer.Option(help="Only these components.")] = None,
    json: JsonOption = None,
) -> None:
    """Do contributions sum to the score difference? Every component with every trainer, on the corpora that come with the package."""
    rows = []
    for name, trainer in small.cases():
        if not component or name in component:
            rows.append(_sums_of(name, trainer, passes, decisions))
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


def _sums_of(component: str, trainer: str, passes: int, most: int) -> Row:
    nlp = small.trained(component, trainer, passes)
    pipe, found, forbidden, seconds = nlp.get_pipe(component), [], 0, 0.0
    for split in ("dev", "test", "train"):
        for example in small.read(component, nlp, split):
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
