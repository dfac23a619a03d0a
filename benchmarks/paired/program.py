"""Commands of ``python -m benchmarks.paired``."""

import subprocess
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from benchmarks.common.checkout import Checkout
from benchmarks.common.origin import ROOT
from benchmarks.common.rows import Row, append_rows, progress, show

from .tasks import TASKS, described

app = typer.Typer(add_completion=False)
_WORKER = Path(__file__).with_name("worker.py")


def compare(name: str, before: Path, corpora: Path, rounds: int) -> Row:
    """Rounds in turn; the checkout that goes first changes."""
    task = described(TASKS[name], corpora, before / "configs")
    checkouts = {each: Checkout(folder, [str(_WORKER)], task) for each, folder in (("before", before), ("after", ROOT))}
    for checkout in checkouts.values():
        checkout.wait()
    found: dict[str, list[dict[str, float]]] = {each: [] for each in checkouts}
    for number in range(rounds):
        for each in sorted(checkouts, reverse=number % 2 == 0):
            found[each].append(checkouts[each].ask("again"))
        progress.print(f"{name}: round {number + 1} of {rounds}", highlight=False)
    for checkout in checkouts.values():
        checkout.stop()
    row: Row = {"benchmark": "paired", "mode": name, "rounds": rounds, "against": commit_of(before)}
    for what in ("training", "prediction"):
        pairs = [(old[what], new[what]) for old, new in zip(found["before"], found["after"], strict=True)]
        ratios = sorted(new / old for old, new in pairs)
        row |= {f"{what}_before": median(old for old, _ in pairs), f"{what}_after": median(new for _, new in pairs)}
        row |= {f"{what}_ratio": median(ratios), f"{what}_least": ratios[0], f"{what}_most": ratios[-1]}
    return row | {"score_before": found["before"][-1]["score"], "score_after": found["after"][-1]["score"]}


def commit_of(folder: Path) -> str:
    done = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip()


_COLUMNS = {"mode": "task"}
for _what in ("training", "prediction"):
    _COLUMNS |= {f"{_what}_before": f"{_what}: before, CPU s", f"{_what}_after": "after, CPU s"}
    _COLUMNS |= {f"{_what}_ratio": "median ratio", f"{_what}_least": "least", f"{_what}_most": "most"}
_COLUMNS |= {"score_before": "score: before", "score_after": "after"}


@app.command()
def paired(
    before: Annotated[Path, typer.Option(help="A checkout of the version to compare with.", exists=True)],
    corpora: Annotated[Path, typer.Option(help="The folder that the corpora are in.", envvar="SPACY_MTL_CORPORA")],
    only: Annotated[list[str], typer.Option(help=f"Of these tasks: {', '.join(TASKS)}.")] = list(TASKS),  # noqa: B006
    rounds: Annotated[int, typer.Option(help="Of each checkout.", min=1)] = 7,
    json: Annotated[Path | None, typer.Option(help="Add the rows to this file of JSON lines.")] = None,
) -> None:
    """Train and predict with this checkout and with an older one in turn, by the older one's configs: CPU seconds and scores."""
    rows = [compare(name, before.resolve(), corpora.resolve(), rounds) for name in only]
    show("This checkout against an older one", _COLUMNS, rows, "medians of all rounds; ratios of pairs, after / before")
    append_rows(json, rows)
