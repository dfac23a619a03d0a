"""Benchmarks of ``mtl_parser``: dependency trees of Danish (DDT), Swedish (Talbanken) and Dutch (LassySmall). ``python benchmarks/parsing.py MODE --help``.

Everybody gets the same tokens, sentences and gold tags. Where a Danish sentence has several roots, UDPipe and spaCy learn a tree in which the further
ones hang on the first with a label of their own, and are roots again before the scores are counted.

Every contestant runs in a process of its own on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
"""

from enum import Enum
from pathlib import Path
from typing import Annotated

import parse_tables
import typer
from measure import use_kernel_cache, use_one_core
from rows import append_rows, ratio, read_rows, show

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Corpus(str, Enum):
    """Which treebank."""

    swedish = "swedish"
    dutch = "dutch"
    danish = "danish"


CorporaOption = Annotated[
    Path,
    typer.Option(
        "--corpora",
        envvar="SPACY_MTL_CORPORA",
        exists=True,
        file_okay=False,
        help="Folder with ddt/, ud-swedish-talbanken/ and ud-dutch-lassysmall/.",
    ),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="300 sentences of one treebank: a minute or two.")]
CorpusOption = Annotated[list[Corpus] | None, typer.Option("--corpus", help="All if not given.")]


def _names(corpus: list[Corpus] | None) -> list[str]:
    return [name.value for name in corpus or Corpus]


@app.callback()
def prepare() -> None:
    """One core, and kernels compiled for these sources."""
    use_one_core()
    use_kernel_cache()


@app.command()
def train(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    corpus: CorpusOption = None,
    iterations: Annotated[int, typer.Option(help="Of UDPipe's training; 0 leaves it out.")] = 10,
    structured_interval: Annotated[
        int, typer.Option(help="Every how many sentences UDPipe asks its search-based oracle; 0: never.")
    ] = 8,
    max_steps: Annotated[int, typer.Option(help="Of spaCy's training; 0 leaves it out.")] = 20000,
    patience: Annotated[int, typer.Option(help="Steps without a better dev score before spaCy stops.")] = 1600,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure the others even if the file has them.")] = False,
) -> None:
    """Training and quality: CPU, memory, model size, attachment scores, crossing arcs.

    UDPipe's seconds count from sentences in memory to the model's bytes, its evaluations of dev included, by which it picks an iteration (Danish has no
    dev part: all is learnt from, for all iterations); spaCy's count all of its training, as its stop needs the evaluations.
    """
    from parse_runs import corpora_of, train_spacy, train_udpipe

    known = [] if fresh else read_rows(json)
    for data in corpora_of(corpora, _names(corpus), quick):
        rows = []
        if iterations:
            rows.append(train_udpipe(data, min(iterations, 2) if quick else iterations, structured_interval, known))
            append_rows(json, [row for row in rows[-1:] if "measured" not in row])
        if max_steps:
            rows.append(train_spacy(data, min(max_steps, 100) if quick else max_steps, patience, known))
            append_rows(json, [row for row in rows[-1:] if "measured" not in row])
        for row in rows:
            row["ratio"] = ratio(rows[0]["cpu"], row["cpu"])
        show(f"Parsing, {data.name}, {data.limit or 'all'} sentences", parse_tables.COST, rows, parse_tables.COST_NOTE)
        show(f"Trees of the test part, {data.name}", parse_tables.RULES, rows, parse_tables.rules_note(rows))


if __name__ == "__main__":
    app()
