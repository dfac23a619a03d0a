"""Analyses as labels: ``NOUN|Case=Nom|Number=Sing`` is a part of speech with features, ``ADP|_`` one without any.

``NOUN`` alone says nothing of features, as in a corpus that has none; ``_|Case=Nom`` says nothing of the part of speech. A language-specific tag
may follow behind a tab.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from spacy.parts_of_speech import IDS

from spacy_mtl.stored.fault import StoredValueError

#: What CoNLL-U writes for nothing: no part of speech, or no features.
NONE = "_"
#: The part of speech and the tag among the names of features.
POS, TAG = "POS", "TAG"
#: The longest analysis, in characters, and the most features of one.
LONGEST, MOST_FEATURES = 1000, 100


class Analysis(NamedTuple):
    """pos: a universal part of speech, "" if it is not known. feats: as in CoNLL-U, ``_`` for none, "" if they are not known. tag: the
    language-specific tag, "" if there is none."""

    pos: str
    feats: str
    tag: str = ""

    @property
    def text(self) -> str:
        """The analysis as a label: ``parse_analysis(a.text) == a``; "" where nothing is known."""
        known = f"{self.pos or NONE}|{self.feats}" if self.feats else self.pos
        return f"{known}\t{self.tag}" if known and self.tag else known

    @property
    def values(self) -> Mapping[str, str]:
        """The value of each feature, of POS if it is known, and of TAG if there is one."""
        features = [part.partition("=") for part in self.feats.split("|") if part not in ("", NONE)]
        others = {name: value for name, value in ((POS, self.pos), (TAG, self.tag)) if value}
        return others | {name: value for name, _, value in features}


@lru_cache(maxsize=1 << 14)  # the analyses of a corpus are read again for each document
def parse_analysis(text: str) -> Analysis:
    """An analysis from its label. Raises StoredValueError for any other text."""
    known, _, tag = text.partition("\t")
    pos, bar, feats = known.partition("|")
    found = Analysis("" if pos == NONE and bar else pos, feats, tag)
    names = [part.partition("=") for part in feats.split("|")] if feats not in ("", NONE) else []
    fits = bool(found.pos or feats) and (not found.pos or (found.pos in IDS and found.pos.isupper()))
    fits = fits and found.text == text and len(text) <= LONGEST and len(names) <= MOST_FEATURES
    if not fits or any(
        not name or not value or "=" in value or name == POS or (name == TAG and tag) for name, _, value in names
    ):
        raise StoredValueError("a label is not an analysis")
    if len({name for name, _, _ in names}) != len(names):
        raise StoredValueError("a label has the same feature twice")
    return found


def is_analysis(text: str) -> bool:
    """Whether a text is the label of an analysis."""
    try:
        return bool(parse_analysis(text))
    except StoredValueError:
        return False


def complete(found: set[str], known: set[str]) -> set[str]:
    """Those of the analyses ``found`` that have a part of speech, and features, if any of the known ones does."""
    analyses = [parse_analysis(label) for label in known]
    pos, feats = any(each.pos for each in analyses), any(each.feats for each in analyses)
    return {
        label
        for label in found
        if (parse_analysis(label).pos or not pos) and (parse_analysis(label).feats or not feats)
    }
