"""Small files under the names that pages give to the reader's own corpora."""

import gzip
from pathlib import Path

import numpy as np

from .blocks import ROOT

#: how many sentences of which file of assets/
SAMPLES = {
    "my.train": ("es-entities/train.conll", 60),
    "my.dev": ("es-entities/dev.conll", 30),
    "my.test": ("es-entities/test.conll", 30),
    "my-train.conllu": ("nl-trees/train.conllu", 60),
    "my-dev.conllu": ("nl-trees/dev.conllu", 20),
    "my-test.conllu": ("nl-trees/test.conllu", 20),
    "my-words-train.conll": ("zh-words/train.conll", 60),
    "my-words-dev.conll": ("zh-words/dev.conll", 20),
}
LINES = {
    "my-train.txt": ("zh-words/train.txt", 60),
    "my-dev.txt": ("zh-words/dev.txt", 20),
    "my-test.txt": ("zh-words/test.txt", 20),
}


def write_samples(folder: Path) -> None:
    """All of them, into a folder."""
    for name, (source, count) in SAMPLES.items():
        sentences = (ROOT / "assets" / source).read_text(encoding="utf8").split("\n\n")
        (folder / name).write_text("\n\n".join(sentences[:count]) + "\n\n", encoding="utf8")
    for name, (source, count) in LINES.items():
        lines = (ROOT / "assets" / source).read_text(encoding="utf8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:count]), encoding="utf8")
    for name, (source, count) in {"my-entities.train": ("train", 60), "my-entities.dev": ("dev", 30)}.items():
        lines = (ROOT / f"assets/es-entities/{source}.conll").read_text(encoding="utf8").split("\n\n")[:count]
        rows = [line.split() for line in "\n\n".join(lines).splitlines()]
        text = "\n".join(f"{row[0]} {row[-1]}" if row else "" for row in rows)
        (folder / name).write_text(text + "\n\n", encoding="utf8")
    (folder / "my-cities.txt").write_text("Santa Fe\nOviedo\nGijón\n", encoding="utf8")
    (folder / "my-paths.tsv").write_text("00\tde\t90\n01\tla\t80\n10\tMadrid\t3\n10\tOviedo\t2\n", encoding="utf8")
    task = '{"text": "El alcalde de Bogotá viajó.", "spans": [{"start": 14, "end": 20, "label": "LOC"}]}'
    (folder / "my-tasks.jsonl").write_text(task, encoding="utf8")
    (folder / "my-clusters.json").write_text('{"de": 1, "la": 2, "Madrid": 5, "Oviedo": 5}', encoding="utf8")
    write_letters(folder / "letter.data.gz", np.random.default_rng(0))


def write_letters(path: Path, rng: np.random.Generator) -> None:
    """In the form of the OCR letters: 40 words of three made-up letters, a few lit pixels each, and noise."""
    shapes = rng.random((3, 128)) < 0.2
    lines: list[str] = []
    for word in range(40):
        length = rng.integers(1, 6)
        for place in range(length):
            letter = rng.integers(3)
            pixels = shapes[letter] ^ (rng.random(128) < 0.05)
            following = -1 if place == length - 1 else len(lines) + 2
            fields = [len(lines) + 1, "abc"[letter], following, word, place + 1, word % 2, *pixels.astype(int), ""]
            lines.append("\t".join(map(str, fields)))
    with gzip.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")
