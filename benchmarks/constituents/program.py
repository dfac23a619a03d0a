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
from benchmarks.common.rows import Row, append_rows, progress, read_rows, show

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
SPEED = {"contestant": "contestant", "sentences": "sentences", "median": "median, s", "longest": "longest, s"}
#: Trainers, C and passes that are tried on dev.
TRIED = (
    *(("MTLStruct", C, 10) for C in (0.1, 0.3, 1.0)), ("SSVM", 0.1, 10),
    *(("CRF", C, 10) for C in (0.03, 0.1, 0.3)), ("CRF, L-BFGS", 0.1, 25),
)  # fmt: skip
WAYS = ((0, 1), (1, 1), (2, 1), (1, 2))


@app.command()
def choose(corpora: CorporaOption, json: JsonOption = None, quick: QuickOption = False) -> None:
    """Dev scores of ours with several C, and of the probabilistic grammar with several binarizations."""
    from .contestants import Ours

    limit = QUICK_SENTENCES if quick else 0
    rows = [_probabilistic(corpora, h, v, ["dev"], limit) for h, v in WAYS[: 1 if quick else None]]
    tried = [Ours(name, C, 2 if quick else passes, limit=limit) for name, C, passes in TRIED[: 1 if quick else None]]
    rows += _train(corpora, [asdict(settings) for settings in tried], ["dev"])
    append_rows(json, rows)
    show("Constituents of dev, sentences of up to 40 words, gold tags", COLUMNS, rows)


@app.command()
def final(corpora: CorporaOption, json: JsonOption = None, quick: QuickOption = False) -> None:
    """Test scores of each trainer, and of the probabilistic grammar with the same binarization and with the one that was best on dev.

    Settings are those that were best on dev, by the rows of the file.
    """
    from .contestants import Ours

    limit = QUICK_SENTENCES if quick else 0
    known = [row for row in read_rows(json) if row.get("mode") == "dev" and row["limit"] == limit]
    chosen = []
    for name in dict.fromkeys(name for name, _, _ in TRIED):
        tried = [row for row in known if row["contestant"] == f"ours: {name}"]
        if tried:
            best = max(tried, key=lambda row: row["f1_dev"])
            chosen.append({key: best[key] for key in asdict(Ours())})
    rows = _train(corpora, chosen or [asdict(Ours(passes=2, limit=limit))], ["dev", "test"])
    ways = [(row["f1_dev"], (row["horizontal"], row["vertical"])) for row in known if row["contestant"] == "PCFG"]
    for h, v in sorted({(Ours().horizontal, 1), *([max(ways)[1]] if ways else [])}):
        rows.append(_probabilistic(corpora, h, v, ["dev", "test"], limit))
    append_rows(json, rows)
    show("Constituents of test, sentences of up to 40 words, gold tags", COLUMNS, rows, "No published figure compares.")


@app.command()
def speed(corpora: CorporaOption, json: JsonOption = None, quick: QuickOption = False, repeats: int = 3) -> None:
    """CPU seconds from words and tags to constituents, for sentences of 40 words."""
    from .contestants import Ours

    settings = Ours(limit=QUICK_SENTENCES if quick else 0)
    row = {**_about("speed"), **_child("speed", corpora, ours=asdict(settings), repeats=repeats)}
    append_rows(json, [row])
    show("One sentence of 40 words", SPEED, [row])


def _about(mode: str) -> Row:
    return {"benchmark": "constituents", "mode": mode}


def _child(task: str, corpora: Path, **settings: Any) -> Any:
    """Run a contestant and say so."""
    progress.print(f"[dim]{task} {settings} ...[/dim]")
    return run_child(f"benchmarks.constituents.contestants:{task}", corpora=str(corpora.absolute()), **settings)


def _train(corpora: Path, every: list[Row], parts: list[str]) -> list[Row]:
    rows = _child("train", corpora, every=every, parts=parts)
    return [{**_about("-".join(parts)), **row} for row in rows]


def _probabilistic(corpora: Path, horizontal: int, vertical: int, parts: list[str], limit: int) -> Row:
    way = {"horizontal": horizontal, "vertical": vertical}
    row = _child("probabilistic", corpora, binarization=way, parts=parts, limit=limit)
    return {**_about("-".join(parts)), **row}
