"""Look at a file of bracketed constituency trees."""

from collections import Counter
from pathlib import Path

from spacy_mtl.constituents.tree import constituents_of, words_of
from spacy_mtl.corpora.bracketed import read_bracketed

from .found import Survey, most_common


def survey_bracketed(path: Path, encoding: str = "utf8") -> Survey:
    """What is in a file of bracketed trees. Raises ValueError (M501, M502, M513, M570-M572)."""
    found, labels = Survey(path, "bracketed"), Counter[str]()
    for _, tree in read_bracketed(path, encoding):
        words = words_of(tree)
        found.sentences += 1
        found.words += len(words)
        found.longest = max(found.longest, len(words))
        found.tags.update(word.label for word in words)
        labels.update(constituent.label for constituent in constituents_of(tree))
    found.brackets = labels.total()
    found.lines.append(f"constituents: {found.brackets:,} of {len(labels):,} labels: {most_common(labels)}")
    found.lines.append(f"TAG: {len(found.tags):,} tags: {most_common(found.tags)}")
    return found
