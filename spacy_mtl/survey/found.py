"""What a survey of a corpus file found."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Survey:
    """One corpus file.

    kind: "columns", "trees", "bracketed", "segmented" or "binary". documents: marked in the file, 0 where they are not. words, sentences, longest
    (sentence, in words): counts. columns: what each column of a column file holds, by its name there ("_" if it is not used). tags, entities: how
    often each occurs. phrases: the different entities of each label. pos_of: the universal parts of speech of each tag. trees: sentences with a
    tree; of a .spacy file, documents. crossing: share of crossing arcs. case, features: share of words with a case, and with any morphological
    features. coarse: whether there are universal parts of speech besides other tags. upos, lemmas: whether there are universal parts of speech, and
    lemmas. brackets: constituents. arcs: from a word to another. multiword: tokens that are several words. joined: share of words that follow
    another one letter to letter, without a space. forms: how often each word of trees occurs. analyses: pairs of a part of speech and features.
    readings: of these and a tag.
    broken: sentences left out because their heads are no tree. reader: settings of the reader that differ from its defaults. lines: what was seen,
    for people. warnings: what looks wrong, or is not used.
    """

    path: Path
    kind: str
    documents: int = 0
    sentences: int = 0
    words: int = 0
    longest: int = 0
    columns: list[str] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    entities: Counter[str] = field(default_factory=Counter)
    phrases: dict[str, set[str]] = field(default_factory=dict)
    pos_of: dict[str, Counter[str]] = field(default_factory=dict)
    trees: int = 0
    brackets: int = 0
    crossing: float = 0.0
    case: float = 0.0
    features: float = 0.0
    coarse: bool = False
    upos: bool = False
    lemmas: bool = False
    arcs: int = 0
    multiword: int = 0
    joined: float = 0.0
    forms: Counter[str] = field(default_factory=Counter)
    analyses: int = 0
    readings: int = 0
    broken: int = 0
    reader: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def size(self) -> str:
        """The first line about a file."""
        what = "lines" if self.kind == "segmented" else "sentences"
        documents = f"{self.documents:,} documents, " if self.documents else ""
        return f"{documents}{self.sentences:,} {what}, {self.words:,} words, at most {self.longest:,} in one"

    def __str__(self) -> str:
        """All that was seen, for people."""
        seen = [f"{self.path}: {self.size()}", *(f"  {line}" for line in self.lines)]
        return "\n".join([*seen, *(f"  ! {warning}." for warning in self.warnings)])


def most_common(counts: Counter[str], n: int = 5) -> str:
    """The most frequent values with their counts, for people."""
    shown = ", ".join(f"{value} {count:,}" for value, count in counts.most_common(n))
    return shown + (", ..." if len(counts) > n else "")
