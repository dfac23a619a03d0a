"""What several threads gain: ``python -m benchmarks.threads MODE --help``. Wall seconds, one number of threads and another in turn."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, progress, show

from .tasks import EXTRACTIONS, TASKS, TRAININGS, described

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[Path, typer.Option(help="The folder that the corpora are in.", envvar="SPACY_MTL_CORPORA")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
ThreadsOption = Annotated[
    list[int], typer.Option("--threads", help="Numbers of threads, the first one to compare with.")
]
FirstOption = Annotated[
    bool,
    typer.Option(
        "--first", help="Run before all other programs of this machine (real-time priority), if the system allows it."
    ),
]
_COLUMNS = {
    "component": "component",
    "sentences": "sentences a document",
    "threads": "threads",
    "words_a_second": "words/s",
    "speedup": "times as fast",
    "cpu": "CPU s",
    "same": "same result",
}


_TRAINING = {
    "component": "component",
    "threads": "threads",
    "passes": "passes",
    "gap": "gap",
    "wall": "wall s",
    "cpu": "CPU s",
    "speedup": "times as fast",
    "cpu_ratio": "CPU, ratio",
    "same": "same result",
}
ExtractionsOption = Annotated[list[str], typer.Option(help=f"Of {', '.join(EXTRACTIONS)}; again for another.")]
_FEATURES = {name: _TRAINING[name] for name in ("component", "threads", "wall", "cpu", "speedup", "cpu_ratio", "same")}


@app.callback()
def threads() -> None:
    """What several threads gain."""


@app.command()
def predict(
    corpora: CorporaOption,
    only: Annotated[list[str], typer.Option(help=f"Of {', '.join(TASKS)}; again for another.")] = list(TASKS),  # noqa: B006
    sentences: Annotated[list[int], typer.Option(help="Of the corpus, for a document; again for another.")] = [1, 20],  # noqa: B006
    threads: ThreadsOption = [1, 2],  # noqa: B006
    batch: Annotated[int, typer.Option(help="Sentences of a batch.", min=1)] = 1000,
    repeats: Annotated[int, typer.Option(help="Of each number of threads, in turn.", min=1)] = 7,
    first: FirstOption = False,
    json: JsonOption = None,
) -> None:
    """Documents through ``pipe`` of a component: words a second, and whether the result is the same."""
    rows: list[Row] = []
    for name in only:
        for size in sentences:
            about: Row = {
                "benchmark": "threads",
                "mode": "predict",
                "component": name,
                "sentences": size,
                "first": first,
            }
            found = run_child(
                "benchmarks.threads.prediction:rounds", of=described(name, corpora.resolve()), threads=threads, sentences=size,
                batch=max(1, batch // size), repeats=repeats, first=first,
            )  # fmt: skip
            rows += [{**about, **row} for row in found]  # type: ignore[union-attr]
            progress.print(f"{name}, {size}: {found[-1]['speedup']:.2f} times as fast", highlight=False)  # type: ignore[index]
    show("Prediction on threads", _COLUMNS, rows, "medians over rounds; times as fast: of pairs of rounds")
    append_rows(json, rows)


@app.command()
def training(
    corpora: CorporaOption,
    only: Annotated[list[str], typer.Option(help=f"Of {', '.join(TRAININGS)}; again for another.")] = list(TRAININGS),  # noqa: B006
    threads: ThreadsOption = [1, 2],  # noqa: B006
    repeats: Annotated[int, typer.Option(help="Of each number of threads, in turn.", min=1)] = 3,
    first: FirstOption = False,
    json: JsonOption = None,
) -> None:
    """Training to a relative gap, 1% for most: wall and CPU seconds, without the extraction of features."""
    rows: list[Row] = []
    for name in only:
        of = {**described(TRAININGS[name].get("task", name), corpora.resolve()), **TRAININGS[name]}
        about: Row = {
            "benchmark": "threads",
            "mode": "training",
            "component": name,
            "first": first,
            "templates": TRAININGS[name]["templates"] or "the config's",
            **TRAININGS[name]["trainer"],
        }
        found = run_child("benchmarks.threads.training:rounds", of=of, threads=threads, repeats=repeats, first=first)
        rows += [{**about, **row} for row in found]  # type: ignore[union-attr]
        progress.print(f"{name}: {found[-1]['speedup']:.2f} times as fast", highlight=False)  # type: ignore[index]
    show("Training on threads", _TRAINING, rows, "medians of runs; ratios of pairs of runs")
    append_rows(json, rows)


@app.command()
def features(
    corpora: CorporaOption,
    only: ExtractionsOption = list(EXTRACTIONS),  # noqa: B006
    threads: ThreadsOption = [1, 2],  # noqa: B006
    repeats: Annotated[int, typer.Option(help="Of each number of threads, in turn.", min=1)] = 5,
    first: FirstOption = False,
    json: JsonOption = None,
) -> None:
    """From the documents of a training corpus to the problem of a trainer: wall and CPU seconds, and whether the features are the same."""
    rows: list[Row] = []
    for name in only:
        of = {**described(name, corpora.resolve()), "templates": EXTRACTIONS[name], "trainer": {}}
        about: Row = {"benchmark": "threads", "mode": "features", "component": name, "first": first}
        about["templates"] = EXTRACTIONS[name] or "the config's"
        found = run_child("benchmarks.threads.features:rounds", of=of, threads=threads, repeats=repeats, first=first)
        rows += [{**about, **row} for row in found]  # type: ignore[union-attr]
        progress.print(f"{name}: {found[-1]['speedup']:.2f} times as fast", highlight=False)  # type: ignore[index]
    show("Features on threads", _FEATURES, rows, "medians of runs; ratios of pairs of runs")
    append_rows(json, rows)
