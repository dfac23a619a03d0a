"""mtl_parser: labelled dependency trees, projective or not, within the given sentences of a Doc."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.learning.gold_trees import crossing_arcs, encode, gold_trees, has_several_roots
from spacy_mtl.learning.learner import Learner
from spacy_mtl.learning.streamed import Corpus, to_go_through
from spacy_mtl.learning.tree import TreeLearner
from spacy_mtl.models.by_vocab import share_strings
from spacy_mtl.models.relabel import relabelled_tree
from spacy_mtl.models.tree.features import TreeTemplates
from spacy_mtl.models.tree.model import predict_trees, predictor_of
from spacy_mtl.models.tree.prior import TreePrior
from spacy_mtl.models.tree.rules import TreeRules, check_rules, check_tree
from spacy_mtl.models.tree.weights import TreeWeights
from spacy_mtl.roots import FEW_CROSSING, ROOT, heads_to_doc, start_marks
from spacy_mtl.sentences import borders
from spacy_mtl.settings import brief, is_choice, is_number, is_switch, is_whole
from spacy_mtl.stored.values import distinct_texts
from spacy_mtl.structures.tree.build import tree_offers
from spacy_mtl.templates.arcs.program import check_arc_templates
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.grammar import Template
from spacy_mtl.trainers.base import Trainer

from .bordered import BorderedPipe
from .factories import make_parser  # noqa: F401  (earlier installations have it as their entry point)
from .protocol.places import check_places
from .protocol.settings import refuse

if TYPE_CHECKING:
    from spacy_mtl.confidence.tree import ConsideredTrees
    from spacy_mtl.explaining.decision import Decision
    from spacy_mtl.models.tree.predict import TreePredictor

#: The label of all arcs of a parser without labels.
UNLABELLED = "dep"


class MTLParser(BorderedPipe):
    """Dependency parser. Sentence borders come from another component or the reader and are never changed.

    Raises ValueError: M129 a template that reads a position (%x), M126 or M130 invalid arc templates, M301 a trainer that needs more than
    its trees offer, M441 a setting out of range.
    """

    architecture = "spacy_mtl.TemplateTree.v1"
    gold_attributes = ("HEAD", "DEP")
    piece = 1000
    label_key = "labels"
    no_labels = Errors.M443
    decided = ("arc", "label")
    cfg_checks: ClassVar = {"labels": distinct_texts, "rules": check_rules}

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_parser",
        *,
        trainer: Trainer,
        projective: bool | None = None,
        roots: str = "auto",
        labelling: str = "second_pass",
        support: str = "gold",
        margin: float | None = 5.0,
        filter_attr: str | None = None,
        max_words: int | None = 500,
        max_unsplit: int | None = 100,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        for setting, value, known in (
            ("roots", roots, ("auto", "one", "several")),
            ("labelling", labelling, ("second_pass", "joint", "none")),
            ("support", support, ("gold", "all")),
        ):
            if not is_choice(value, known):
                raise ValueError(
                    Errors.M441.format(name=name, setting=setting, expected=" or ".join(known), value=brief(value))
                )
        if margin is not None and (not is_number(margin, 0, 1e9) or margin == 0):
            expected = "above 0, or null"
            raise ValueError(Errors.M441.format(name=name, setting="margin", expected=expected, value=brief(margin)))
        if projective is not None and not is_switch(projective):
            refuse(name, "projective", "true, false or null", projective)
        if max_words is not None and not is_whole(max_words, 2):
            refuse(name, "max_words", "a whole number of at least 2, or null", max_words)
        if max_unsplit is not None and not is_whole(max_unsplit, 0):
            refuse(name, "max_unsplit", "a whole number of at least 0, or null", max_unsplit)
        attributes = model.attrs["templates"].attributes
        if filter_attr is not None and filter_attr not in attributes:
            expected = f"an attribute that the templates read ({', '.join(attributes)}), or null"
            raise ValueError(
                Errors.M441.format(name=name, setting="filter_attr", expected=expected, value=brief(filter_attr))
            )
        kinds = TreeTemplates.of(model.attrs["templates"].templates)
        if labelling != "none" and not kinds.labels:
            expected = '"none", since no template scores labels (B...)'
            raise ValueError(Errors.M441.format(name=name, setting="labelling", expected=expected, value=labelling))
        for template in model.attrs["templates"].edge:
            if labelling == "joint" and any(obs.place == "c" for obs in template.observations):
                fault = 'looks at the tree, which labelling = "joint" does not have yet; use "second_pass"'
                raise ValueError(Errors.M130.format(template=template.text, fault=fault))
        self.roots = roots
        self.max_words, self.max_unsplit = max_words, max_unsplit
        self._warned = False
        self.projective = projective
        self.settings = TreeRules(projective is not False, roots != "several", labelling, support, margin, filter_attr)  # type: ignore[arg-type]
        self.cfg = {"labels": [], "rules": asdict(self.settings)}

    @property
    def rules(self) -> TreeRules:
        return TreeRules(**self.cfg["rules"])

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        """The labels that the weights score; empty for trees without labels, whatever labels were given."""
        return () if cfg["rules"]["labelling"] == "none" else tuple(cfg["labels"])

    def check_stored(self, cfg: dict[str, Any], weights: TreeWeights, learned: Mapping[str, FormTable]) -> None:
        check_tree(weights, TreeRules(**cfg["rules"]))

    def model_constraints(self) -> TreeRules:
        return self.rules

    def adopt(self, learner: Learner) -> None:
        assert isinstance(learner, TreeLearner)
        self.cfg["rules"] = asdict(learner.rules)

    def check_templates(self, templates: Sequence[Template]) -> None:
        check_places(self.name, templates, "hmsgbcd", "arcs", "%h, %m, %s, %g, %b, %c and %d")
        check_arc_templates(templates)

    def check_trainer(self) -> None:
        """Check the trainer against the settings alone, not against what an earlier corpus decided."""
        self._check_trainer(self.settings.projective)

    def _check_trainer(self, projective: bool) -> None:
        kinds = TreeTemplates.of(self.templates.templates)
        offers = tree_offers(projective, kinds.second_order, bool(kinds.grandparents))
        self.trainer.check(offers, "dependency tree")

    def untrained(self) -> TreeWeights:
        return TreeWeights()

    def make_learner(self) -> TreeLearner:
        assert self._reader is not None
        rules = self.rules
        if self._earlier is None:  # otherwise the filter stays
            rules = replace(
                rules, filter_attr=self.settings.filter_attr
            )  # a learner of fewer documents may have chosen another
        return TreeLearner(
            self.name,
            self.trainer,
            self.templates,
            self._reader,
            self.model_labels,
            rules,
            self._prior(),
        )

    def _prior(self) -> TreePrior | None:
        if self._earlier is None:
            return None
        known = self.known_before(self._earlier.labels)
        return TreePrior(self._earlier, self.rules, self.vocab, self._prior_weight, known, self.tables)

    def relabelled(self, weights: TreeWeights) -> TreeWeights:
        return relabelled_tree(weights, self.model_labels, lambda label: ("", ""))

    def renumbered(self, gold: np.ndarray, n_before: int) -> np.ndarray:
        before, now = max(n_before, 1), max(len(self.model_labels), 1)
        return np.where(gold >= 0, gold // before * now + gold % before, gold).astype(np.int32)

    def learn_labels(self, references: Sequence[Doc]) -> None:
        if self.rules.labelling != "none":
            super().learn_labels(references)

    def fixed_settings(self, cfg: dict[str, Any]) -> dict[str, Any]:
        return {"labelling": cfg["rules"]["labelling"]}

    @property
    def knows_labels(self) -> bool:
        return self.settings.labelling == "none" or super().knows_labels

    def is_annotated(self, reference: Doc) -> bool:
        return reference.has_annotation("DEP")

    def check_new(self, example: Example) -> None:
        if self.settings.labelling != "none":
            super().check_new(example)

    def labels_of(self, doc: Doc) -> set[str]:
        return {self.vocab.strings[int(dep)] for dep in np.unique(doc.to_array([DEP])) if dep} - {ROOT}

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Collect the labels of the corpus, and decide the settings that are left to it. Raises ValueError: M301, M443, M445."""
        references = to_go_through(references)
        if self.settings.labelling != "none":
            super().collect_labels(references)
        several = self.roots != "several" and any(has_several_roots(doc) for doc in references)
        self._decide(several, crossing_arcs(references) if self.projective is None else (0, 0))

    def survey(self, references: Corpus[Doc]) -> dict[str, Any]:
        return {
            **super().survey(references),
            "several": self.roots != "several" and any(has_several_roots(doc) for doc in references),
            "crossing": crossing_arcs(references) if self.projective is None else (0, 0),
        }

    def settle(self, surveys: Sequence[dict[str, Any]]) -> None:
        super().settle(surveys)
        crossed, arcs = (sum(survey["crossing"][k] for survey in surveys) for k in (0, 1))
        self._decide(any(survey["several"] for survey in surveys), (crossed, arcs))

    def _decide(self, several: bool, crossing: tuple[int, int]) -> None:
        """Decide the settings that are left to the corpus.

        several: whether a sentence has several roots. crossing: the number of arcs that others cross, and of all.
        """
        self.cfg["rules"] = asdict(self.settings)
        if several and self.roots == "one":
            raise ValueError(Errors.M445.format(name=self.name))
        if self.roots == "auto":
            self.cfg["rules"]["single_root"] = not several
        if self.projective is None:
            self.cfg["rules"]["projective"] = crossing[0] < FEW_CROSSING * max(crossing[1], 1)
            self._check_trainer(self.rules.projective)

    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold arcs of the predicted Doc's words as head * L + label; -1 where not annotated, not aligned, or the head is outside the sentence.

        Raises ValueError (M440, M457) if the predicted Doc has no sentence boundaries although it is long or the annotation has several sentences.
        """
        self.check_gold_borders(example)
        return encode(*gold_trees(example), starts, self.label_numbers())

    def label_numbers(self) -> dict[int, int]:
        """Label id -> label number."""
        return {self.vocab.strings[label]: number for number, label in enumerate(self.model_labels)}

    def predict(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """Heads and labels of each doc: a list of int32[2, n_tokens].

        Raises ValueError: M440 a long doc without sentence boundaries, M444 a doc without an attribute that the templates read.
        """
        docs = list(docs)
        for doc in docs:
            self.check_borders(doc)
        self._warn_of_long(docs)
        return self.told(docs) if self.tells(docs) else predict_trees(self.model, docs, self.max_words)

    def nothing(self) -> np.ndarray:
        return np.zeros((2, 0), np.int32)

    def considered(self, docs: Sequence[Doc], held: bool = True) -> "ConsideredTrees":
        from spacy_mtl.confidence.tree import ConsideredTrees
        from spacy_mtl.models.tree.predict import Run

        for doc in docs:
            self.check_borders(doc)
        predictor, runs = self.predictor(docs[0].vocab), list[Run]()
        trees, starts = predictor.considered(docs, self.max_words, runs)
        return ConsideredTrees(predictor, [len(doc) for doc in docs], starts, trees, runs)

    def _warn_of_long(self, docs: Sequence[Doc]) -> None:
        """Warn once (M450) of a sentence that is parsed in pieces."""
        if self.max_words is None or self._warned or max(map(len, docs), default=0) <= self.max_words:
            return
        longest = int(np.diff(borders(docs)).max(initial=0))
        if longest > self.max_words:
            self._warned = True
            warnings.warn(Warnings.M450.format(name=self.name, longest=longest, most=self.max_words), stacklevel=3)

    def make_ready(self, vocab: Vocab) -> None:
        if self.is_trained:
            self.predictor(vocab)

    def predictor(self, vocab: Vocab) -> "TreePredictor":
        """What parses documents of a vocabulary. Only for a trained component."""
        return predictor_of(self.model, vocab)

    def decisions(self, doc: Doc) -> "list[Decision]":
        """Two decisions for each word: its arc, and the label of that."""
        from spacy_mtl.explaining.tree import tree_decisions

        self.check_borders(doc)
        found, long = tree_decisions(self.predictor(doc.vocab), doc, self.max_words)
        if long:
            warnings.warn(Warnings.M476.format(name=self.name, longest=max(long), most=self.max_words), stacklevel=3)
        return found

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Write ``token.head`` and ``token.dep``, and where arcs may cross, the borders of sentences as they are, which heads do not tell there.

        scores: what :meth:`predict` returned. Raises ValueError (M446) for trees of other documents.
        """
        names = self.model_labels or (UNLABELLED,)
        ids = np.array([self.vocab.strings.add(label) for label in names], np.uint64)
        docs = list(docs)
        lengths, given = [len(doc) for doc in docs], [found.shape[1] for found in scores]
        if lengths != given:
            raise ValueError(Errors.M446.format(name=self.name, trees=given, words=lengths))
        share_strings(docs, (*names, ROOT))
        heads, labels = np.concatenate([np.empty((2, 0), np.int32), *scores], axis=1)
        starts = borders(docs)[:-1]
        columns = np.stack(heads_to_doc(heads, ids[labels], starts), axis=1)
        # where arcs may cross, what spaCy derives from heads need not be the borders
        marks = None if self.rules.projective else start_marks(starts, len(heads))
        end = 0
        for doc in docs:
            start, end = end, end + len(doc)
            if end > start:
                doc.from_array([HEAD, DEP], columns[start:end])  # type: ignore[arg-type]
                if marks is not None:
                    doc.from_array([SENT_START], marks[start:end])  # type: ignore[arg-type]
        self.write_confidence(docs, scores)
