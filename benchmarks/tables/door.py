"""The table of whole processes: the rows of ``benchmarks.door``."""

from dataclasses import replace

from .table import Column, Line, Table

_OURS = (
    Line("`spacy train`, the whole process", {"contestant": "spacy train"}),
    Line("the same training in memory", {"contestant": "in memory"}),
)
_RIVAL = Line("python-crfsuite, the whole process", {"contestant": "crfsuite lbfgs"}, unsearched=True)
_GROUPS = {
    "entities, Spanish": ("ner", (*_OURS, _RIVAL)),
    "tags, GENIA": ("tagger", _OURS),
    "words, PKU": ("segmenter", _OURS),
    "trees, Danish": ("parser", _OURS),
}

DOOR = Table(
    "door",
    "door",
    ("task", "process"),
    (
        Column("CPU s", "cpu"),
        Column("times in memory", "ratio", "{:.2f}"),
        Column("dev score", "score", "{:.2f}", score=True),
        Column("passes", "passes", "{:.0f}"),
        Column("evaluations", "evaluations", "{:.0f}"),
        Column("MB", "pipeline_mb"),
    ),
    {
        group: tuple(replace(line, where={**line.where, "task": task}) for line in lines)
        for group, (task, lines) in _GROUPS.items()
    },
    {"benchmark": "door", "mode": "train", "documents": 0},
)
TABLES = (DOOR,)
