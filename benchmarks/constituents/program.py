"""Benchmarks of constituency trees on the sample of the Penn Treebank that NLTK distributes. ``python -m benchmarks.constituents MODE --help``.

The sample is split by file (train 0001-0120, dev 0121-0150, test 0151-0199): no published figure compares with these. Everybody gets gold tags and
learns from the same sentences of up to 60 words; scores are of sentences of up to 40 words, punctuation counted, by EVALB's rules. Cleaning and
binarization are those of ``docs/grammars.md``. Settings are chosen on dev; test is scored once, for those chosen.

Every contestant runs in a process of its own on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, progress, show

from .data import FOLDER

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[
    Path,
    typer.Option("--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help=f"Folder with {FOLDER}/."),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="200 training sentences, 2 passes.")]
QUICK_SENTENCES = 200
COLUMNS = {
    "contestant": "contestant", "C": "C", "passes": "passes", "horizontal": "h", "vertical": "v", "f1_dev": "F1 dev",
    "f1_test": "F1 test", "precision_test": "precision", "recall_test": "recall", "exact_test": "exact", "cpu": "training, s",
    "peak_mb": "MB", "rules": "rules",
}  # fmt: skip
SPEED = {
    "contestant": "contestant",
    "sentences": "sentences",
    "median": "median, s",
    "longest": "longest, s",
    "rules": "rules",
}
LENGTHS = {"words": "words", "cpu": "CPU s", "grown_mb": "MB", "rules": "rules"}
#: Trainers, C and passes that are tried on dev.
TRIED = (
    *(("MTLStruct", C, 10) for C in (0.1, 0.3, 1.0)), *(("SSVM", C, 10) for C in (0.03, 0.1, 0.3)),
    *(("CRF", C, 10) for C in (0.03, 0.1, 0.3, 1.0, 3.0)),
)  # fmt: skip
#: What is best on dev of these and of :data:`WAYS`, and the first of those.
CHOSEN = (("MTLStruct", 0.3), ("SSVM", 0.03), ("CRF", 1.0))
CHOSEN_WAYS = ((0, 1), (1, 2))
PAIRS = {
    "contestant": "first", "other": "second", "f1_test": "F1 of the first", "f1_other": "of the second", "difference_ahead": "ahead by",
    "low_ahead": "95%, from", "high_ahead": "to", "p_ahead": "p value",
}  # fmt: skip
#: What is tried of other binarizations, with the constants that were best on dev with the first one.
BINARIZED = (
    (1, (("MTLStruct", 0.3), ("CRF", 0.1))),
    (2, (("MTLStruct", 0.3), ("CRF", 0.1))),
    (0, (("CRF, L-BFGS", 0.1),)),
)
#: Horizontal and vertical of the probabilistic grammars; the first one is that of ours.
WAYS = ((0, 1), (1, 1), (2, 1), (1, 2))


@app.command()
def train(corpora: CorporaOption, json: JsonOption = None, quick: QuickOption = False) -> None:
    """Scores of dev with several C and of several probabilistic grammars; and of test with what was best on dev, and with our binarization."""
    from .contestants import Ours

    limit = QUICK_SENTENCES if quick else 0
    tried = [Ours(name, C, 2 if quick else passes, limit=limit) for name, C, passes in TRIED[: 1 if quick else None]]
    ways = [{"horizontal": h, "vertical": v} for h, v in WAYS[: 1 if quick else None]]
    rows = _child("train", corpora, every=[asdict(settings) for settings in tried])
    rows += _child("probabilistic", corpora, every=ways, limit=limit)
    rows = [{**_about("train"), **row} for row in rows]
    append_rows(json, rows)
    show(
        "Constituents of sentences of up to 40 words, gold tags",
        COLUMNS,
        rows,
        "No published figure compares with these.",
    )


@app.command()
def binarization(corpora: CorporaOption, json: JsonOption = None, quick: QuickOption = False) -> None:
    """Scores of dev alone, of ours with symbols of rests that name children, and of the CRF by its other algorithm."""
    from .contestants import Ours

    limit, passes = (QUICK_SENTENCES, 2) if quick else (0, 10)
    rows: list[Row] = []
    for horizontal, tried in BINARIZED[: 1 if quick else None]:
        every = [asdict(Ours(name, C, passes, horizontal, limit=limit)) for name, C in tried]
        found = [{**_about("binarization"), **row} for row in _child("train", corpora, every=every, test=False)]
        append_rows(json, found)
        rows += found
    show("Constituents of sentences of up to 40 words, gold tags", COLUMNS, rows, "Dev alone, to choose by.")


@app.command()
def significance(corpora: CorporaOption, json: JsonOption = None, quick: QuickOption = False) -> None:
    """Ours against the others on test, each with what :func:`train` has chosen on dev: how far ahead, and how surely."""
    from .contestants import Ours

    limit, most = (QUICK_SENTENCES, 2) if quick else (0, 10)
    every = [asdict(Ours(name, C, most, limit=limit)) for name, C in CHOSEN]
    ways = [{"horizontal": h, "vertical": v} for h, v in CHOSEN_WAYS]
    rows = [
        {**_about("significance"), "limit": limit, **row} for row in _child("pairs", corpora, every=every, ways=ways)
    ]
    append_rows(json, rows)
    show("Constituents, test: ours against the others", PAIRS, rows)


@app.command()
def speed(
    corpora: CorporaOption,
    json: JsonOption = None,
    repeats: Annotated[int, typer.Option(help="Of each sentence; the median counts.")] = 3,
) -> None:
    """CPU seconds from words and tags to constituents, for sentences of 40 words."""
    from .contestants import Ours

    row = {**_about("speed"), **_child("speed", corpora, ours=asdict(Ours()), repeats=repeats)}
    append_rows(json, [row])
    show("One sentence of 40 words", SPEED, [row])


@app.command()
def lengths(
    corpora: CorporaOption,
    json: JsonOption = None,
    words: Annotated[list[int], typer.Option(help="Lengths, in ascending order.")] = [40, 100, 200, 400],  # noqa: B006
) -> None:
    """CPU seconds and megabytes for one sentence of many words, with the grammar of all of the sample."""
    from .contestants import Ours

    rows = [{**_about("lengths"), **row} for row in _child("lengths", corpora, ours=asdict(Ours()), words=words)]
    append_rows(json, rows)
    show("One long sentence", LENGTHS, rows)


def _about(mode: str) -> Row:
    return {"benchmark": "constituents", "mode": mode}


def _child(task: str, corpora: Path, **settings: Any) -> Any:
    """Run a contestant and say so."""
    progress.print(f"[dim]{task} {settings} ...[/dim]")
    return run_child(f"benchmarks.constituents.contestants:{task}", corpora=str(corpora.absolute()), **settings)
