"""Contestants run one after another, each in its own process, and their results as rows."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.common.measure import median, run_child
from benchmarks.common.rows import Row, find_row, progress

from .data import PARTS, Data

QUICK_SENTENCES = 300


def corpora_of(corpora: Path, names: list[str], quick: bool) -> Iterator[Data]:
    """The treebanks to run on. Ends the program with a sentence where a file is missing."""
    for name in names[:1] if quick else names:
        data = Data(str(corpora.absolute()), name, QUICK_SENTENCES if quick else 0)
        for path in map(data.path, PARTS):
            if not path.is_file():
                raise SystemExit(f"There is no {path}: --corpora wants the folder that {path.parent.name}/ is in.")
        yield data


def identity(mode: str, data: Data) -> Row:
    """What a row is about."""
    return {"benchmark": "parsing", "mode": mode, "corpus": data.name, "limit": data.limit}


def child(task: str, says: str, data: Data, **more: Any) -> Any:
    """Run a contestant and say so."""
    progress.print(f"[dim]{data.name}: {says} ...[/dim]")
    return run_child(task, data=asdict(data), **more)


def measured(about: Row, known: list[Row], task: str, data: Data, **more: Any) -> Row:
    """A row of a contestant: one measured before if ``known`` has it, with its date in "measured"."""
    found = find_row(known, about)
    if found:
        return {**found, "measured": found["time"][:10]}
    return about | child(task, str(about["contestant"]), data, **more)


def train_ours(data: Data, ours: Row, repeats: int) -> Row:
    """Median CPU of several trainings; the other figures are those of the last. ours: settings."""
    compiling = child("benchmarks.parsing.ours:compile_kernels", "compiling kernels", data, ours=ours)["cpu"]
    runs = [child("benchmarks.parsing.ours:train", f"ours, {ours['trainer']}", data, ours=ours) for _ in range(repeats)]
    seconds = [run["cpu"] for run in runs]
    row = {**identity("train", data), **ours, "iterations": ours["passes"], "cpu_compiling": compiling}
    return row | runs[-1] | {"cpu": median(seconds), "cpu_runs": seconds}


def train_udpipe(data: Data, iterations: int, structured_interval: int, known: list[Row]) -> Row:
    """UDPipe's parser with the settings of its authors, for so many iterations."""
    from .udpipe_rival import settings_of

    settings = settings_of(data.name, iterations, structured_interval)
    about = {**identity("train", data), "contestant": "UDPipe 1", "settings": settings, "iterations": iterations}
    return measured(about, known, "benchmarks.parsing.udpipe_rival:train", data, settings=settings)


def train_spacy(data: Data, max_steps: int, patience: int, known: list[Row]) -> Row:
    """spaCy's parser, to its own stop or for so many steps."""
    about = {**identity("train", data), "contestant": "spaCy parser", "max_steps": max_steps, "patience": patience}
    return measured(about, known, "benchmarks.parsing.spacy_rival:train", data, max_steps=max_steps, patience=patience)
