"""Contestants run one after another, each in its own process, and their results as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.crfsuite import constants_of
from benchmarks.common.measure import median, run_child
from benchmarks.common.rows import Row, find_row, progress

from .data import DEFAULTS, Data, Ours, as_settings

QUICK_SENTENCES = 1000
#: Passes of crfsuite's online methods that are tried.
EPOCHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]


def corpora_of(corpora: Path, lang: str, quick: bool, group: int | None = None) -> Iterator[Data]:
    """The corpora to run on. lang: esp, ned or both. Ends the program with a sentence where a file is missing."""
    langs = ["esp", "ned"] if lang == "both" else [lang]
    for name in langs[:1] if quick else langs:
        data = Data(str(corpora.absolute()), name, QUICK_SENTENCES if quick else 0, group)
        for part in ("train", "testa", "testb"):
            if not data.path(part).is_file():
                raise SystemExit(
                    f"There is no {data.path(part)}: --corpora wants the folder that has conll2002/ in it."
                )
        yield data


def our_settings(templates: str, **changes: Any) -> Ours:
    """The defaults of a template set with what the user changed (None: nothing)."""
    return replace(DEFAULTS[templates], **{key: value for key, value in changes.items() if value is not None})


def child(task: str, says: str, data: Data, ours: Ours, **more: Any) -> Any:
    """Run a contestant and say so."""
    progress.print(f"[dim]{data.lang}: {says} ...[/dim]")
    return run_child(task, **as_settings(data, ours), **more)


def compile_first(data: Data, ours: Ours) -> float:
    """CPU seconds of the first training of a process."""
    return child("benchmarks.ner.ours:compile_kernels", "compiling kernels", data, ours)["cpu"]


def identity(mode: str, data: Data, ours: Ours) -> Row:
    """What a row is about."""
    templates = ours.templates + ("" if ours.tag else ", no TAG")
    return {"benchmark": "ner", "mode": mode, "lang": data.lang, "limit": data.limit, "templates": templates}


def train_ours(data: Data, ours: Ours, repeats: int = 1, mode: str = "train") -> Row:
    """Median CPU of several trainings; the other figures are those of the last."""
    compiling = compile_first(data, ours)
    runs = [child("benchmarks.ner.ours:train", f"ours, {ours.templates}", data, ours) for _ in range(repeats)]
    seconds = [run["cpu"] for run in runs]
    row = {**identity(mode, data, ours), "p": ours.p, "C": ours.C, "scheme": ours.scheme, "average": ours.average}
    row |= {"iterations": ours.passes, "inner_passes": ours.inner_passes, "cpu_compiling": compiling}
    return row | runs[-1] | {"cpu": median(seconds), "cpu_runs": seconds}


def fingerprint(data: Data, ours: Ours) -> str:
    """Changes when the templates do, or the documents they look at."""
    _, ner = ours.pipeline(data)
    text = "\n".join([*ner.model.attrs["templates"].texts(), str(data.group)])
    return blake2b(text.encode(), digest_size=6).hexdigest()


def train_crfsuite(
    data: Data,
    ours: Ours,
    scheme: str,
    methods: Sequence[str],
    epochs: list[int],
    known: list[Row],
    given: Mapping[str, Sequence[float]],
) -> Iterator[Row]:
    """L-BFGS to its default stop, an online method to its best testa score of so many passes, with each of the constants given.

    Rows measured before are taken from ``known``; they have a "measured" date.
    """
    about = {**identity("train", data, ours), "scheme": scheme, "observed": fingerprint(data, ours)}
    counts: Row = {}
    with TemporaryDirectory() as folder:
        for method in methods:
            iterations = None if method == "lbfgs" else epochs
            tried = {"tried": iterations, "constants_tried": constants_of(method, given)}
            found = find_row(known, {**about, "contestant": f"crfsuite {method}", **tried})
            if found:
                yield {**found, "measured": found["time"][:10]}
                continue
            if not counts:
                task = "benchmarks.ner.crfsuite:write_observations"
                counts = child(task, "making observations", data, ours, folder=folder, scheme=scheme)
            progress.print(f"[dim]{data.lang}: crfsuite {method}, {ours.templates} ...[/dim]")
            settings = {"algorithm": method, "iterations": iterations, "constants": tried["constants_tried"]}
            row = run_child("benchmarks.ner.crfsuite:train", folder=folder, **settings)
            yield about | counts | row | tried


def train_spacy(data: Data, max_steps: int, patience: int) -> Row:
    """spaCy's own recognizer, to its own stop."""
    progress.print(f"[dim]{data.lang}: spaCy ner ...[/dim]")
    settings = as_settings(data, DEFAULTS["ner.v1"])["data"]
    row = run_child("benchmarks.ner.spacy_rival:train", data=settings, max_steps=max_steps, patience=patience)
    about = identity("spacy-ner", data, DEFAULTS["ner.v1"])
    return about | {"templates": "", "iterations": row["steps"]} | row
