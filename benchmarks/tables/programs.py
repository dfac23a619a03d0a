"""The table of other programs in the README, and that of whole pipelines beside them: constants searched on dev, test scored once, tested."""

from dataclasses import dataclass

from benchmarks.common.rows import Row

from .headline import LEVEL, Duel, seconds
from .table import NoRowsError, Results, markdown, matching, newest, provenance

HEAD = (
    "task", "corpus", "spacy_mtl", "training, CPU s", "other program", "its score", "training, CPU s", "difference", "p value",
)  # fmt: skip
TREEBANKS = {
    "gothic": "Gothic (PROIEL)",
    "turkish": "Turkish (IMST)",
    "swedish": "Swedish (Talbanken)",
    "dutch": "Dutch (LassySmall)",
    "danish": "Danish (DDT)",
}
RIVALS = {"udpipe": "UDPipe 1", "spacy": "spaCy"}
METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS")


@dataclass(frozen=True)
class Pipelines:
    """A line: LAS of whole pipelines on a treebank, from gold words, where everything else is predicted."""

    corpus: str
    rival: str

    def rows(self, results: Results, mode: str, **where: object) -> list[Row]:
        """The newest rows of a mode. Raises NoRowsError where there are none."""
        found = newest(matching(results.get("ud", ()), {"mode": mode, "corpus": self.corpus, **where}))
        if not found:
            raise NoRowsError(f"No rows of ud.jsonl for {mode}, {self.corpus}, {where}.")
        return found

    def compared(self, results: Results, metric: str) -> Row:
        return self.rows(results, "compare", rival=self.rival, metric=metric)[0]

    def trained(self, results: Results) -> tuple[Row, Row]:
        """The trainings of ours and of the rival."""
        ours = self.rows(results, "train", contestant="ours", quick=False)[0]
        return ours, self.rows(results, "rivals", contestant=RIVALS[self.rival])[0]

    def cells(self, results: Results) -> list[str]:
        found, (ours, theirs) = self.compared(results, "LAS"), self.trained(results)
        name = RIVALS[self.rival] + (", ended by a limit" if theirs.get("stopped") == "most_cpu" else "")
        scores = f"LAS {found['ours']:.1f}", seconds(ours), name, f"{found['theirs']:.1f}", seconds(theirs)
        return ["tags, features, lemmas, trees", TREEBANKS[self.corpus], *scores, said(found), f"{found['p']:.4f}"]


def said(row: Row) -> str:
    """A difference, and whether it is none."""
    return f"{row['difference']:+.1f}" + ("" if row["p"] < LEVEL else ", level")


def entities(lang: str, name: str) -> Duel:
    where = {"mode": "train", "lang": lang, "templates": "ner.v1", "limit": 0}
    ours, theirs = {"contestant": "ours", "scheme": "biluo"}, {"contestant": "crfsuite lbfgs", "scheme": "iob2"}
    return Duel(
        "entities",
        f"CoNLL-2002 {name}",
        "ner",
        where | ours,
        where | theirs,
        "F1",
        "f1_testb",
        "f1_testa",
        "contestant",
    )


def words(corpus: str, name: str) -> Duel:
    where = {"mode": "domains", "corpus": corpus, "limit": 0, "texts": "same"}
    ours, theirs = {"contestant": "ours", "hidden": 0.0}, {"contestant": "LTP"}
    return Duel("Chinese words", name, "segmentation", where | ours, where | theirs, "F1", "f1", "f1", "contestant")


def tags(corpus: str, name: str) -> Duel:
    where = {"mode": "train", "corpus": corpus, "limit": 0}
    ours = where | {"contestant": "ours"}
    return Duel("tags", name, "tagging", ours, where, "accuracy", "accuracy_test", "accuracy_dev", "contestant")


#: All that were compared, and for the README the rival that is better on a treebank.
_PIPELINES = (
    ("gothic", "udpipe"), ("gothic", "spacy"), ("turkish", "udpipe"), ("turkish", "spacy"), ("swedish", "udpipe"), ("swedish", "spacy"),
    ("dutch", "spacy"), ("danish", "udpipe"), ("danish", "spacy"),
)  # fmt: skip
_BETTER = (
    ("gothic", "udpipe"), ("turkish", "udpipe"), ("swedish", "udpipe"), ("dutch", "spacy"), ("danish", "udpipe"),
)  # fmt: skip
LINES = (
    entities("esp", "Spanish"),
    entities("ned", "Dutch"),
    tags("genia", "GENIA"),
    tags("swedish", "Swedish, universal tags"),
    words("pku", "PKU 2005"),
    words("sxu", "SXU"),
    *(Pipelines(corpus, rival) for corpus, rival in _BETTER),
)


class Programs:
    """Rendered as a Table is."""

    name = "programs"

    def render(self, results: Results) -> str:
        return markdown([list(HEAD), *(line.cells(results) for line in LINES)])


class PipelinePairs:
    """Every column of whole pipelines beside UDPipe and spaCy. Rendered as a Table is."""

    name = "ud-pairs"

    def render(self, results: Results) -> str:
        lines, used = [["From gold words, test part", "ahead of", "its training, CPU s", *METRICS]], []
        for corpus, rival in _PIPELINES:
            line = Pipelines(corpus, rival)
            found = [line.compared(results, metric) for metric in METRICS]
            theirs = line.trained(results)[1]
            used += [*found, theirs]
            cells = [f"{said(row)} (p = {row['p']:.4f})" for row in found]
            lines.append([TREEBANKS[corpus], RIVALS[rival], seconds(theirs), *cells])
        return markdown(lines) + "\n" + provenance(used)


TABLES = (Programs(), PipelinePairs())
