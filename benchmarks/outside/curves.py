"""Learning curves: ours, python-crfsuite and spaCy's own recognizer on the first sentences of a corpus.

Settings are chosen on dev: among six of ours and six of python-crfsuite, and where spaCy stops. Test is scored for what was chosen.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from benchmarks.common.rows import Row
from benchmarks.common.significance import Counts, compare

from .curve_rivals import crfsuite, spacy_ner
from .training import CHOSEN, TASKS, Settings, train

SIZES = (50, 100, 250, 500, 1000, 0)
#: Constants of python-crfsuite that are tried.
C2 = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
#: Of ours: max-margin where a missed entity costs 1 and 2, and likelihood, each as either chain of tags. The bias is tuned for each.
SEARCHED: dict[str, dict[str, Any]] = {
    f"{name}, {scheme}": {"scheme": scheme, "tuned": True, **settings}
    for scheme, (name, settings) in product(
        ("biluo", "iob2"),
        {"a miss costs 1": {"cost": 1.0}, "a miss costs 2": {"cost": 2.0}, "CRF": {"cost": 1.0, "crf": True}}.items(),
    )
}
#: More sentences than any of the corpora has.
ALL = 1_000_000


def curve(corpora: str, name: str, size: int, spacy_updates: int, c2: Sequence[float] = C2) -> list[Row]:
    """Rows of all contestants at one size, the rivals' with how far ours is ahead on test, without and with clusters. size: in sentences, 0 for all.

    c2: of python-crfsuite, to choose from. spacy_updates: of spaCy at most, 0 to leave it out.
    """
    task, limit = TASKS[name], size or ALL
    (plain, ours), (clustered, with_clusters) = (best_of(corpora, name, each, limit) for each in CHOSEN[name])
    rivals = [crfsuite(corpora, task, limit, c2)]
    if spacy_updates:
        rivals.append(spacy_ner(corpora, task, limit, spacy_updates))
    rows = [plain, clustered]
    for row, theirs in rivals:
        ahead = {"ahead": compare(ours, theirs), "ahead_with_clusters": compare(with_clusters, theirs)}
        rows.append(row | {key: each._asdict() for key, each in ahead.items()})
    return [{"task": name, "sentences": size, **row} for row in rows]


def best_of(corpora: str, name: str, base: Settings, limit: int) -> tuple[dict[str, Any], Counts]:
    """The row of what is best on dev among six trainings on single sentences, and its counts on test. base: clusters, lists and C of all.

    cpu: of the training with these settings; cpu_search: of all.
    """
    found = {
        key: train(corpora, TASKS[name], replace(base, group=1, **settings), limit)
        for key, settings in SEARCHED.items()
    }
    key = max(found, key=lambda each: found[each][0]["f1_dev"])
    row, (_, of_test) = found[key]
    searched = {each: tried["f1_dev"] for each, (tried, _) in found.items()}
    cpu = sum(tried["cpu"] for tried, _ in found.values())
    return row | {"chosen": key, "searched": searched, "cpu_search": cpu}, of_test
