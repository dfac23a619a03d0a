"""ChainPipe: a component over a linear chain, with one label per position."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors
from spacy_mtl.learning.chain import ChainLearner
from spacy_mtl.learning.learner import Learner
from spacy_mtl.models.chain.decode import Held
from spacy_mtl.models.chain.model import predict_labels, predictor_of
from spacy_mtl.models.chain.prior import ChainPrior
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.models.dense import reads, tensor_rows
from spacy_mtl.models.readable import check_tables
from spacy_mtl.models.relabel import relabelled_chain
from spacy_mtl.structures.chain.build import Constraints, chain_offers
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.grammar import Template

from .learning_on import ContinuedPipe
from .places import check_places

if TYPE_CHECKING:
    from spacy_mtl.confidence.chain import ConsideredChains
    from spacy_mtl.confidence.considered import ConsideredDocs
    from spacy_mtl.explaining.chain import Positions
    from spacy_mtl.explaining.chain_decisions import ExplainedChain
    from spacy_mtl.models.chain.predict import Predictor


class ChainPipe(ContinuedPipe):
    """A component over a linear chain. Subclasses define the labels of the chain and the allowed label sequences."""

    architecture = "spacy_mtl.TemplateChain.v1"
    #: The places that templates may look at (see :class:`.Observation`).
    places: ClassVar[str] = "xvt"
    #: The label of positions that no name of :meth:`label_kind` is of, if there is such a label.
    outside: ClassVar[str | None] = None
    #: Whether a document is one sequence, whatever its borders.
    whole: ClassVar[bool] = False

    @abstractmethod
    def chain_constraints(self) -> Constraints:
        """The allowed label sequences."""

    def cost_matrix(self) -> np.ndarray | None:
        """Cost float32[L, L] of predicting the column where the row is gold; None for Hamming cost."""
        return None

    @property
    def chain_labels(self) -> tuple[str, ...]:
        """Labels of the chain."""
        return self.model_labels

    def training_constraints(self) -> Constraints:
        """The label sequences that training allows, by default those of prediction."""
        return self.chain_constraints()

    def model_constraints(self) -> Constraints:
        return self.chain_constraints()

    def check_templates(self, templates: Sequence[Template]) -> None:
        check_places(self.name, templates, self.places, "positions of a sequence", "%x[offset,ATTRIBUTE]")

    def check_trainer(self) -> None:
        self.trainer.check(chain_offers(), "linear chain")

    def check_settings(self) -> None:
        """Refuse costs that do not fit the labels, and a vocabulary without vectors where templates read them. Raises ValueError (M484)."""
        self.cost_matrix()
        if reads(self.templates.dense, "v") and not self.vocab.vectors_length:
            raise ValueError(Errors.M484.format(name=self.name))

    def tensors_of(self, docs: Sequence[Doc]) -> list[np.ndarray]:
        self._refuse_learning_on()
        return [tensor_rows([doc]) for doc in docs] if reads(self.templates.dense, "t") else super().tensors_of(docs)

    def untrained(self) -> ChainWeights:
        return ChainWeights()

    def check_stored(self, cfg: dict[str, Any], weights: ChainWeights, learned: Mapping[str, FormTable]) -> None:
        check_tables(weights.live_templates().attributes, learned, words=False)

    def make_learner(self) -> ChainLearner:
        assert self._reader is not None
        return ChainLearner(
            self.name, self.trainer, self.templates, self._reader, self.chain_labels,
            self.training_constraints(), self.cost_matrix(), self._prior(),
        )  # fmt: skip

    def _prior(self) -> ChainPrior | None:
        if self._earlier is None:
            return None
        return ChainPrior(self._earlier, self._prior_weight, self.known_before(self._earlier.labels))

    def _refuse_learning_on(self) -> None:
        """Refuse to go on from a model whose templates read vectors. Raises ValueError (M485)."""
        if self._earlier is not None and self.templates.dense:
            raise ValueError(Errors.M485.format(name=self.name))

    def label_kind(self, label: str) -> tuple[str, str]:
        """The kind of a label of the chain, and the name of those that it belongs with; see :func:`.sources_of`. By default all are of one kind."""
        return "", ""

    def relabelled(self, weights: ChainWeights) -> ChainWeights:
        return relabelled_chain(weights, self.model_labels, self.label_kind, self.outside)

    def refresh(self, learner: Learner) -> None:
        assert isinstance(learner, ChainLearner)
        learner.constraints = self.training_constraints()

    def positions(self, docs: Sequence[Doc]) -> "Positions":
        """The positions of the chains of some documents, and what is read of them."""
        from spacy_mtl.explaining.chain import Positions

        return Positions.of_tokens(self.predictor(docs[0].vocab), docs, self.whole)

    def make_ready(self, vocab: Vocab) -> None:
        if self.is_trained:
            self.predictor(vocab)

    def predictor(self, vocab: Vocab) -> "Predictor":
        """What labels documents of a vocabulary. Only for a trained component."""
        return predictor_of(self.model, vocab)

    def explained(self, doc: Doc) -> "ExplainedChain":
        """A document as the model sees it."""
        from spacy_mtl.explaining.chain_decisions import ExplainedChain

        return ExplainedChain(self.predictor(doc.vocab), self.positions([doc]), self.label_bias())

    def label_bias(self) -> np.ndarray | None:
        """What prediction adds to the score of each label at every position, float32[L]; by default nothing."""
        return None

    def considered(self, docs: Sequence[Doc], held: bool = True) -> "ConsideredChains":
        from spacy_mtl.confidence.chain import ConsideredChains

        found = self.predictor(docs[0].vocab).considered(
            docs, self.whole, self.held(docs) if held else None, self.label_bias()
        )
        return ConsideredChains(self.decided[0], found, self.chain_labels)

    def is_told_more(self, doc: Doc, free: "ConsideredDocs") -> bool:
        held = self.held([doc])
        if held is None:
            return False
        predicted = free.predicted[0][held.at]
        return not bool(held.labels[np.arange(predicted.size), predicted].all())

    def predict(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """The best labels of each doc: a list of int32[n_tokens]."""
        docs = list(docs)
        if self.tells(docs):
            return self.told(docs)
        return predict_labels(self.model, docs, self.whole, self.held, self.label_bias())

    def held(self, docs: Sequence[Doc]) -> Held | None:
        """The labels that tokens of docs are held to, because the docs have them already; by default none."""
        return None
