"""The tables of probabilities: how right they are, and what telling them costs. Rows of ``benchmarks.insight``."""

from .table import Column, Line, Table

_SCORES = (
    ("scores as they are", "as they are"),
    ("temperature", "temperature"),
    ("temperature and maps", "temperature and maps"),
)
_FOLDS = "temperature and maps, of folds too"


def _lines(task: str) -> tuple[Line, ...]:
    return tuple(Line(label, {"task": task, "scores": scores}) for label, scores in _SCORES)


def _crfsuite(task: str) -> Line:
    return Line("crfsuite's marginals", {"task": task, "scores": "crfsuite lbfgs"})


CALIBRATED = Table(
    "calibrated",
    "insight",
    ("decisions", "probabilities"),
    (
        Column("decisions", "decisions", "{:,.0f}"),
        Column("ECE, %", lambda row: 100 * row["ece"], "{:.2f}"),
        Column("by chance", lambda row: 100 * row["ece_by_chance"] if "ece_by_chance" in row else None, "{:.2f}"),
        Column("Brier score", "brier", "{:.4f}"),
        Column("mean probability, %", lambda row: 100 * row["mean"], "{:.1f}"),
        Column("correct, %", lambda row: 100 * row["correct"], "{:.1f}"),
    ),
    {
        "entities, CoNLL-2002 Spanish, testb": (
            *_lines("spanish"),
            *(
                Line(f"the same, from {n} folds too", {"task": "spanish", "scores": _FOLDS, "folds": n})
                for n in (5, 10, 20)
            ),
            _crfsuite("spanish"),
        ),
        "the same, with clusters of spaCy's lookups": (
            *_lines("spanish-clusters"),
            Line("the same, from 10 folds too", {"task": "spanish-clusters", "scores": _FOLDS, "folds": 10}),
        ),
        "arcs, Danish": _lines("danish"),
        "words, PKU 2005": (*_lines("pku"), _crfsuite("pku")),
    },
    {"mode": "calibration", "limit": 0},
)
_NAMES = ("ner", "tagger", "senter", "morphologizer", "lemmatizer", "segmenter", "parser", "constituents")
TOLD = Table(
    "told",
    "insight",
    ("", "component"),
    (
        Column("words/s without", "per_second", "{:,.0f}"),
        Column("with confidence", "per_second_confident", "{:,.0f}"),
        Column("of the speed without", "share", "{:.2f}"),
    ),
    {"corpora of the package": tuple(Line(f"`mtl_{name}`", {"component": f"mtl_{name}"}) for name in _NAMES)},
    {"benchmark": "insight", "mode": "confidence-speed"},
)
TABLES = (CALIBRATED, TOLD)
