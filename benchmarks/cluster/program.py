"""What is done on a Ray cluster of this machine: ``python -m benchmarks.cluster MODE --help``. Ids of all documents are counted in the output."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import SEED, Row, append_rows, progress, show
from benchmarks.threads.tasks import described

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[Path, typer.Option(help="The folder that the corpora are in.", envvar="SPACY_MTL_CORPORA")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
_SPEED = {
    "workers": "workers",
    "words": "words",
    "words_a_second": "words/s",
    "speedup": "times as fast",
    "cpu": "CPU s of workers",
    "once": "documents once",
    "same": "same output",
}
_KILLS = {
    "killed_worker": "workers killed",
    "killed_command": "commands killed",
    "killed_both": "both killed",
    "documents": "documents",
    "once": "once",
    "missing": "missing",
    "repeated": "repeated",
    "set_aside": "set aside",
    "same": "same output",
    "wall": "wall s",
    "wall_without": "without kills",
}

_TRAINED = {
    "kills": "trainings with a kill",
    "killed_worker": "workers killed",
    "killed_command": "commands killed",
    "killed_both": "both killed",
    "certified": "ended at the gap",
    "consistent": "certificates agree",
    "lowest_f": "lowest F1",
    "highest_f": "highest F1",
    "rounds": "rounds",
    "wall": "wall s",
}


@app.callback()
def cluster() -> None:
    """What is done on a Ray cluster of this machine."""


@app.command()
def annotate(
    corpora: CorporaOption,
    words: Annotated[int, typer.Option(help="Of the corpus, which is Spanish testa again and again.")] = 10_000_000,
    size: Annotated[int, typer.Option(help="Megabytes of a partition.", min=1)] = 1,
    workers: Annotated[list[int], typer.Option(help="Numbers of workers, the first one to compare with.")] = [1, 2],  # noqa: B006
    repeats: Annotated[
        int, typer.Option(help="Runs of each number of workers, in turn; 0 for kills alone.", min=0)
    ] = 3,
    kills: Annotated[bool, typer.Option(help="Whether workers and commands are killed in another run.")] = True,
    between: Annotated[tuple[float, float], typer.Option(help="Fewest and most seconds between two kills.")] = (
        5.0,
        60.0,
    ),
    json: JsonOption = None,
) -> None:
    """``spacy mtl annotate --ray`` with named entities: words a second of one worker and two; then with kills."""
    from .annotation import killed, speeds

    about: Row = {"benchmark": "cluster", "mode": "annotate", "component": "ner", "partition_megabytes": size}
    with tempfile.TemporaryDirectory() as place:
        made = run_child(
            "benchmarks.cluster.corpus:make", of=described("ner", corpora.resolve()), words=words, folder=place
        )
        about["documents"] = made["documents"]
        progress.print(f"{made['documents']:,} documents", highlight=False)
        if repeats:
            rows: list[Row] = [
                {**about, "kills": False, **row}
                for row in speeds(Path(place), workers, size, repeats, made["documents"])
            ]
            show("Annotation on a cluster", _SPEED, rows, "medians over rounds; times as fast: of pairs of rounds")
            append_rows(json, rows)
        if kills:
            row = killed(Path(place), max(workers), size, between, made["documents"], SEED)
            show("Annotation with kills", _KILLS, [{**about, **row}], "one run")
            append_rows(json, [{**about, "kills": True, "between": list(between), **row}])


@app.command()
def train(
    corpora: CorporaOption,
    kills: Annotated[int, typer.Option(help="Trainings with a kill each.", min=1)] = 50,
    gap: Annotated[float, typer.Option(help="Where a training ends.")] = 0.05,
    limit: Annotated[int, typer.Option(help="Sentences of the Spanish corpus.", min=100)] = 1000,
    json: JsonOption = None,
) -> None:
    """``spacy mtl train --ray`` to a gap with two workers; a worker, the command or both are killed at a random moment."""
    from .training import killed

    row = killed(described("ner", corpora.resolve()), kills, gap, limit, SEED)
    show(
        "Trainings with kills", _TRAINED, [row], f"without: F1 {row['calm']['ents_f']:.4f}, {row['calm']['wall']:.0f} s"
    )
    append_rows(json, [{"benchmark": "cluster", "mode": "train", "component": "ner", **row}])
