"""``python -m spacy mtl evaluate-ud``: the scores of the CoNLL 2018 shared task."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..shared.messages import clear_errors
from ..shared.options import Encoding
from ..shared.output import check_other, make_console, write_json

if TYPE_CHECKING:
    from rich.table import Table

    from spacy_mtl.treebanks.scores import Score


def evaluate_ud_cli(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="CoNLL-U file with the gold annotation.")],
    system: Annotated[Path, typer.Argument(metavar="SYSTEM", help="CoNLL-U file of the same text, to be scored.")],
    encoding: Encoding = "utf8",
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the scores to this file, as JSON.")] = None,
) -> None:
    """Score a CoNLL-U file, such as "spacy mtl annotate" writes, against a gold one of the same raw text.

    The scores are those of the CoNLL 2018 shared task: precision, recall and F1 of tokens, sentences, words and each column, and accuracy on the
    words that are aligned. Files may have other tokens, multiword tokens and sentences, but their characters must be the same, white space aside.
    """
    from spacy_mtl.treebanks.scores import score_files

    with clear_errors():
        if output is not None:
            check_other(output, [gold, system])
        scores = score_files(gold, system, encoding)
        if output is not None:
            write_json(output, {name: score.figures() for name, score in scores.items()})
    console = make_console()
    words = scores["Words"]
    told = f"{system} against {gold}: {words.system:,} words, {words.gold:,} in gold"
    console.print(told, soft_wrap=True, markup=False)
    console.print(_table(scores))


def _table(scores: "dict[str, Score]") -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for name in ("P", "R", "F1", "aligned", "gold"):
        table.add_column(name, justify="right")
    for name, score in scores.items():
        figures = (score.precision, score.recall, score.f1, score.aligned_accuracy)
        shown = ["" if figure is None else f"{100 * figure:.2f}" for figure in figures]
        table.add_row(name, *shown, str(score.gold))
    return table
