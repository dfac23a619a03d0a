"""Options of commands that work on a cluster."""

from typing import Annotated

import typer

Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Work on a Ray cluster: local for one on this machine, auto for the one that runs here, or HOST:PORT.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=100_000, help="With --ray: the most processes at once. Default: all CPUs of the cluster."),
]
OutputFormat = Annotated[
    str,
    typer.Option(
        "--output-format",
        help="With --ray: same as the input (of text: conllu), jsonl, parquet, spacy, conllu or text.",
    ),
]
TextColumn = Annotated[
    str, typer.Option("--text-column", metavar="NAME", help="With --ray: where JSON lines and Parquet have texts.")
]
IdColumn = Annotated[
    str, typer.Option("--id-column", metavar="NAME", help="With --ray: where they have ids, or get them.")
]
PartitionSize = Annotated[
    int, typer.Option("--partition-size", min=1, metavar="MB", help="With --ray: megabytes of a partition.")
]
