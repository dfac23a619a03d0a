"""Scores of word segmentation as in the SIGHAN bakeoffs: precision, recall, F1, and recall of words in and out of the vocabulary."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.corpora.segmented import read_segmented
from spacy_mtl.errors import Errors
from spacy_mtl.registry import registry
from spacy_mtl.settings import is_list, is_path, shown

_SHOWN = 30


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Counts of the words of a corpus and of its segmentation; a predicted word is correct if a gold word has the same two borders.

    gold, predicted, correct: numbers of words. oov: number of gold words that are not in the lexicon; correct_oov: number of correct ones among
    these; both None without a lexicon. Rates are fractions of 1, None where they would divide by zero or need a lexicon.
    """

    gold: int
    predicted: int
    correct: int
    oov: int | None = None
    correct_oov: int | None = None

    @property
    def precision(self) -> float | None:
        return _ratio(self.correct, self.predicted)

    @property
    def recall(self) -> float | None:
        return _ratio(self.correct, self.gold)

    @property
    def f1(self) -> float | None:
        """2PR / (P + R) = 2 correct / (gold + predicted)."""
        return _ratio(2 * self.correct, self.gold + self.predicted)

    @property
    def oov_rate(self) -> float | None:
        return None if self.oov is None else _ratio(self.oov, self.gold)

    @property
    def recall_oov(self) -> float | None:
        return None if self.oov is None or self.correct_oov is None else _ratio(self.correct_oov, self.oov)

    @property
    def recall_iv(self) -> float | None:
        if self.oov is None or self.correct_oov is None:
            return None
        return _ratio(self.correct - self.correct_oov, self.gold - self.oov)

    def scores(self, prefix: str = "seg_") -> dict[str, float | None]:
        """The rates by spaCy's kind of names: p, r, f, r_iv, r_oov and oov (the share of gold words that are out of the vocabulary)."""
        return {
            f"{prefix}p": self.precision,
            f"{prefix}r": self.recall,
            f"{prefix}f": self.f1,
            f"{prefix}r_iv": self.recall_iv,
            f"{prefix}r_oov": self.recall_oov,
            f"{prefix}oov": self.oov_rate,
        }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def count_words(
    gold: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]], lexicon: Container[str] | None = None
) -> WordCounts:
    """Compare two segmentations of the same sentences, each a list of words.

    lexicon: the known words; other gold words are out of the vocabulary. White space in words does not count: words are compared without it, and
    words of white space alone are skipped.

    The bakeoffs' own script aligns the two lists of words with ``diff``, which may also pair equal words at different places of a sentence. Here both
    borders of a word must be right, as in the definition of the score.

    Raises ValueError where the words of a sentence make up different texts (M521), or the numbers of sentences differ.
    """
    n_gold = n_predicted = n_correct = n_oov = n_correct_oov = 0
    for gold_sentence, predicted_sentence in zip(gold, predicted, strict=True):
        expected, found = _without_blanks(gold_sentence), _without_blanks(predicted_sentence)
        _check_same_text(expected, found)
        spans = set(_spans(found))
        correct = [span in spans for span in _spans(expected)]
        n_gold, n_predicted, n_correct = n_gold + len(expected), n_predicted + len(found), n_correct + sum(correct)
        if lexicon is not None:
            hits = [hit for hit, word in zip(correct, expected, strict=True) if word not in lexicon]
            n_oov, n_correct_oov = n_oov + len(hits), n_correct_oov + sum(hits)
    if lexicon is None:
        return WordCounts(n_gold, n_predicted, n_correct)
    return WordCounts(n_gold, n_predicted, n_correct, n_oov, n_correct_oov)


def _without_blanks(words: Sequence[str]) -> list[str]:
    return [bare for word in words if (bare := "".join(word.split()))]


def _spans(words: list[str]) -> Iterator[tuple[int, int]]:
    """Begin and end of each word in the text that the words make up."""
    ends = list(accumulate(map(len, words)))
    return zip([0, *ends], ends, strict=False)


def _check_same_text(gold: list[str], predicted: list[str]) -> None:
    text, other = "".join(gold), "".join(predicted)
    if text != other:
        same = next(
            (i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other))
        )
        begin = max(0, same - _SHOWN // 2)
        raise ValueError(Errors.M521.format(text=text[begin : begin + _SHOWN], other=other[begin : begin + _SHOWN]))


def read_lexicon(path: str | Path, encoding: str = "utf8") -> set[str]:
    """The distinct words of a file: an official lexicon with one word per line, or a segmented text.

    Raises ValueError where the file cannot be read (M501) or decoded (M502, M513), or contains no words (M520).
    """
    return {word for words in read_segmented(path, encoding) for word in words}


class BakeoffScorer:
    """A scorer for spaCy: from Examples to ``seg_p``, ``seg_r``, ``seg_f``, ``seg_r_iv``, ``seg_r_oov`` and ``seg_oov``.

    The lexicon files are read at the first call, so that a pipeline can be loaded where they do not exist.
    """

    def __init__(self, files: list[Path], words: list[str], encoding: str):
        self._files, self._words, self._encoding = files, words, encoding

    @cached_property
    def _lexicon(self) -> set[str] | None:
        if not self._files and not self._words:
            return None
        return set(self._words).union(*(read_lexicon(path, self._encoding) for path in self._files))

    def __call__(self, examples: Iterable[Example], **_: Any) -> dict[str, float | None]:
        examples = list(examples)
        gold = (_words(example.reference) for example in examples)
        predicted = (_words(example.predicted) for example in examples)
        return count_words(gold, predicted, self._lexicon).scores()


def _words(doc: Doc) -> list[str]:
    return [token.text for token in doc]


@registry.scorers("spacy_mtl.bakeoff_scorer.v1")
def bakeoff_scorer(
    lexicon: str | Path | list[str | Path] | None = None, words: list[str] | None = None, encoding: str = "utf8"
) -> BakeoffScorer:
    """Make a scorer of word segmentation as in the SIGHAN bakeoffs, for the ``scorer`` of a component.

    lexicon: one or several files of known words, such as a bakeoff's official list (one word per line) or segmented training texts. words: further
    known words. encoding: of the files. Without known words, the recall of known and unknown words is None.

    The scores are fractions of 1: ``seg_p``, ``seg_r`` and ``seg_f`` (precision, recall and F1 of words), ``seg_r_iv`` and ``seg_r_oov`` (recall of
    gold words in and out of the lexicon), and ``seg_oov`` (the share of gold words out of the lexicon).

    Raises ValueError (M590) for other settings. The scorer raises ValueError for a lexicon that cannot be read (M501, M502, M513, M520), and where
    predicted and gold text differ (M521).
    """
    files = [] if lexicon is None else lexicon if isinstance(lexicon, list | tuple) else [lexicon]
    for setting, fits, expected, value in (
        ("lexicon", all(map(is_path, files)), "a path, a list of paths, or null", lexicon),
        ("words", words is None or is_list(words), "a list of words, or null", words),
        ("encoding", isinstance(encoding, str) and encoding, "the name of an encoding", encoding),
    ):
        if not fits:
            name = "spacy_mtl.bakeoff_scorer.v1"
            raise ValueError(Errors.M590.format(setting=setting, name=name, expected=expected, value=shown(value)))
    return BakeoffScorer([Path(file) for file in files], list(words or []), encoding)
