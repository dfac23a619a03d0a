"""Ours against the rivals on the same test sentences, from what each has predicted from gold words."""

from pathlib import Path

import numpy as np

from benchmarks.common.rows import Row
from benchmarks.common.significance import Counts, compare
from spacy_mtl.treebanks.scores import right_words
from spacy_mtl.treebanks.words import Words, read_words

from .runs import output, part

METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS")
DIFFERENCES = {
    "corpus": "treebank", "rival": "rival", "metric": "score", "ours": "ours", "theirs": "theirs", "difference": "difference",
    "p": "p value", "low": "95% from", "high": "to",
}  # fmt: skip


def differences(name: str, corpora: Path, keep: Path) -> list[Row]:
    """Rows of all rivals whose output is kept. Raises FileNotFoundError where ours is not."""
    gold = read_words(part(name, corpora, "test"))
    ours = _counts(gold, output(keep / name / "ours", "test", "tokens"))
    rows = []
    for folder in sorted(path for path in (keep / name).iterdir() if path.name != "ours"):
        if not (kept := output(folder, "test", "tokens")).exists():
            continue
        theirs = _counts(gold, kept)
        for metric in METRICS:
            row = Row(benchmark="ud", mode="compare", corpus=name, rival=folder.name, metric=metric)
            row |= {"ours": ours[metric].score(), "theirs": theirs[metric].score()}
            rows.append(row | compare(ours[metric], theirs[metric])._asdict())
    return rows


def _counts(gold: Words, system: Path) -> dict[str, Counts]:
    """By metric, the words of each gold sentence and those that are right; the system was given gold words, so that it found as many."""
    sentences, n = [gold.sentence_of(word) for word in range(len(gold))], len(gold.sentences)
    total = np.bincount(sentences, minlength=n)
    right = right_words(gold, read_words(system))
    return {
        metric: Counts(np.bincount([sentences[word] for word in sorted(right[metric])], minlength=n), total, total)
        for metric in METRICS
    }
