"""The papers on dependency trees, ``python -m benchmarks.arcs MODE --help``: arcs without labels, by MSTParser's templates.

Every template stands there once for each direction and distance, as Mao & Tsang count them: some 500 groups of features. All contestants learn from
one problem, given tags, from the training part alone (Danish has no dev part: the last tenth is held out). Constants and number of passes are chosen
on dev; test is scored for those chosen. UAS leaves out punctuation, as CoNLL-X does.
"""

from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import RESULTS, Row, append_rows, console, progress, read_rows, show
from benchmarks.parsing.data import Data
from benchmarks.parsing.runs import corpora_of

from .contestants import CUT, SELECTORS, SIZES, TABLE_7, Contestant

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Corpus(str, Enum):
    """Which treebank."""

    danish = "danish"
    swedish = "swedish"


CorporaOption = Annotated[
    Path,
    typer.Option(
        "--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with ddt/ and others."
    ),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
CorpusOption = Annotated[Corpus, typer.Option(help="Which treebank.")]
LimitOption = Annotated[int, typer.Option(help="Training sentences, 0 for all; a fifth as many to test.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="100 sentences, few passes: a minute or two.")]
QUICK = 100
COLUMNS = {
    "contestant": "contestant",
    "selected_by": "groups selected by",
    "groups": "groups",
    "live": "live",
    "C": "C",
    "passes": "passes",
    "uas_dev": "UAS dev",
    "acc_test": "ACC test",
    "uas_p_test": "UAS with punctuation",
    "uas_test": "UAS",
    "ahead_by": "ahead by",
    "p_value": "p value",
    "cpu": "CPU s",
}


def _data(corpora: Path, corpus: Corpus, limit: int) -> Data:
    (data,) = corpora_of(corpora, [corpus.value], False)
    return Data(data.corpora, data.name, limit)


def _brief(contestants: tuple[Contestant, ...], quick: bool) -> list[dict[str, Any]]:
    """Settings; of few passes and one constant where it is to be quick."""
    found = [asdict(contestant) for contestant in contestants]
    return [{**one, "C": one["C"][:1], "passes": 3} for one in found] if quick else found


def _child(task: str, mode: str, data: Data, json: Path | None, **more: Any) -> list[Row]:
    progress.print(f"[dim]{data.name}: {mode} ...[/dim]")
    about = {"benchmark": "arcs", "mode": mode, "corpus": data.name, "limit": data.limit}
    rows = [about | row for row in run_child(f"benchmarks.arcs.runs:{task}", data=asdict(data), **more)]
    append_rows(json, rows)
    return rows


def _show(title: str, rows: list[Row]) -> None:
    for row in rows:
        row |= {"ahead_by": row.get("ahead", {}).get("difference"), "p_value": row.get("ahead", {}).get("p")}
    show(title, COLUMNS, rows)


@app.command()
def trainers(
    corpora: CorporaOption, json: JsonOption = None, corpus: CorpusOption = Corpus.danish, limit: LimitOption = 0,
    quick: QuickOption = False,
) -> None:  # fmt: skip
    """Table 7 and Figure 6 of Mao & Tsang: MTLStruct at p = 1, MIRA (MSTParser's trainer) and an SVM. "ahead by" is MTLStruct's lead."""
    data = _data(corpora, corpus, QUICK if quick else limit)
    rows = _child("run", "trainers", data, json, contestants=_brief(TABLE_7, quick))
    _show(f"Heads, {data.name}", rows)


@app.command()
def groups(
    corpora: CorporaOption, json: JsonOption = None, corpus: CorpusOption = Corpus.danish, limit: LimitOption = 0,
    quick: QuickOption = False,
) -> None:  # fmt: skip
    """Figure 2 of the OnlineMKL paper: weights of the groups along the epochs, and SVMs on 107 to 507 groups, selected by MKL or by an SVM's norms.

    "ahead by" is the lead over the SVM on all groups.
    """
    data = _data(corpora, corpus, QUICK if quick else limit)
    sizes = SIZES[:1] if quick else SIZES
    rows = _child("select", "groups", data, json, selectors=_brief(SELECTORS, quick), sizes=sizes)
    _show(f"Groups of features, {data.name}", rows)


@app.command()
def cut(
    corpora: CorporaOption, json: JsonOption = None, corpus: CorpusOption = Corpus.danish, limit: LimitOption = 0,
    quick: QuickOption = False,
) -> None:  # fmt: skip
    """Structure regularization on trees: the averaged perceptron on whole trees and on pieces. "ahead by" is the lead of whole trees."""
    data = _data(corpora, corpus, QUICK if quick else limit)
    rows = _child("run", "cut", data, json, contestants=_brief(CUT[:2] if quick else CUT, quick))
    _show(f"Trees that are cut, {data.name}", rows)


@app.command()
def plots(
    folder: Annotated[Path, typer.Option(help="Where the pictures go.")],
    json: Annotated[Path, typer.Option("--json", help="A file of rows.")] = RESULTS / "arcs.jsonl",
) -> None:
    """Draw the weights of the groups, along the epochs too, and UAS against the number of groups."""
    from .plots import draw

    for path in draw(folder, read_rows(json)):
        console.print(path.name)
