"""Learning curves: ours, python-crfsuite and spaCy's own recognizer on the first sentences of a corpus.

Constants of the rivals are chosen on the development part: c2 of python-crfsuite, and where spaCy stops. Test is scored for what was chosen.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks.common.rows import Row
from benchmarks.common.significance import Counts, compare

from .curve_rivals import crfsuite, spacy_ner
from .training import CHOSEN, TASKS, train

SIZES = (50, 100, 250, 500, 1000, 0)
#: Constants of python-crfsuite that are tried.
C2 = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
#: More sentences than any of the corpora has.
ALL = 1_000_000


def curve(corpora: str, name: str, size: int, spacy_updates: int, c2: Sequence[float] = C2) -> list[Row]:
    """Rows of all contestants at one size, the rivals' with how far ours without clusters is ahead on test. size: in sentences, 0 for all.

    c2: of python-crfsuite, to choose from. spacy_updates: of spaCy at most, 0 to leave it out.
    """
    task, limit = TASKS[name], size or ALL
    plain, clustered = (train(corpora, task, replace(settings, group=1), limit) for settings in CHOSEN[name])
    rows, ours = [plain[0], clustered[0]], plain[1][1]
    rows.append(_judged(*crfsuite(corpora, task, limit, c2), ours))
    if spacy_updates:
        rows.append(_judged(*spacy_ner(corpora, task, limit, spacy_updates), ours))
    return [{"task": name, "sentences": size, **row} for row in rows]


def _judged(row: dict[str, Any], theirs: Counts, ours: Counts) -> Row:
    return row | {"ahead": compare(ours, theirs)._asdict()}
