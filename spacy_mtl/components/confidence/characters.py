"""How sure a segmenter is of its words."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.tokens import Doc

from spacy_mtl.confidence.calibration import Calibrations
from spacy_mtl.confidence.chain import ConsideredChains
from spacy_mtl.confidence.result import Confidence
from spacy_mtl.models.chain.decode import Considered
from spacy_mtl.models.segments import Segments
from spacy_mtl.segmentation.boundaries import begin_tags
from spacy_mtl.segmentation.characters import CharacterTable, Tokens
from spacy_mtl.segmentation.predict import CharacterPredictor

from .attributes import write
from .pipe import Told


class Cut(NamedTuple):
    """Texts that have been cut. codes: uint32[M], their characters. told: their tags and how sure they are, if that is asked for."""

    texts: list[str]
    codes: np.ndarray
    tokens: Tokens
    told: Told | None


def consider_characters(
    predictor: CharacterPredictor, table: CharacterTable, texts: Sequence[str], cfg: Mapping[str, Any]
) -> "ConsideredCharacters":
    """The words that a segmenter chooses from. cfg: its settings."""
    chars = table.read(texts)
    joined = table.joined(chars) if cfg["keep_runs"] else np.zeros(chars.at.size, np.bool_)
    doc_starts = np.searchsorted(chars.at, chars.texts)
    begins = begin_tags(cfg["tags"])
    considered = predictor.considered_characters(chars, doc_starts, joined, begins)
    at = chars.at - chars.texts[np.searchsorted(chars.texts, chars.at, side="right") - 1]
    return ConsideredCharacters(considered, predictor.weights.labels, begins, at)


class ConsideredCharacters(ConsideredChains):
    """Words as spans of characters. begins: bool[L], the tags that begin a word. at: int64[N], where each character is in its text."""

    def __init__(self, considered: Considered, names: Sequence[str], begins: np.ndarray, at: np.ndarray):
        goes_on = np.ascontiguousarray(np.broadcast_to(~begins, (begins.size, begins.size)))
        super().__init__("word", considered, names, Segments(np.zeros(begins.size, np.int64), goes_on))
        self.at = at

    def places(self, spans: np.ndarray, first: np.ndarray) -> np.ndarray:
        """In characters of the text, white space included."""
        return np.stack([self.at[spans[:, 0]], self.at[spans[:, 1] - 1] + 1, spans[:, 2]], axis=1)


def told_of(considered: ConsideredCharacters, calibrations: Calibrations) -> Told:
    return Told(considered.predicted, considered.confidences(calibrations))


def with_words(docs: list[Doc], name: str, confidences: Sequence[Confidence]) -> list[Doc]:
    """The new documents with the probability of each word, by the name of the component; white space is sure to be a token of its own."""
    for doc, confidence in zip(docs, confidences, strict=True):
        tokens = confidence.of_spans.probabilities
        if tokens.size < len(doc):
            tokens = np.ones(len(doc), np.float32)
            tokens[doc.to_array(IS_SPACE) == 0] = confidence.of_spans.probabilities
        write(doc, name, confidence, tokens)
    return docs
