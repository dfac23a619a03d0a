"""What the package promises about hostile text and files, kills and sizes, tried out: ``python -m benchmarks.reliability --help``.

Every row says what was tried, how many times, and what failed. The exit code is 1 if anything did.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Annotated

import typer

from benchmarks.common.rows import Row, append_rows, progress, show

from .plan import Plan
from .subjects import SUBJECTS, run_subject

app = typer.Typer(help=__doc__, add_completion=False, pretty_exceptions_enable=False)
COLUMNS = {
    "case": "what",
    "tried": "tried",
    "failed": "failed",
    "seconds": "seconds",
    "note": "",
}


@app.command(help=__doc__)
def reliability(
    full: Annotated[
        bool, typer.Option("--full/--quick", help="All of the table, for hours, or minutes of it.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option("--only", help="Of these subjects alone; see the list.")] = None,
    skip: Annotated[list[str] | None, typer.Option("--skip", help="Without these subjects.")] = None,
    case: Annotated[str | None, typer.Option(help="Only this line of a subject, such as a component.")] = None,
    seed: Annotated[int, typer.Option(help="Of the first random case; a failure names its own.")] = 0,
    count: Annotated[int | None, typer.Option(help="How many cases, instead of the usual number.")] = None,
    share: Annotated[float, typer.Option(min=0.001, max=1.0, help="Of the usual number of cases.")] = 1.0,
    jobs: Annotated[int, typer.Option(min=1, help="Subjects that run side by side.")] = 1,
    corpora: Annotated[
        Path | None, typer.Option(envvar="SPACY_MTL_CORPORA", help="For subjects that can use more.")
    ] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
    is_list: Annotated[bool, typer.Option("--list", help="Say which subjects there are.")] = False,
) -> None:
    if is_list:
        show(
            "Subjects",
            {"name": "name", "holds": "what must hold"},
            [{"name": n, "holds": h} for n, h in SUBJECTS.items()],
        )
        return
    unknown = [name for name in [*(only or []), *(skip or [])] if name not in SUBJECTS]
    if unknown:
        raise typer.BadParameter(f"There is no subject '{unknown[0]}'. Choose from {', '.join(SUBJECTS)}.")
    names = [name for name in only or SUBJECTS if name not in (skip or [])]
    if not names:
        raise typer.BadParameter("Nothing is left after --skip.")
    if count is not None and share < 1:
        raise typer.BadParameter("--count is the number of cases, so --share of it cannot be asked for, too.")
    failed = 0
    with TemporaryDirectory(prefix="reliability-") as folder:
        plan = Plan(full, Path(folder), seed, count, share, case, corpora)
        for name, rows in finished(names, plan, jobs, json):
            show(f"{name}: {SUBJECTS[name]}", COLUMNS, rows, note_of(rows))
            failed += sum(row["failed"] for row in rows)
    raise typer.Exit(1 if failed else 0)


def finished(names: Sequence[str], plan: Plan, jobs: int, json: Path | None) -> Iterator[tuple[str, list[Row]]]:
    """Subjects with their rows, in the order of ``names``. Rows are kept as they come."""

    one_at_a_time = Lock()

    def run(name: str) -> list[Row]:
        rows = []
        for row in run_subject(name, plan):
            with one_at_a_time:
                append_rows(json, [row])
            progress.print(f"[dim]{name}: {row['case']}: {row['failed']} of {row['tried']} failed[/dim]")
            rows.append(row)
        return rows

    with ThreadPoolExecutor(jobs) as pool:
        yield from zip(names, pool.map(run, names), strict=True)


def note_of(rows: Sequence[Row]) -> str:
    """The failures, for people."""
    return "\n".join(f"{row['case']}: {failure}" for row in rows for failure in row["failures"])
