"""Tables of Chinese words: the rows of ``benchmarks.segmentation``."""

from dataclasses import replace

from .table import Column, Line, Table

OURS = Line("spacy_mtl, `seg.v1`", {"contestant": "ours", "templates": "seg.v1"})
CRFSUITE = Line(
    "python-crfsuite, the same templates, 60 iterations of L-BFGS",
    {"contestant": "crfsuite lbfgs", "templates": "seg.v1", "crf_iterations": 60, "crf_limit": 0},
    unsearched=True,
)
LTP = Line("ltp-extension's perceptron, 5 passes", {"contestant": "ltp pa"}, unsearched=True)
JIEBA = Line("jieba with its own dictionary, not trained", {"contestant": "jieba"}, unsearched=True)

TRAINING = Table(
    "segmentation-training",
    "segmentation",
    ("Chinese words, test part", ""),
    (
        Column("training, CPU s", "cpu", best="min"),
        Column("times ours", "cpu", per_first=True),
        Column("F1", "f1", score=True),
        Column("recall of unknown words", "r_oov", score=True),
        Column("peak MB", "peak_mb", "{:,.0f}", best="min"),
        Column("model, MB", "model_mb", best="min"),
    ),
    {
        name: tuple(replace(line, where={"corpus": corpus, **line.where}) for line in lines)
        for corpus, name, lines in (("pku", "PKU", (OURS, LTP, JIEBA)), ("sxu", "SXU", (OURS, CRFSUITE, LTP, JIEBA)))
    },
    {"mode": "train", "limit": 0},
)
SPEED = Table(
    "segmentation-speed",
    "segmentation",
    ("PKU test part", "characters a CPU second, raw text to words"),
    (
        Column("text not seen before", "new_text", "{:,.0f}", "max"),
        Column("ours : it", "ratio_new_text"),
        Column("the same text again", "known_text", "{:,.0f}", "max"),
        Column("ours : it", "ratio_known_text"),
    ),
    {
        "": (
            Line("spacy_mtl, `tokenizer.pipe`", {"contestant": "ours, seg.v1"}),
            Line("spacy_mtl, `nlp.pipe`, as tokenizer", {"contestant": "ours as tokenizer of nlp.pipe, seg.v1"}),
            Line("spacy_mtl, `nlp.pipe`, as component", {"contestant": "ours as component, seg.v1"}),
            Line("ltp-extension, in batches", {"contestant": "ltp in batches"}),
            Line("jieba", {"contestant": "jieba"}),
            Line("python-crfsuite, the same templates", {"contestant": "crfsuite, seg.v1"}),
        )
    },
    {"mode": "speed", "corpus": "pku", "limit": 0},
)
_SAME, _OTHER = {"texts": "same"}, {"texts": "other"}
_CONTESTANTS = (
    Line("spacy_mtl, `seg.v1`", {"contestant": "ours", "hidden": 0.0}),
    Line("the same with the three settings", {"contestant": "ours", "hidden": 0.2}),
    Line("ltp-extension's perceptron", {"contestant": "LTP"}),
)
DOMAINS = Table(
    "segmentation-domains",
    "segmentation",
    ("Trained on", ""),
    (
        Column("F1, texts of the same source", "f1", best="max", where=_SAME),
        Column("recall of unknown words", "r_oov", best="max", where=_SAME),
        Column("F1, texts of another source", "f1", best="max", where=_OTHER),
        Column("recall of unknown words", "r_oov", best="max", where=_OTHER),
        Column("training, CPU s", "cpu"),
    ),
    {
        title: tuple(replace(line, where={"corpus": corpus, **line.where}) for line in _CONTESTANTS)
        for title, corpus in (("PKU, used on SXU", "pku"), ("SXU, used on PKU", "sxu"))
    },
    {"mode": "domains", "limit": 0},
)
TABLES = (TRAINING, SPEED, DOMAINS)
