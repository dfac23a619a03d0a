"""Tables of Chinese words: the rows of ``benchmarks.segmentation``."""

from .table import Column, Line, Table

OURS = Line("spacy_mtl, `seg.v1`", {"contestant": "ours", "templates": "seg.v1"})
LTP = Line("ltp-extension's perceptron, 5 passes", {"contestant": "ltp pa"})
JIEBA = Line("jieba with its own dictionary, not trained", {"contestant": "jieba"})

TRAINING = Table(
    "segmentation-training",
    "segmentation",
    ("Chinese words, test part", ""),
    (
        Column("training, CPU s", "cpu", best="min"),
        Column("times ours", "cpu", per_first=True),
        Column("F1", "f1", best="max"),
        Column("recall of unknown words", "r_oov", best="max"),
        Column("peak MB", "peak_mb", "{:,.0f}", best="min"),
        Column("model, MB", "model_mb", best="min"),
    ),
    {
        name: tuple(Line(line.label, {"corpus": corpus, **line.where}) for line in lines)
        for corpus, name, lines in (("pku", "PKU", (OURS, LTP, JIEBA)), ("sxu", "SXU", (OURS, LTP, JIEBA)))
    },
    {"mode": "train", "limit": 0},
)
TABLES = (TRAINING,)
