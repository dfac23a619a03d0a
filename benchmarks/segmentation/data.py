"""The files of the segmentation bakeoffs: sentences to learn from, texts to segment, and how a segmentation is scored."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from spacy_mtl.corpora.segmented import read_segmented
from spacy_mtl.training.segmentation import count_words, read_lexicon

Sentence = list[str]
#: Training text, gold test text, official lexicon or None, below the folder of the corpora.
FILES: dict[str, tuple[str, str, str | None]] = {
    "pku": ("pku2005/train.utf8", "pku2005/pku_test_gold.utf8", "pku2005/pku_training_words.utf8"),
    "sxu": ("sxu/train.txt", "sxu/test.txt", None),
}
#: Of the training sentences, one in so many is held out where settings are chosen.
HELD_OUT = 10


@dataclass(frozen=True)
class Data:
    """Which sentences.

    corpora: folder with ``pku2005`` and ``sxu``. name: pku or sxu. limit: training sentences, 0 for all; a quarter as many to test.
    dev: train on nine tenths of the training text and test on the rest of it, every tenth sentence, to choose settings without the test text.
    """

    corpora: str
    name: str = "pku"
    limit: int = 0
    dev: bool = False

    def paths(self) -> tuple[Path, Path, Path | None]:
        """Training file, test file, lexicon."""
        train, test, lexicon = FILES[self.name]
        return Path(self.corpora, train), Path(self.corpora, test), Path(self.corpora, lexicon) if lexicon else None

    def _training_text(self) -> list[Sentence]:
        return list(islice(read_segmented(self.paths()[0]), self.limit or None))

    def train(self) -> list[Sentence]:
        sentences = self._training_text()
        return [s for i, s in enumerate(sentences) if i % HELD_OUT] if self.dev else sentences

    def test(self) -> list[Sentence]:
        if self.dev:
            return self._training_text()[::HELD_OUT]
        return list(islice(read_segmented(self.paths()[1]), self.limit // 4 or None))

    def lexicon(self) -> set[str]:
        """The known words: the official list, or else the words of the whole training file; those trained on if dev."""
        if self.dev:
            return {word for sentence in self.train() for word in sentence}
        return _lexicon(self.paths()[2] or self.paths()[0])

    def scores(self, predicted: Sequence[Sentence]) -> dict[str, Any]:
        """Of the segmented test texts, in percent: f1, precision, recall, r_iv, r_oov, oov."""
        counts = count_words(self.test(), predicted, self.lexicon())
        rates = {
            "f1": counts.f1,
            "precision": counts.precision,
            "recall": counts.recall,
            "r_iv": counts.recall_iv,
            "r_oov": counts.recall_oov,
            "oov": counts.oov_rate,
        }
        return {name: None if rate is None else 100 * rate for name, rate in rates.items()}


@cache
def _lexicon(path: Path) -> set[str]:
    return read_lexicon(path)


def texts(sentences: Sequence[Sentence]) -> list[str]:
    """The raw text of each sentence."""
    return ["".join(words) for words in sentences]
