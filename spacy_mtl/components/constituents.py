"""mtl_constituents: labelled, nested spans of words within the given sentences of a tagged Doc."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.constituents.binarize import Binarization, is_label, plain
from spacy_mtl.constituents.tree import SPANS_KEY
from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.learning.constituents import GrammarLearner
from spacy_mtl.learning.gather import Piece, content_key
from spacy_mtl.learning.gold_constituents import gold_constituents
from spacy_mtl.learning.grammar import GrammarRules
from spacy_mtl.learning.learner import Learner
from spacy_mtl.models.grammar.architecture import predict_constituents, predictor_of
from spacy_mtl.models.grammar.predict import expanded
from spacy_mtl.models.grammar.rules import MOST_MARGIN, ParseRules, check_grammar
from spacy_mtl.models.grammar.weights import GrammarWeights
from spacy_mtl.sentences import borders
from spacy_mtl.settings import is_choice, is_number, is_whole
from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.stored.values import distinct_texts, number
from spacy_mtl.structures.grammar.build import grammar_offers
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template
from spacy_mtl.templates.spans.program import check_span_templates
from spacy_mtl.trainers.base import Trainer

from .bordered import BorderedPipe
from .protocol.places import check_places
from .protocol.settings import refuse

if TYPE_CHECKING:
    from spacy_mtl.confidence.grammar import ConsideredConstituents
    from spacy_mtl.confidence.result import Confidence
    from spacy_mtl.explaining.decision import Decision
    from spacy_mtl.models.grammar.predict import GrammarPredictor


def constituent_labels(value: Any, name: str) -> list[str]:
    """Check a list of labels of constituents in a file. Raises StoredValueError."""
    for label in distinct_texts(value, name):
        if not is_label(label):
            raise StoredValueError(f"{name} has {shown(label)}, which cannot be the label of a constituent")
    return value


class MTLConstituents(BorderedPipe):
    """Finds constituents by a binarized grammar of a treebank. Sentence borders and tags come from other components or the reader.

    Raises ValueError: M129 a template that looks at a position (%x) or an arc, M126 or M130 invalid templates of spans, M301 a trainer that needs
    more than grammars offer, M419 a setting out of range.
    """

    counts_as_whole = "the rules of its grammar"
    architecture = "spacy_mtl.TemplateGrammar.v1"
    gold_attributes = ("SENT_START",)
    piece = 100
    also_reads = ("SENT_START", "TAG")
    label_key = "labels"
    no_labels = Errors.M460
    decided = ("constituent",)
    cfg_checks: ClassVar = {
        "labels": constituent_labels,
        "symbols": distinct_texts,
        "tags": distinct_texts,
        "margin": number(0, MOST_MARGIN),
    }

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_constituents",
        *,
        trainer: Trainer,
        spans_key: str = SPANS_KEY,
        horizontal: int = 0,
        vertical: int = 1,
        side: str = "left",
        support: str = "gold",
        learn_margin: float = 6.0,
        margin: float = 8.0,
        rest_cost: float = 1.0,
        max_words: int | None = 100,
        max_unsplit: int | None = 100,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        if not isinstance(spans_key, str) or not spans_key:
            refuse(name, "spans_key", "a key of doc.spans", spans_key)
        if not is_whole(horizontal, 0, 10):
            refuse(name, "horizontal", "a whole number from 0 to 10", horizontal)
        if not is_whole(vertical, 1, 2):
            refuse(name, "vertical", "1 or 2", vertical)
        for setting, choice, known in (("side", side, ("left", "right")), ("support", support, ("gold", "all"))):
            if not is_choice(choice, known):
                refuse(name, setting, " or ".join(known), choice)
        for setting, figure, most in (
            ("learn_margin", learn_margin, MOST_MARGIN), ("margin", margin, MOST_MARGIN), ("rest_cost", rest_cost, 1e6),
        ):  # fmt: skip
            if not is_number(figure, 0, most):
                refuse(name, setting, f"a number from 0 to {most:g}", figure)
        if max_unsplit is not None and not is_whole(max_unsplit):
            refuse(name, "max_unsplit", "a whole number of at least 0, or null", max_unsplit)
        self.spans_key, self.max_words, self.max_unsplit = spans_key, max_words, max_unsplit
        self.learning = GrammarRules(Binarization(horizontal, vertical, side), learn_margin, rest_cost, support)
        self._warned = False
        self.cfg = {"labels": [], "symbols": [], "tags": [], "margin": margin}
        self._margin = margin

    @property
    def max_words(self) -> int | None:
        """Longer sentences get no constituents; None for no limit but that of memory. Another value raises ValueError (M419)."""
        return self._max_words

    @max_words.setter
    def max_words(self, value: int | None) -> None:
        if value is not None and not is_whole(value, 1):
            refuse(self.name, "max_words", "a whole number of at least 1, or null", value)
        self._max_words = value

    # --- what is saved ---

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        """The symbols of the grammar."""
        return tuple(cfg["symbols"])

    def check_stored(self, cfg: dict[str, Any], weights: GrammarWeights, learned: Mapping[str, FormTable]) -> None:
        check_grammar(weights, ParseRules(tuple(cfg["tags"]), cfg["margin"]))

    def model_constraints(self) -> ParseRules:
        return ParseRules(tuple(self.cfg["tags"]), float(self.cfg["margin"]))

    def adopt(self, learner: Learner) -> None:
        assert isinstance(learner, GrammarLearner)
        grammar = learner.grammar
        self.cfg.update(symbols=list(grammar.symbols), tags=list(grammar.tags), margin=self._margin)

    def untrained(self) -> GrammarWeights:
        return GrammarWeights()

    # --- training ---

    def check_templates(self, templates: Sequence[Template]) -> None:
        check_places(self.name, templates, "ijkd", "spans", "%i, %j, %k and %d")
        check_span_templates(templates)

    def check_trainer(self) -> None:
        self.trainer.check(grammar_offers(), "context-free grammar")

    def make_reader(self) -> AttributeReader:
        attributes = list(dict.fromkeys([*self.templates.attributes, "TAG"]))
        return AttributeReader(attributes, self.vocab, learned=self.tables)

    def make_learner(self) -> GrammarLearner:
        assert self._reader is not None
        return GrammarLearner(
            self.name, self.trainer, self.templates, self._reader, self.labels, self.learning, self.max_words
        )  # fmt: skip

    def learn_on(self, prior_weight: float = 1.0) -> None:
        """Refuse to learn in addition to the weights that the model has. Raises ValueError (M464)."""
        raise ValueError(Errors.M464.format(name=self.name))

    def take_prior(self, path: Path, prior_weight: float, labels: Sequence[str] | None) -> None:
        """As :meth:`learn_on`."""
        self.learn_on(prior_weight)

    def set_labels(self, labels: Sequence[str]) -> None:
        """Set the labels of constituents. Raises ValueError (M461) for one that a constituent cannot have."""
        for label in labels:
            if not is_label(label):
                raise ValueError(Errors.M461.format(name=self.name, label=label))
        super().set_labels(labels)

    def labels_of(self, doc: Doc) -> set[str]:
        return {span.label_ for span in doc.spans.get(self.spans_key, ())}

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Collect the labels of the corpus. Raises ValueError: M460, M461."""
        self.cfg.update(symbols=[], tags=[], margin=self._margin)
        references = list(references)
        if not self.labels and not any(map(self.labels_of, references)):
            raise ValueError(Errors.M460.format(name=self.name, n=len(references), key=self.spans_key))
        super().collect_labels(references)

    def key_of(self, reference: Doc) -> bytes:
        spans = [(span.start, span.end, span.label) for span in reference.spans.get(self.spans_key, ())]
        return content_key(reference, self.gold_attributes, np.array(spans, np.uint64).tobytes())

    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """0 for words of sentences with a known tree, -1 for others, int32[n]. Raises ValueError as :meth:`piece_of` does."""
        return self._gold(example, starts)[0]

    def piece_of(self, key: bytes, example: Example, given: np.ndarray, starts: np.ndarray) -> Piece:
        """A document as training sees it.

        Raises ValueError: M440 and M457 about sentence borders, M463 for constituents that cross each other.
        """
        return Piece(key, given, starts, *self._gold(example, starts))

    def _gold(self, example: Example, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.check_gold_borders(example)
        numbers = {label: number for number, label in enumerate(self.labels)}
        return gold_constituents(example, starts, self.spans_key, numbers, self.name)

    # --- prediction ---

    def predict(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """The constituents of each doc, int32[k, 3]: first word, end and symbol, each before those inside it.

        Raises ValueError: M440 a long doc without sentence boundaries, M444 a doc without an attribute that the templates read, or without tags.
        """
        docs = list(docs)
        for doc in docs:
            self.check_borders(doc)
        self._warn_of_long(docs)
        return self.told(docs) if self.tells(docs) else predict_constituents(self.model, docs, self.max_words)

    def nothing(self) -> np.ndarray:
        return np.empty((0, 3), np.int32)

    def considered(self, docs: Sequence[Doc], held: bool = True) -> "ConsideredConstituents":
        from spacy_mtl.confidence.grammar import ConsideredConstituents

        for doc in docs:
            self.check_borders(doc)
        predictor = predictor_of(self.model, docs)
        found = predictor.sentences(docs, self.max_words)
        return ConsideredConstituents(predictor, [len(doc) for doc in docs], self.labels, *found)

    def told_gold(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold constituents, int32[k, 3]: first word, end and label, of sentences with a known tree."""
        return self._gold(example, starts)[1]

    def _warn_of_long(self, docs: Sequence[Doc]) -> None:
        """Warn once (M453) of a sentence that gets no constituents because it is too long."""
        predictor = None if self._warned else predictor_of(self.model, docs)
        if predictor is None:
            return
        most, longest = predictor.longest(self.max_words), int(np.diff(borders(docs)).max(initial=0))
        if longest > most:
            self._warned = True
            warnings.warn(Warnings.M453.format(name=self.name, longest=longest, most=most), stacklevel=3)

    def make_ready(self, vocab: Vocab) -> None:
        if self.is_trained:
            self.predictor(Doc(vocab, words=["x"]))

    def predictor(self, doc: Doc) -> "GrammarPredictor":
        """What finds constituents in documents such as this one. Only for a trained component."""
        return predictor_of(self.model, [doc])

    def decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each constituent."""
        from spacy_mtl.explaining.grammar import grammar_decisions

        self.check_borders(doc)
        return grammar_decisions(self.predictor(doc), doc, self.max_words)

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Write ``doc.spans[spans_key]``, in place of what is there. scores: what :meth:`predict` returned.

        Raises ValueError (M465) for constituents of other documents.
        """
        docs, labels = list(docs), [plain(symbol) for symbol in self.model_labels]
        ends = [int(found[:, 1].max(initial=0)) for found in scores]
        if len(docs) != len(ends) or any(end > len(doc) for doc, end in zip(docs, ends, strict=True)):
            raise ValueError(
                Errors.M465.format(
                    name=self.name, found=len(ends), words=ends, docs=len(docs), lengths=[*map(len, docs)]
                )
            )
        for doc, found in zip(docs, scores, strict=True):
            lines = expanded(found.tolist(), labels)
            doc.spans[self.spans_key] = [Span(doc, start, end, label) for start, end, label in lines]
        self.write_confidence(docs, scores)

    def write_spans(self, doc: Doc, confidence: "Confidence") -> None:
        """Give the constituents their probabilities, as ``doc.spans[spans_key].attrs["scores"]``."""
        doc.spans[self.spans_key].attrs["scores"] = confidence.of_spans.probabilities
