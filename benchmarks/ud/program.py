"""Whole pipelines on treebanks of Universal Dependencies. ``python -m benchmarks.ud MODE --help``.

Every step of workflow "ud" is a process of its own; seconds are CPU seconds of whole processes, with kernels compiled before. Words are those of
the file; sentences are its own, or (raw) those of the pipeline. Scores are F1 as in the CoNLL 2018 shared task.
"""

from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from benchmarks.common.rows import Row, append_rows, show

from .runs import TREEBANKS, scores, train

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
Corpus = Enum("Corpus", {name: name for name in TREEBANKS}, type=str)  # type: ignore[misc]
COLUMNS = {
    "corpus": "treebank", "UPOS_dev": "UPOS dev", "UFeats_dev": "UFeats", "Lemmas_dev": "Lemmas", "LAS_dev": "LAS",
    "UPOS_test": "UPOS test", "UFeats_test": "UFeats", "Lemmas_test": "Lemmas", "UAS_test": "UAS", "LAS_test": "LAS",
    "raw_Sentences_test": "raw: sentences", "raw_LAS_test": "LAS", "cpu": "training, CPU s",
}  # fmt: skip


@app.callback()
def benchmark() -> None:
    """Every mode is named, even while there is one."""


@app.command("train")
def train_all(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder of the treebanks.")
    ],
    json: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
    corpus: Annotated[list[Corpus] | None, typer.Option("--corpus", help="All if not given.")] = None,
    folds: Annotated[
        int, typer.Option(min=2, help="Of the training part, for the tags that the parser learns from.")
    ] = 4,
    passes: Annotated[int, typer.Option(min=1, help="Over each of them.")] = 10,
    quick: Annotated[bool, typer.Option("--quick", help="One epoch of each training.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Score the test part, too.")] = False,
) -> None:
    """Sentence borders, tags, features, lemmas and trees, trained from a treebank; all columns scored."""
    rows: list[Row] = []
    for name in [each.value for each in corpus or Corpus]:
        with TemporaryDirectory() as made:
            folder = Path(made)
            cpu = train(name, corpora, folder, folds, passes, 1 if quick else None)
            row = {"benchmark": "ud", "mode": "train", "corpus": name, "folds": folds, "passes": passes, "quick": quick}
            row |= {
                "contestant": "ours",
                "cpu": sum(cpu.values()),
                **{f"cpu_{step}": each for step, each in cpu.items()},
            }
            for which in ("dev", "test") if test else ("dev",):
                row |= scores(name, corpora, folder, which)
        append_rows(json, [row])
        rows.append(row)
    show("All columns of a treebank", COLUMNS, rows, "F1 in percent, of words as they are in the file.")
