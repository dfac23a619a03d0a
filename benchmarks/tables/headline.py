"""The table of all papers: ours and the best rival, of what their pages compare: searched on dev, scored on test once, tested."""

from dataclasses import dataclass

from benchmarks.arcs.contestants import OURS
from benchmarks.common.rows import Row
from benchmarks.constituents.program import CHOSEN

from .table import NoRowsError, Results, markdown, matching, newest

HEAD = (
    "task", "corpus and features", "spacy_mtl", "training, CPU s", "best rival on the development part", "its score", "training, CPU s",
    "difference", "p value",
)  # fmt: skip
#: A difference with a smaller p value is called one.
LEVEL = 0.01


@dataclass(frozen=True)
class Duel:
    """A line. source: the file of results. ours, theirs: what the rows have. name: key of the rival's name. score: key of the test score, in percent;
    score_of_rival: that in the rival's rows, if it is another. dev: of the score by which the rival is chosen. timed: what the row has that
    tells the rival's seconds, where the compared one does not."""

    task: str
    corpus: str
    source: str
    ours: Row
    theirs: Row
    measure: str
    score: str = "f1_test"
    dev: str = "f1_dev"
    name: str = "shown"
    score_of_rival: str = ""
    timed: Row | None = None

    def cells(self, results: Results) -> list[str]:
        """Raises NoRowsError where there are no rows."""
        known = results.get(self.source, ())
        mine = newest(matching(known, self.ours))
        rivals = [row for row in matching(known, self.theirs) if is_rival(row)]
        timed = newest(matching(known, self.timed)) if self.timed else rivals
        if not (mine and rivals and timed):
            raise NoRowsError(f"Table headline: no rows of {self.source}.jsonl for {self.task}, {self.corpus}.")
        beside = [row for row in rivals if row["commit"] == mine[0]["commit"]] or rivals
        best = max(beside, key=lambda row: (row[self.dev], row["time"]))
        difference, p = verdict(best)
        said = f"{difference:+.1f}" if p < LEVEL else f"{difference:+.1f}, level"
        cells = [f"{self.measure} {mine[0][self.score]:.1f}", seconds(mine[0])]
        return [self.task, self.corpus, *cells, NAMES.get(best[self.name], best[self.name]), f"{best[self.score_of_rival or self.score]:.1f}",
                seconds(timed[0] if self.timed else best), said, f"{p:.4f}"]  # fmt: skip


NAMES = {
    "CRF l2": "CRF, l2", "CRF l1": "CRF, l1", "IRW-CRF": "CRF, re-weighted", "crfsuite l2": "python-crfsuite", "MTLStruct p=2": "structural SVM",
    "OnlineMKL last": "OnlineMKL", "crfsuite lbfgs": "python-crfsuite, L-BFGS", "crfsuite ap": "python-crfsuite, `ap`",
    "crfsuite pa": "python-crfsuite, `pa`", "LTP": "LTP's perceptron", "SVM": "structural SVM", "ours: CRF": "CRF, stochastic gradient",
}  # fmt: skip


def is_rival(row: Row) -> bool:
    """Not ours at any exponent below 2, and with a score on test."""
    ours = row.get("contestant") in OURS or row.get("p") not in (None, 2.0)
    return not ours and ("p_ahead" in row or "ahead" in row)


def verdict(row: Row) -> tuple[float, float]:
    """How far ours is ahead of the contestant of a row, and the p value."""
    found = row.get("ahead") or {"difference": row["difference_ahead"], "p": row["p_ahead"]}
    return found["difference"], found["p"]


def seconds(row: Row) -> str:
    """CPU seconds of the whole training; nothing where a row does not tell them."""
    found = row.get("cpu_all") or row.get("cpu")
    return "" if found is None else f"{found:,.0f}"


def entities(lang: str, name: str) -> Duel:
    where = {"mode": "test", "corpus": lang, "templates": "conll2002.v1", "scheme": "iob2", "selected": 0, "limit": 0}
    ours = where | {"shown": "MTLStruct p=1"}
    return Duel("entities", f"CoNLL-2002 {name}, 134 templates", "mtlstruct", ours, where, "F1")


def arcs(corpus: str, name: str) -> Duel:
    where = {"mode": "trainers", "corpus": corpus, "chosen": True}
    ours = where | {"contestant": "MTLStruct, p = 1"}
    return Duel("heads", name, "arcs", ours, where, "UAS", "uas_test", "uas_dev", "contestant")


#: SSVM, which is ours as well, is level with it (docs/benchmarks.md).
CONSTITUENTS = Duel(
    "constituents", "sample of the Penn Treebank, templates of spans", "constituents",
    {"mode": "train", "contestant": "ours: MTLStruct", "C": dict(CHOSEN)["MTLStruct"], "limit": 0},
    {"mode": "significance", "other": "ours: CRF", "limit": 0},
    "F1", "f1_test", "f1_other", "other", "f1_other",
    {"mode": "train", "contestant": "ours: CRF", "C": dict(CHOSEN)["CRF"], "limit": 0},
)  # fmt: skip
DUELS = (
    entities("esp", "Spanish"),
    entities("ned", "Dutch"),
    arcs("danish", "Danish, MSTParser's templates"),
    arcs("swedish", "Swedish, MSTParser's templates"),
    CONSTITUENTS,
)


class Headline:
    """Rendered as a Table is."""

    name = "headline"

    def render(self, results: Results) -> str:
        return markdown([list(HEAD), *(duel.cells(results) for duel in DUELS)])


TABLES = (Headline(),)
