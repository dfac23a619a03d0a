"""The table of first starts, with nothing compiled: the rows of ``benchmarks.startup``."""

from .table import Column, Line, Table

_TRAIN, _LOAD = {"phase": "train"}, {"phase": "load"}
FIRST_START = Table(
    "first-start",
    "startup",
    ("", "component"),
    (
        Column("first update, CPU s", "first update, cpu", "{:.0f}", where=_TRAIN),
        Column("first row of a training log", "first row, cpu", "{:.0f}", where=_TRAIN),
        Column("`spacy.load` and first document", "cpu", "{:.0f}", where=_LOAD),
        Column("longest silence", "silence", "{:.0f}", where=_TRAIN),
    ),
    {"": tuple(Line(f"`mtl_{name}`", {"component": name}) for name in ("ner", "tagger", "segmenter", "parser"))},
    {"benchmark": "startup"},
)
TABLES = (FIRST_START,)
