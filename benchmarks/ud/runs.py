"""The steps of workflow "ud" on a treebank, each a process of its own, with its CPU seconds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import srsly

from benchmarks.common.origin import ROOT
from benchmarks.common.rows import Row
from spacy_mtl.configs import UD_NAMES

from .danish import FOLDER, danish_part
from .raw_text import raw_text

#: Folder, names of the parts and language of each treebank; the files of Danish are made, see danish.py.
TREEBANKS = {
    "gothic": ("ud-gothic-proiel", "got_proiel-ud-{}.conllu", "xx"),
    "turkish": ("ud-turkish-imst", "tr_imst-ud-{}.conllu", "tr"),
    "swedish": ("ud-swedish-talbanken", "sv-ud-{}.conll", "sv"),
    "dutch": ("ud-dutch-lassysmall", "nl_lassysmall-ud-{}.conllu", "nl"),
    "danish": (FOLDER, "", "da"),
}
#: Where the output of the steps goes.
STDERR = 2
#: Scores that a row keeps.
SCORES = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip


def train(name: str, corpora: Path, folder: Path, folds: int, passes: int, epochs: int | None) -> dict[str, float]:
    """Train a pipeline in ``folder/all``: CPU seconds of each step. epochs: of each training, None for those of the configs."""
    return {step: cpu_of(command) for step, command in _steps(name, corpora, folder, folds, passes, epochs)}


def _steps(
    name: str, corpora: Path, folder: Path, folds: int, passes: int, epochs: int | None
) -> Iterator[tuple[str, list[str]]]:
    gold, dev, lang = part(name, corpora, "train"), part(name, corpora, "dev"), TREEBANKS[name][2]
    yield "configs", ["mtl", "init-ud", gold, dev, str(folder), "--lang", lang]
    short = [] if epochs is None else ["--training.max_epochs", str(epochs)]
    configs = {config: str(folder / f"{config}.cfg") for config in UD_NAMES}
    yield "borders", ["train", configs["senter"], "--output", str(folder / "borders"), *short]
    borders = str(folder / "borders" / "model-best")
    yield "bias", ["mtl", "bias", borders, dev, "--format", "conllu", "--folds", "3", "--sure", "--output", borders]
    yield "tags", ["train", configs["ud-tags"], "--output", str(folder / "tags"), *short]
    options = ["--folds", str(folds), "--passes", str(passes)]
    yield "jackknife", ["mtl", "jackknife", configs["ud-tags"], gold, str(folder / "train.conllu"), *options]
    yield "trees", ["train", configs["ud"], "--output", str(folder / "all"), *short]


def part(name: str, corpora: Path, which: str) -> str:
    folder, pattern, _ = TREEBANKS[name]
    if not pattern:
        return str(danish_part(corpora, which))
    return str(corpora / folder / pattern.format(which))


def output(folder: Path, which: str, kind: str) -> Path:
    """Where a contestant's CoNLL-U is. which: of the parts. kind: what was given, "tokens" (words and sentences) or another word for it."""
    return folder / f"{which}.{kind}.conllu"


def scores(name: str, corpora: Path, folder: Path, which: str) -> Row:
    """F1 of each column for a part, in percent, and CPU seconds: with the sentences of the file, with those of the pipeline (``raw_``), and from raw
    text, where all is the pipeline's (``text_``; not where the file has no text).

    What is predicted stays in the folder, see :func:`output`.
    """
    gold, row = part(name, corpora, which), Row()
    text, source = raw_text(Path(gold)), folder / f"{which}.txt"
    given = [("", "tokens", [gold]), ("raw_", "words", [gold, "--no-borders"])]
    if text is not None:
        source.write_text(text, encoding="utf8")
        given.append(("text_", "text", [str(source)]))
    for prefix, kind, (read, *options) in given:
        out = str(output(folder, which, kind))
        json = folder / f"{which}.{kind}.json"
        row[f"{prefix}cpu_{which}"] = cpu_of(
            ["mtl", "annotate", str(folder / "all" / "model-best"), read, out, *options]
        )
        cpu_of(["mtl", "evaluate-ud", gold, out, "--output", str(json)])
        found = srsly.read_json(json)
        row |= {f"{prefix}{score}_{which}": 100 * found[score]["f1"] for score in SCORES}
    return row


def cpu_of(command: list[str]) -> float:
    """CPU seconds of ``python -m spacy`` with these arguments and all that it starts. Raises CalledProcessError where it fails."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "spacy", *command], env={**os.environ, "PYTHONPATH": path}, stdout=STDERR, check=True
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
