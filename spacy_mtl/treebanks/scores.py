"""The scores of the CoNLL 2018 shared task: a system's CoNLL-U file against a gold one of the same raw text.

Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies. CLAS
is that of Nivre and Fang (2017), Universal Dependency Evaluation.
"""

import unicodedata
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy_mtl.errors import Errors

from .align import align
from .universal import CONTENT
from .words import NO_HEAD, Span, Words, read_words

#: In the order of the shared task.
METRICS = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
)
_SHOWN, _SEEN = 20, 5
_UNALIGNED = -3


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one metric: units in gold and in the system's file, those that are right, and aligned words that count.

    The last is None for tokens, sentences and words.
    """

    gold: int
    system: int
    correct: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """Right units as a share of the system's."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Right units as a share of those in gold."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, the score of the shared task."""
        return 2 * self.correct / (self.gold + self.system) if self.gold + self.system else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Right words as a share of those that are aligned; None for tokens, sentences and words."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0

    def figures(self) -> dict[str, float | int | None]:
        """All of it, as plain data."""
        names = ("precision", "recall", "f1", "aligned_accuracy", "gold", "system", "correct", "aligned")
        return {name: getattr(self, name) for name in names}


def score_files(gold: str | Path, system: str | Path, encoding: str = "utf8") -> dict[str, Score]:
    """The scores of a system's CoNLL-U file, by METRICS in their order.

    Raises ValueError for what is wrong with a file (see :func:`~spacy_mtl.treebanks.words.read_words`), and where their raw texts are not the same,
    white space aside (M580).
    """
    truth, found = read_words(gold, encoding), read_words(system, encoding)
    if truth.text != found.text:
        raise ValueError(_difference(gold, truth, system, found))
    return score_words(truth, found)


def score_words(gold: Words, system: Words) -> dict[str, Score]:
    """The scores, by METRICS in their order, of words that were read from files of the same raw text."""
    pairs = align(gold, system)
    scores = {
        "Tokens": _spans(gold.tokens, system.tokens),
        "Sentences": _spans(gold.sentences, system.sentences),
        "Words": Score(len(gold), len(system), len(pairs)),
    }
    for name, (same, content) in _comparisons(gold, system, pairs).items():
        scores[name] = _words(gold, system, pairs, same, content)
    return scores


def right_words(gold: Words, system: Words) -> dict[str, set[int]]:
    """By metric of all words (UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS): the numbers of the gold words that the system has right."""
    pairs = align(gold, system)
    every = _comparisons(gold, system, pairs).items()
    return {name: {i for i, j in pairs if same(i, j)} for name, (same, content) in every if not content}


def _spans(gold: list[Span], system: list[Span]) -> Score:
    return Score(len(gold), len(system), len({*gold} & {*system}))


def _words(
    gold: Words, system: Words, pairs: list[tuple[int, int]], same: Callable[[int, int], bool], content: bool
) -> Score:
    """Words for which ``same`` holds, of all words or of content words; whether an aligned word is one is for gold to say."""
    if not content:
        return Score(len(gold), len(system), sum(same(i, j) for i, j in pairs), len(pairs))
    counts = [sum(relation in CONTENT for relation in words.relations) for words in (gold, system)]
    pairs = [(i, j) for i, j in pairs if gold.relations[i] in CONTENT]
    return Score(counts[0], counts[1], sum(same(i, j) for i, j in pairs), len(pairs))


def _comparisons(
    gold: Words, system: Words, pairs: list[tuple[int, int]]
) -> dict[str, tuple[Callable[[int, int], bool], bool]]:
    """By metric: whether word i of gold and word j of the system, which are aligned, count as the same; and whether content words alone count."""
    aligned = [_UNALIGNED] * len(system)
    for i, j in pairs:
        aligned[j] = i

    def tags(i: int, j: int) -> bool:
        return gold.upos[i] == system.upos[j] and gold.feats[i] == system.feats[j]

    def lemma(i: int, j: int) -> bool:
        return gold.lemmas[i] in ("_", system.lemmas[j])  # where gold has none, none can be wrong

    def head(i: int, j: int) -> bool:
        found = system.heads[j]
        return gold.heads[i] != NO_HEAD and gold.heads[i] == (aligned[found] if found >= 0 else found)

    def arc(i: int, j: int) -> bool:
        return head(i, j) and gold.relations[i] == system.relations[j]

    def function_words(words: Words, children: list[int], name: Callable[[int], int]) -> list[tuple[Hashable, ...]]:
        return [(name(c), words.relations[c], words.upos[c], words.feats[c]) for c in children]

    def morphology(i: int, j: int) -> bool:
        ours = function_words(gold, gold.children[i], int)
        return arc(i, j) and tags(i, j) and ours == function_words(system, system.children[j], aligned.__getitem__)

    return {
        "UPOS": (lambda i, j: gold.upos[i] == system.upos[j], False),
        "XPOS": (lambda i, j: gold.xpos[i] == system.xpos[j], False),
        "UFeats": (lambda i, j: gold.feats[i] == system.feats[j], False),
        "AllTags": (lambda i, j: tags(i, j) and gold.xpos[i] == system.xpos[j], False),
        "Lemmas": (lemma, False),
        "UAS": (head, False),
        "LAS": (arc, False),
        "CLAS": (arc, True),
        "MLAS": (morphology, True),
        "BLEX": (lambda i, j: arc(i, j) and lemma(i, j), True),
    }


def _difference(gold_path: str | Path, gold: Words, system_path: str | Path, system: Words) -> str:
    """Where two raw texts begin to differ (M580)."""
    length = min(len(gold.text), len(system.text))
    at = next((k for k in range(length) if gold.text[k] != system.text[k]), length)
    ours, theirs = (_place(words, at) for words in (gold, system))
    texts = [words.text[at : at + _SHOWN] for words in (gold, system)]
    if _look(texts[0]) == _look(texts[1]):
        texts = [ascii(text)[1:-1] for text in texts]
    return Errors.M580.format(
        gold=gold_path,
        system=system_path,
        gold_text=texts[0],
        system_text=texts[1],
        gold_place=ours,
        system_place=theirs,
    )


def _look(text: str) -> str:
    """What people see of the beginning of a text: neither its normal form nor joiners and marks of direction."""
    return unicodedata.normalize("NFC", "".join(c for c in text if unicodedata.category(c) != "Cf"))[:_SEEN]


def _place(words: Words, at: int) -> str:
    ends: Sequence[int] = [end for _, end in words.sentences]
    number = next((k for k, end in enumerate(ends) if at < end), None)
    if number is None:
        return "after its last sentence"
    name, line = words.places[number]
    return f"sentence {name}, line {line}"
