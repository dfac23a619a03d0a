"""The table of threads: the rows of ``benchmarks.threads``."""

from .table import Column, Line, Table

_NAMES = ("ner", "tagger", "senter", "morphologizer", "lemmatizer", "segmenter", "parser", "constituents")
_SHORT, _LONG = {"sentences": 1}, {"sentences": 20}
_ONE, _TWO = {"threads": 1}, {"threads": 2}
_RATIOS = (
    Column("times as fast", "speedup", "{:.2f}", where=_TWO),
    Column("CPU, ratio", "cpu_ratio", "{:.2f}", where=_TWO),
)
THREADS = Table(
    "threads",
    "threads",
    ("", "component"),
    (
        Column("words/s, one thread, documents of a sentence", "words_a_second", "{:,.0f}", where={**_SHORT, **_ONE}),
        Column("two threads, times as fast", "speedup", "{:.2f}", where={**_SHORT, **_TWO}),
        Column("words/s, one thread, documents of 20 sentences", "words_a_second", "{:,.0f}", where={**_LONG, **_ONE}),
        Column("two threads, times as fast", "speedup", "{:.2f}", where={**_LONG, **_TWO}),
    ),
    {"": tuple(Line(f"`mtl_{name}`", {"component": name}) for name in _NAMES)},
    {"benchmark": "threads", "mode": "predict"},
)
TRAINING = Table(
    "training-threads",
    "threads",
    ("", "training, to a gap"),
    (
        Column("one thread, wall s", "wall", "{:.1f}", where=_ONE),
        Column("passes", "passes", "{:.0f}", where=_ONE),
        Column("two threads, wall s", "wall", "{:.1f}", where=_TWO),
        Column("passes", "passes", "{:.0f}", where=_TWO),
        *_RATIOS,
    ),
    {
        "": (
            Line("Spanish entities, `conll2002.v1`, p = 1, C = 0.1, to 1%", {"component": "ner"}),
            Line("Danish trees, p = 4/3, C = 0.03, to 1%", {"component": "parser"}),
            Line("Spanish entities, `ner.v1`, l1-M3N, C = 0.1, four rounds", {"component": "l1m3n"}),
        )
    },
    {"benchmark": "threads", "mode": "training"},
)
FEATURES = Table(
    "feature-threads",
    "threads",
    ("", "features of a training corpus"),
    (
        Column("one thread, wall s", "wall", "{:.1f}", where=_ONE),
        Column("two threads, wall s", "wall", "{:.1f}", where=_TWO),
        *_RATIOS,
    ),
    {
        "": (
            Line("Spanish entities, `conll2002.v1`", {"component": "ner"}),
            Line("PKU words, `segmenter.cfg`", {"component": "segmenter"}),
            Line("Danish trees, `parser.cfg`", {"component": "parser"}),
        )
    },
    {"benchmark": "threads", "mode": "features"},
)
TABLES = (THREADS, TRAINING, FEATURES)
