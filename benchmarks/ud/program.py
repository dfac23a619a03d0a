"""Whole pipelines on treebanks of Universal Dependencies. ``python -m benchmarks.ud MODE --help``.

Every step of workflow "ud" is a process of its own; seconds are CPU seconds of whole processes, with kernels compiled before. Words are those of
the file, and sentences its own or (raw) those of the pipeline; or the pipeline is given the raw text alone (text), cut where the file says that
paragraphs begin. Scores are F1 as in the CoNLL 2018 shared task.
"""

from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from benchmarks.common.rows import Row, append_rows, show

from . import rivals
from .comparison import DIFFERENCES, differences
from .runs import TREEBANKS, scores, train
from .speed import COLUMNS as SPEEDS
from .speed import speeds

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
Corpus = Enum("Corpus", {name: name for name in TREEBANKS}, type=str)  # type: ignore[misc]
COLUMNS = {
    "corpus": "treebank", "UPOS_dev": "UPOS dev", "UFeats_dev": "UFeats", "Lemmas_dev": "Lemmas", "LAS_dev": "LAS",
    "UPOS_test": "UPOS test", "UFeats_test": "UFeats", "Lemmas_test": "Lemmas", "UAS_test": "UAS", "LAS_test": "LAS",
    "text_Words_dev": "text: words dev", "text_Sentences_dev": "sentences", "text_LAS_dev": "LAS",
    "text_Words_test": "text: words test", "text_Sentences_test": "sentences", "text_LAS_test": "LAS", "cpu": "training, CPU s",
}  # fmt: skip


_KEEP = "Folder for models and for what they predict, to compare it with later."


class Rival(str, Enum):
    """Other programs."""

    udpipe = "udpipe"
    spacy = "spacy"


@app.command("train")
def train_all(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder of the treebanks.")
    ],
    json: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
    corpus: Annotated[list[Corpus] | None, typer.Option("--corpus", help="All if not given.")] = None,
    folds: Annotated[
        int, typer.Option(min=2, help="Of the training part, for the tags that the parser learns from.")
    ] = 3,
    passes: Annotated[int, typer.Option(min=1, help="Over each of them.")] = 6,
    quick: Annotated[bool, typer.Option("--quick", help="One epoch of each training.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Score the test part, too.")] = False,
    keep: Annotated[Path | None, typer.Option(help=_KEEP)] = None,
) -> None:
    """Sentence borders, tags, features, lemmas and trees, trained from a treebank; all columns scored."""
    rows: list[Row] = []
    for name in [each.value for each in corpus or Corpus]:
        with TemporaryDirectory() as made:
            folder = Path(made) if keep is None else keep / name / "ours"
            folder.mkdir(parents=True, exist_ok=True)
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


@app.command("rivals")
def train_rivals(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder of the treebanks.")
    ],
    keep: Annotated[Path, typer.Option(help=_KEEP)],
    json: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
    corpus: Annotated[list[Corpus] | None, typer.Option("--corpus", help="All if not given.")] = None,
    rival: Annotated[list[Rival] | None, typer.Option("--rival", help="Both if not given.")] = None,
    iterations: Annotated[int, typer.Option(min=1, help="Of UDPipe's parser.")] = 30,
    rounds: Annotated[
        int, typer.Option(min=1, help="Of both models of UDPipe's tagger; its authors' models had 20.")
    ] = 20,
    epochs: Annotated[int, typer.Option(min=1, help="Of UDPipe's tokenizer; its authors' models had 100.")] = 100,
    max_steps: Annotated[int, typer.Option(min=1, help="Of spaCy's training.")] = 20000,
    patience: Annotated[int, typer.Option(help="Steps without a better dev score before spaCy stops.")] = 1600,
    most_cpu: Annotated[float, typer.Option(help="CPU seconds after which spaCy is stopped in any case.")] = 1200.0,
) -> None:
    """UDPipe 1 and spaCy, trained on the same treebanks: from gold words, from gold words and tags (UDPipe), and from raw text where there is any."""
    rows: list[Row] = []
    for name in [each.value for each in corpus or Corpus]:
        for each in rival or Rival:
            folder = keep / name / each.value
            folder.mkdir(parents=True, exist_ok=True)
            row = {"benchmark": "ud", "mode": "rivals", "corpus": name}
            if each is Rival.udpipe:
                row |= rivals.udpipe(name, corpora, folder, iterations, rounds, epochs)
            else:
                row |= rivals.spacy(name, corpora, folder, max_steps, patience, most_cpu)
            append_rows(json, [row])
            rows.append(row)
    show("All columns of a treebank, other programs", {"contestant": "", **COLUMNS}, rows)


@app.command("compare")
def compare_all(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder of the treebanks.")
    ],
    keep: Annotated[Path, typer.Option(exists=True, file_okay=False, help="What train and rivals have kept.")],
    json: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
    corpus: Annotated[list[Corpus] | None, typer.Option("--corpus", help="All that were kept, if not given.")] = None,
) -> None:
    """Is a difference to a rival on the test part more than chance? Approximate randomization over sentences, from gold words."""
    names = [each.value for each in corpus or Corpus if (keep / each.value / "ours").is_dir()]
    rows = [row for name in names for row in differences(name, corpora, keep)]
    append_rows(json, rows)
    show("Differences of the same test sentences", DIFFERENCES, rows, "Points; p is two-sided.")


@app.command("speed")
def speed_all(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder of the treebanks.")
    ],
    keep: Annotated[Path, typer.Option(exists=True, file_okay=False, help="What train and rivals have kept.")],
    corpus: Annotated[list[Corpus], typer.Option("--corpus", help="One with raw text.")],
    json: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Processes of each contestant.")] = 5,
) -> None:
    """Words a CPU second from raw text to all columns, and what a process takes in all."""
    rows = [row for each in corpus for row in speeds(each.value, corpora, keep, repeats)]
    append_rows(json, rows)
    show("From raw text to all columns", SPEEDS, rows, "Medians; the test part is new to the process.")
