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
    "morphology, Dutch": ("morphologizer", _OURS),
    "lemmas, Dutch": ("lemmatizer", _OURS),
    "sentence borders, Dutch": ("senter", _OURS),
    "constituents, English": ("constituents", _OURS),
}
#: So many training documents are little.
_FEW = 400
_COLUMNS = (
    Column("CPU s", "cpu"),
    Column("times in memory", "ratio", "{:.2f}"),
    Column("dev score", "score", "{:.2f}", score=True),
    Column("passes", "passes", "{:.0f}"),
    Column("evaluations", "evaluations", "{:.0f}"),
    Column("MB", "pipeline_mb"),
)


def _groups(rival: bool) -> dict[str, tuple[Line, ...]]:
    """The lines of each task, python-crfsuite's among them or not."""
    return {
        group: tuple(replace(line, where={**line.where, "task": task}) for line in lines if rival or line is not _RIVAL)
        for group, (task, lines) in _GROUPS.items()
    }


DOOR = Table(
    "door",
    "door",
    ("task", "process"),
    _COLUMNS,
    _groups(rival=True),
    {"benchmark": "door", "mode": "train", "documents": 0},
)
SMALL = Table(
    "door-small",
    "door",
    ("task", "process"),
    _COLUMNS,
    _groups(rival=False),
    {"benchmark": "door", "mode": "train", "documents": _FEW},
)
RIVALS = Table(
    "door-rivals",
    "door",
    ("task", "process"),
    (Column("CPU s", "cpu"), Column("of python-crfsuite's CPU s", "share", "{:.3f}")),
    {"entities, Spanish": (_OURS[0], _RIVAL)},
    {"benchmark": "door", "mode": "rivals"},
)
TABLES = (DOOR, RIVALS, SMALL)
