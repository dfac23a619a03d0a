"""The table of the README: ours and the best rival that was measured, a line a task."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.common.rows import Row

from .table import Column, NoRowsError, Results, markdown, matching, newest

HEAD = (
    "task", "corpus", "spacy_mtl", "training, CPU s", "model, MB", "best rival", "its score", "training, CPU s", "model, MB",
)  # fmt: skip


@dataclass(frozen=True)
class Duel:
    """A line. source: the file of results. ours: what our rows have. rivals: contestants by the name that is shown.

    score: the key of the score on the test part, as a percentage; measure: what it is.
    """

    task: str
    corpus: str
    source: str
    where: Row
    ours: Row
    rivals: dict[str, Row]
    score: str
    measure: str
    digits: int = 1

    def cells(self, results: Results) -> tuple[list[str], list[Row]]:
        """The cells of the line, and the rows that were used. Raises NoRowsError where there are none."""
        known = matching(results.get(self.source, ()), {"mode": "train", "limit": 0, **self.where})
        mine = newest(matching(known, self.ours))
        theirs = {name: newest(matching(known, where)) for name, where in self.rivals.items()}
        if not mine or not any(theirs.values()):
            raise NoRowsError(f"Table headline: no rows of {self.source}.jsonl for {self.task}, {self.corpus}.")
        score = Column("", self.score, f"{{:.{self.digits}f}}")
        best = max((name for name in theirs if theirs[name]), key=lambda name: score.value(theirs[name]) or 0.0)
        found = [self.task, self.corpus, *self._side(mine, score)]
        return [*found, best, *self._side(theirs[best], score)], [*mine, *theirs[best]]

    def _side(self, rows: Sequence[Row], score: Column) -> list[str]:
        columns = (score, Column("", "cpu"), Column("", "model_mb"))
        values = [column.value(rows) for column in columns]
        texts = ["" if v is None else c.form.format(v) for c, v in zip(columns, values, strict=True)]
        return [f"{self.measure} {texts[0]}", *texts[1:]]


def _crfsuite(**more: str) -> dict[str, Row]:
    names = {"lbfgs": "L-BFGS", "ap": "`ap`", "pa": "`pa`"}
    return {f"python-crfsuite, {name}": {"contestant": f"crfsuite {method}", **more} for method, name in names.items()}


SEGMENTERS: dict[str, Row] = {
    "ltp-extension": {"contestant": "ltp pa"},
    "jieba, not trained": {"contestant": "jieba"},
    "python-crfsuite, L-BFGS, 60 iterations": {"contestant": "crfsuite lbfgs", "crf_iterations": 60},
}
DUELS = (
    *(
        Duel(
            "entities", name, "ner", {"lang": lang, "templates": "ner.v1"},
            {"contestant": "ours", "scheme": "biluo"}, _crfsuite(scheme="iob2"), "f1_testb", "F1",
        )
        for lang, name in (("esp", "CoNLL-2002, Spanish"), ("ned", "CoNLL-2002, Dutch"))
    ),
    *(
        Duel(
            "tags", name, "tagging", {"corpus": corpus}, {"contestant": "ours"}, _crfsuite(), "accuracy_test", "accuracy", 2,
        )
        for corpus, name in (("genia", "GENIA"), ("swedish", "Swedish (Talbanken)"))
    ),
    *(
        Duel(
            "words", name, "segmentation", {"corpus": corpus}, {"contestant": "ours", "templates": "seg.v1"}, SEGMENTERS, "f1", "F1",
        )
        for corpus, name in (("pku", "PKU"), ("sxu", "SXU"))
    ),
    Duel(
        "trees", "Swedish (Talbanken)", "parsing", {"corpus": "swedish"},
        {"trainer": "MTLStruct", "order": 2, "grandparents": True}, {"UDPipe 1, 6 iterations": {"contestant": "UDPipe 1"}},
        "uas_test", "UAS",
    ),
)  # fmt: skip


class Headline:
    """Rendered as a Table is."""

    name = "headline"

    def render(self, results: Results) -> str:
        lines = [duel.cells(results)[0] for duel in DUELS]
        return markdown([list(HEAD), *lines])


TABLES = (Headline(),)
