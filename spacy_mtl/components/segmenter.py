"""mtl_segmenter: word segmentation of Chinese text, with a linear chain of tags over its characters."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.errors import Errors
from spacy_mtl.explaining.chain import Positions
from spacy_mtl.explaining.decision import Decision
from spacy_mtl.learning.counted.known_words import constrain_words
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.segmentation.boundaries import TAG_SETS, begin_tags, encode_words, tag_set_constraints
from spacy_mtl.segmentation.carry import carry_over
from spacy_mtl.segmentation.characters import Characters, CharacterTable, Tokens, doc_text, split_words, word_offsets
from spacy_mtl.segmentation.corpus_breaks import table_of
from spacy_mtl.segmentation.cut_text import cut_doc
from spacy_mtl.segmentation.gold_words import gold_tags
from spacy_mtl.segmentation.known_marks import UNLIKELY
from spacy_mtl.segmentation.predict import CharacterPredictor
from spacy_mtl.segmentation.user_words.dictionary import Dictionary
from spacy_mtl.segmentation.user_words.matches import Match, find_matches
from spacy_mtl.segmentation.user_words.words import UserWords
from spacy_mtl.segmentation.word_orths import WordOrths
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.characters import word_table
from spacy_mtl.templates.attributes.learned import CHAR_GROUP, FormTable
from spacy_mtl.templates.attributes.reader import AttributeReader, of_characters
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.true_words import true_doc

from .biased.pipe import BiasCounts, BiasedPipe, checked_bias
from .biased.words import word_counts
from .confidence.characters import ConsideredCharacters, Cut, consider_characters, told_of, with_words
from .factories import make_segmenter  # noqa: F401  (earlier installations have it as their entry point)
from .segmenter_corpus import WordsOfCorpus
from .segmenter_explained import border_decisions, character_positions
from .segmenter_scorer import make_segmenter_scorer  # noqa: F401  (as above)
from .segmenter_settings import CFG_CHECKS, CFG_MISSING, check_given, check_segmenter


class MTLSegmenter(BiasedPipe, WordsOfCorpus):
    """Word segmenter over a linear chain of characters, which returns new Docs.

    Raises ValueError: M411 a template reads an attribute that characters do not have, M416 an unknown tag set, M418 a count out of range.
    """

    gold_attributes = ("SPACY",)
    fixed = ("tags",)
    places = "x"
    decided = ("word",)
    cfg_checks = CFG_CHECKS
    cfg_missing = CFG_MISSING

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_segmenter",
        *,
        trainer: Trainer,
        tags: str = "bmes",
        keep_runs: bool = True,
        folds: int = 2,
        known: int = 1,
        hidden: float = 0.0,
        known_marks: int = 5,
        bias: float = 0.0,
        user_words_role: str = "hint",
        user_words_weight: float = 1.0,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        check_given(name, tags, keep_runs, folds, known, hidden, known_marks)
        self.folds, self.known, self.hidden, self.known_marks = folds, known, float(hidden), known_marks
        self.cfg = {"tags": tags, "keep_runs": keep_runs, "lexicon": "", "breaks": [], "known": {}}
        self.user_words = UserWords((), user_words_role, user_words_weight)
        self.cfg |= {"bias": checked_bias(name, bias), **self.user_words.settings()}
        self._characters = CharacterTable(vocab)
        self._word_orths = WordOrths(vocab)

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags of characters."""
        return TAG_SETS[self.cfg["tags"]]

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        return TAG_SETS[cfg["tags"]]

    def chain_constraints(self) -> Constraints:
        return tag_set_constraints(self.cfg["tags"])

    def model_constraints(self) -> Constraints:
        """The constraints of prediction, where a known mark can only get its own tags; training also learns from known marks."""
        held = constrain_words(self.chain_constraints(), self.cfg["known"], self._characters.vocab.strings)
        return replace(held, form_penalty=UNLIKELY)

    def set_labels(self, labels: Sequence[str]) -> None:
        """Do nothing: the tag set is a setting."""

    def _labels_in_cfg(self) -> Sequence[str]:
        return self.labels

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        tables: dict[str, Any] | None = None,
        user_words: Path | None = None,
        prior: Path | None = None,
        prior_weight: float = 1.0,
    ) -> None:
        """Read the corpus once, as :meth:`ContinuedPipe.initialize` does.

        user_words: a file of words to add to the user dictionary. Raises ValueError: M413 no word, M414 and M415 faults of the dictionary file.
        """
        if user_words is not None:
            self.user_words.read(user_words)
        super().initialize(get_examples, nlp=nlp, labels=labels, tables=tables, prior=prior, prior_weight=prior_weight)

    def make_reader(self) -> AttributeReader:
        templates = self.templates
        for attr in templates.attributes:
            if not of_characters(attr):
                raise ValueError(Errors.M411.format(name=self.name, attr=attr))
        return AttributeReader(templates.attributes, self._characters.vocab, word_table([]), {CHAR_GROUP: {}})

    def read_input(self, reader: AttributeReader, docs: Sequence[Doc]) -> list[tuple[np.ndarray, np.ndarray]]:
        """As in the base class, but the positions are characters, and white space separates sentences."""
        chars = self._characters.read([doc_text(doc) for doc in docs])
        given = self._characters.given(chars)
        borders = np.searchsorted(chars.at, chars.texts)
        sentences = np.searchsorted(chars.starts, borders).tolist()
        return [
            (given[:, a:b].copy(), np.append(chars.starts[first:last], b) - a)
            for (a, b), (first, last) in zip(pairwise(borders.tolist()), pairwise(sentences), strict=True)
        ]

    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold tags of the predicted Doc's characters; -1 where its text differs from that of the reference."""
        return gold_tags(self._characters, example.predicted, example.reference, starts, self.cfg["tags"])

    def meet_characters(self, text: str) -> None:
        """Add the characters of a text to the tables used in prediction."""
        self._characters.read([text])

    def _predictor(self) -> CharacterPredictor | None:
        """The predictor for the current weights and dictionaries; None while untrained."""
        weights = current_weights(self.model)
        if not weights.is_trained:
            return None
        predictor = self.model.attrs["predictor"]
        if not isinstance(predictor, CharacterPredictor) or predictor.characters is not self._characters:
            constraints, learned = self.model.attrs["constraints"], self.model.attrs["learned"]
            breaks = table_of(self.cfg["breaks"])
            predictor = CharacterPredictor(weights, constraints, self._characters, learned, breaks, self.cfg["tags"])
            self.model.attrs["predictor"] = predictor
        if predictor.follows(self.user_words):
            predictor.read_words(self.cfg["lexicon"], self.user_words)
        predictor.bias = self.bias
        return predictor

    def _label(self, chars: Characters) -> np.ndarray:
        """The best tags int32[N]; while untrained, those of words of one character."""
        joined = self._characters.joined(chars) if self.cfg["keep_runs"] else np.zeros(chars.at.size, np.bool_)
        predictor = self._predictor()
        if predictor is None:
            return encode_words(~joined, self.cfg["tags"])
        if not chars.at.size:
            return np.zeros(0, np.int32)
        return predictor.tag(chars, joined, begin_tags(self.cfg["tags"]))

    def biases_of_labels(self, bias: float) -> np.ndarray:
        return np.float32(bias) * begin_tags(self.cfg["tags"]).astype(np.float32)

    def bias_counts(self, examples: Sequence[Example]) -> BiasCounts:
        return word_counts(self, examples)

    def words_in_runs(self, docs: Sequence[Doc]) -> float:
        """The share of the words of Docs that begin inside a Latin word or a number, which ``keep_runs`` would not let them."""
        chars = self._characters.read([doc_text(doc) for doc in docs])
        begins = [start + word_offsets(doc)[:-1] for start, doc in zip(chars.texts, docs, strict=False)]
        joined = np.append(self._characters.joined(chars), False)
        return float(joined[np.searchsorted(chars.at, np.concatenate(begins))].mean())

    def cut(self, texts: Sequence[str]) -> Iterator[tuple[list[str], list[bool]]]:
        """For each text, its tokens and whether a space follows each; together they make up the text."""
        return split_words(texts, self._tokens(texts)[1])

    def docs(self, texts: Sequence[str]) -> Iterator[Doc]:
        """Make a Doc of each text."""
        return self._words_met().docs(texts, *self._tokens(texts))

    def _tokens(self, texts: Sequence[str], tags: np.ndarray | None = None) -> tuple[np.ndarray, Tokens]:
        """The characters of the texts, uint32[M], and their tokens. tags: int32[N] if they are known."""
        chars = self._characters.read(texts)
        begins = begin_tags(self.cfg["tags"])[self._label(chars) if tags is None else tags]
        return chars.codes, self._characters.tokens(chars, begins)

    def doc(self, text: str) -> Doc:
        """Make a Doc of one text, faster than :meth:`docs`."""
        predictor, doc = self._predictor(), None
        if predictor is not None and text:
            doc = cut_doc(text, predictor, self._words_met(), self.cfg["keep_runs"], begin_tags(self.cfg["tags"]))
        return next(self.docs([text])) if doc is None else doc

    def matches(self, text: str) -> list[Match]:
        """Where the user's words occur in a text, which of them it is cut into if they are law, and what the others give way to."""
        if (predictor := self._predictor()) is None:
            words = Dictionary([], self.user_words).table
        else:
            predictor.read_words(self.cfg["lexicon"], self.user_words)
            words = predictor.known_words
        return find_matches(text, self._characters, words, self.cfg["keep_runs"])

    def _words_met(self) -> WordOrths:
        if self._word_orths.vocab is not self.vocab:
            self._word_orths = WordOrths(self.vocab)
        return self._word_orths

    def predict(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """The best tags of each doc's characters, without white space: a list of int32[n_characters]."""
        chars = self._characters.read([doc_text(doc) for doc in docs])
        borders = np.searchsorted(chars.at, chars.texts)
        return np.split(self._label(chars), borders[1:-1])

    def segment(self, docs: Iterable[Doc]) -> list[Doc]:
        """New Docs of words, with the annotation of the given Docs, see :func:`.carry.carry_over`."""
        docs = list(docs)
        return self.finish(docs, [self.work(docs)])

    def work(self, docs: Sequence[Doc]) -> Cut:
        texts = [doc_text(doc) for doc in docs]
        if not self.tells(docs):
            return Cut(texts, *self._tokens(texts), None)
        considered = consider_characters(self.predictor(self.vocab), self._characters, texts, self.cfg)
        told = told_of(considered, self.calibrations)
        return Cut(texts, *self._tokens(texts, np.concatenate(told)), told)

    def finish(self, docs: Sequence[Doc], found: Sequence[Cut]) -> list[Doc]:
        new, rest = list[Doc](), iter(docs)
        for cut in found:
            new += self._segmented(list(islice(rest, len(cut.texts))), cut)
        return new

    def _segmented(self, docs: Sequence[Doc], cut: Cut) -> list[Doc]:
        if any(doc.vocab is not self.vocab for doc in docs):
            pairs = zip(docs, split_words(cut.texts, cut.tokens), strict=True)
            new: Iterable[Doc] = (true_doc(doc.vocab, words, spaces) for doc, (words, spaces) in pairs)
        else:
            new = self._words_met().docs(cut.texts, cut.codes, cut.tokens)
        found = [carry_over(*pair) for pair in zip(docs, new, strict=True)]
        return found if cut.told is None else with_words(found, self.name, cut.told.confidences)

    def __call__(self, doc: Doc) -> Doc:
        """Return a new Doc of words."""
        error_handler = self.get_error_handler()
        try:
            return self.segment([doc])[0]
        except Exception as error:
            error_handler(self.name, self, [doc], error)
            return doc

    def predictor(self, vocab: Vocab) -> CharacterPredictor:
        predictor = self._predictor()
        assert predictor is not None
        return predictor

    def considered(self, docs: Sequence[Doc], held: bool = True) -> ConsideredCharacters:
        return consider_characters(self.predictor(self.vocab), self._characters, list(map(doc_text, docs)), self.cfg)

    def positions(self, docs: Sequence[Doc]) -> Positions:
        return character_positions(self._characters, docs, self.cfg["keep_runs"], self.cfg["tags"])

    def decisions(self, doc: Doc) -> list[Decision]:
        """A decision for each place between two characters that have no white space between them; start and end count characters of the text."""
        return border_decisions(self.explained(doc), doc_text(doc), self.cfg["tags"])

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Raise NotImplementedError (M412): words are written into new Docs."""
        raise NotImplementedError(Errors.M412.format(name=self.name))

    def _model_bytes(self) -> bytes:
        self.cfg |= self.user_words.settings()
        return super()._model_bytes()

    def check_stored(self, cfg: dict[str, Any], weights: ChainWeights, learned: Mapping[str, FormTable]) -> None:
        check_segmenter(cfg, weights, learned)

    def _load_model(self, data: bytes, where: str, table_bytes: bytes | None = None) -> None:
        super()._load_model(data, where, table_bytes)
        self.user_words = UserWords.of_settings(self.cfg)

    def take_prior(self, path: Path, prior_weight: float, labels: Sequence[str] | None) -> None:
        """As in the base class. The user's words are added to those that have been saved; what they are counts more than what those were."""
        words = self.user_words
        try:
            super().take_prior(path, prior_weight, labels)
        except ValueError:
            self.user_words = words
            raise
        if words.role != "hint":
            self.user_words.become(words.role, words.weight)
        self.user_words.update(words)
