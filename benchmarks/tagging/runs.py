"""Contestants run one after another, each in its own process, and their results as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.crfsuite import constants_of
from benchmarks.common.measure import median, run_child
from benchmarks.common.rows import Row, find_row, progress
from spacy_mtl.learning.counted.usual_tags import OFTEN

from .data import PARTS, Data, Ours, as_settings

QUICK_SENTENCES = 1000
#: Passes of crfsuite's online methods that are tried.
EPOCHS = [1, 2, 4, 8, 12, 16, 24, 32]
#: Methods of python-crfsuite, and the numbers of iterations that are tried of each.
Methods = Mapping[str, Sequence[int | None]]


def corpora_of(corpora: Path, names: list[str], quick: bool) -> Iterator[Data]:
    """The corpora to run on. Ends the program with a sentence where a file is missing."""
    for name in names[:1] if quick else names:
        data = Data(str(corpora.absolute()), name, QUICK_SENTENCES if quick else 0)
        for path in map(data.path, PARTS):
            if not path.is_file():
                raise SystemExit(f"There is no {path}: --corpora wants the folder that {path.parent.name}/ is in.")
        yield data


def our_settings(**changes: Any) -> Ours:
    """The defaults with what the user changed (None: nothing)."""
    changes = {key: value for key, value in changes.items() if value is not None}
    if "passes" in changes:
        changes.setdefault("inner_passes", changes["passes"])
    return replace(Ours(), **changes)


def identity(mode: str, data: Data) -> Row:
    """What a row is about."""
    return {"benchmark": "tagging", "mode": mode, "corpus": data.name, "limit": data.limit}


def child(task: str, says: str, data: Data, **more: Any) -> Any:
    """Run a contestant and say so."""
    progress.print(f"[dim]{data.name}: {says} ...[/dim]")
    return run_child(task, data=asdict(data), **more)


def train_ours(data: Data, ours: Ours, repeats: int) -> Row:
    """Median CPU of several trainings; the other figures are those of the last."""
    settings = {"ours": as_settings(data, ours)["ours"]}
    compiling = child("benchmarks.tagging.ours:compile_kernels", "compiling kernels", data, **settings)["cpu"]
    runs = [child("benchmarks.tagging.ours:train", "ours", data, **settings) for _ in range(repeats)]
    seconds = [run["cpu"] for run in runs]
    row = {**identity("train", data), **asdict(ours), "iterations": ours.passes, "cpu_compiling": compiling}
    return row | runs[-1] | {"cpu": median(seconds), "cpu_runs": seconds}


def train_spacy(data: Data, max_steps: int, patience: int, known: list[Row]) -> Row:
    """spaCy's own tagger, to its own stop or for so many steps. A row measured before is taken from ``known``."""
    about = {**identity("train", data), "contestant": "spaCy tagger", "max_steps": max_steps, "patience": patience}
    found = find_row(known, about)
    if found:
        return {**found, "measured": found["time"][:10]}
    row = child("benchmarks.tagging.spacy_rival:train", "spaCy's tagger", data, max_steps=max_steps, patience=patience)
    return about | {"iterations": row["steps"]} | row


def fingerprint(data: Data, ours: Ours) -> str:
    """Changes when the templates do, or the words that have a usual tag."""
    _, tagger = ours.pipeline(data)
    templates = tagger.model.attrs["templates"]
    seen = [*templates.texts(), str(templates.min_count), str(OFTEN)]
    return blake2b("\n".join(seen).encode(), digest_size=6).hexdigest()


def train_crfsuite(
    data: Data, ours: Ours, methods: Methods, known: list[Row], given: Mapping[str, Sequence[float]]
) -> Iterator[Row]:
    """L-BFGS to its default stop (None) or for so many iterations, the online methods to their best dev accuracy, with each of the constants given.

    Rows measured before are taken from ``known``; they have a "measured" date.
    """
    counts: Row = {}
    with TemporaryDirectory() as folder:
        for method, iterations in methods.items():
            constants = constants_of(method, given)
            about = {**identity("train", data), "observed": fingerprint(data, ours), "tried": iterations}
            about["constants_tried"] = constants
            found = find_row(known, {**about, "contestant": f"crfsuite {method}"})
            if found:
                yield {**found, "measured": found["time"][:10]}
                continue
            if not counts:
                settings = {"ours": as_settings(data, ours)["ours"], "folder": folder}
                counts = child(
                    "benchmarks.tagging.crfsuite:write_observations", "making observations", data, **settings
                )
            more = {"folder": folder, "algorithm": method, "iterations": iterations, "constants": constants}
            yield about | counts | child("benchmarks.tagging.crfsuite:train", f"crfsuite {method}", data, **more)
