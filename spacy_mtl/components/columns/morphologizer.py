"""mtl_morphologizer: parts of speech, morphological features and tags, as analyses that chains over their factors agree on."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.attrs import IDS as ATTRIBUTES
from spacy.attrs import ORTH
from spacy.parts_of_speech import IDS
from spacy.parts_of_speech import NAMES as PARTS
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.components.protocol.settings import check_count, check_switches, refuse
from spacy_mtl.errors import Errors
from spacy_mtl.learning.chain import ChainLearner
from spacy_mtl.learning.counted.known_words import known_forms
from spacy_mtl.learning.counted.stems import count_stems
from spacy_mtl.learning.counted.usual_tags import added_tags, count_usual_tags, tag_counts, usual_tags
from spacy_mtl.learning.factored import FactoredLearner
from spacy_mtl.learning.learner import Learner
from spacy_mtl.learning.streamed import Corpus, to_go_through
from spacy_mtl.models.by_vocab import vocabs_of
from spacy_mtl.models.chain.decode import Held
from spacy_mtl.models.chain.factored import of_factor
from spacy_mtl.models.chain.prior import ChainPrior
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.morphology.analysis import Analysis, complete, is_analysis, parse_analysis
from spacy_mtl.morphology.factors import Factors, factor_of, group_features
from spacy_mtl.settings import shown
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import boolean, distinct_texts, list_of, mapping
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.learned import STEM_TAG, USUAL_TAG, FormTable, tables_of
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template
from spacy_mtl.trainers.base import Trainer

from .pipe import KnownWordsPipe, aligned, words_of

if TYPE_CHECKING:
    from spacy_mtl.confidence.considered import ConsideredDocs
    from spacy_mtl.explaining.decision import Decision


class MTLMorphologizer(KnownWordsPipe):
    """Morphologizer over linear chains. Raises ValueError: M419 a setting out of range, M425 a template that scores label pairs by an observation."""

    joins = frozenset({USUAL_TAG, STEM_TAG})
    label_key = "analyses"
    decided = ("analysis",)
    fixed = ("groups", "tags")
    no_labels = Errors.M427
    cfg_checks: ClassVar = {
        "analyses": distinct_texts,
        "groups": list_of(distinct_texts, 0, 100),
        "known": mapping,
        "tags": boolean,
    }
    cfg_missing: ClassVar = {"tags": False}
    of_training = (*KnownWordsPipe.of_training, "_texts")
    #: What :meth:`_values` has found, after what it is made of.
    _found_values: tuple[Any, dict[str, list[np.ndarray]]] = (None, {})

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_morphologizer",
        *,
        trainer: Trainer,
        known_words: int = 1,
        max_values: int = 40,
        tags: bool = False,
        overwrite: bool = False,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        check_count(name, "known_words", known_words)
        check_count(name, "max_values", max_values)
        if not max_values:
            refuse(name, "max_values", "at least 1", max_values)
        check_switches(name, tags=tags, overwrite=overwrite)
        self.cfg = {"analyses": [], "groups": [], "known": {}, "tags": tags}
        self.known_words = known_words
        self.max_values = max_values
        self.overwrite = overwrite

    @property
    def gold_attributes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What analyses say."""
        return ("POS", "MORPH", "TAG") if self.cfg["tags"] else ("POS", "MORPH")

    def _end_training(self) -> None:
        super()._end_training()
        self._texts: dict[tuple[int, ...], int] = {}  # analyses of POS, MORPH and TAG, all of them string hashes

    # --- labels ---

    def check_templates(self, templates: Sequence[Template]) -> None:
        super().check_templates(templates)
        for template in templates:
            if template.is_edge and template.observations:
                raise ValueError(Errors.M425.format(name=self.name, template=template.text))

    def check_stored(self, cfg: dict[str, Any], weights: ChainWeights, learned: Mapping[str, FormTable]) -> None:
        super().check_stored(cfg, weights, learned)
        tags = [parse_analysis(label).tag for label in cfg["analyses"]]
        if any(tags) and not cfg["tags"]:
            raise StoredValueError("it has tags, but its settings say that it has none")
        if weights.pair_keys.size:
            raise StoredValueError("its label pairs have observations")
        if bool(cfg["analyses"]) != bool(cfg["groups"]):
            raise StoredValueError("it has analyses without factors, or factors without analyses")

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        return Factors(cfg["analyses"], cfg["groups"]).labels if cfg["groups"] else ()

    def label_kind(self, label: str) -> tuple[str, str]:
        return factor_of(label), ""

    def set_labels(self, labels: Sequence[str]) -> None:
        """Set the analyses. Raises ValueError: M424 for a label that is none."""
        for label in labels:
            try:
                parse_analysis(label)
            except StoredValueError:
                raise ValueError(Errors.M424.format(name=self.name, label=shown(label))) from None
        super().set_labels(labels)
        if labels and not self.cfg["groups"]:
            self.cfg["groups"] = group_features(dict.fromkeys(labels, 1), self.max_values)

    def labels_of(self, doc: Doc) -> set[str]:
        """The analyses that say all that the known ones say: of a corpus with features, those without are incomplete."""
        found = {self.vocab.strings[text] for text in np.unique(self.label_column(doc)).tolist() if text}
        return complete(found, found | set(self.labels))

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Add the analyses of the corpus to those already given, divide them into factors, and count the usual analyses of words."""
        references = to_go_through(references)
        self._take_analyses(self._counted_analyses(references), len(references))
        self.check_forms(references)
        self.learn_attribute(
            USUAL_TAG, lambda: count_usual_tags(references, self.labels, columns_of=self._orths_and_analyses)
        )
        self.learn_attribute(STEM_TAG, lambda: count_stems(words_of(references)))

    def survey(self, references: Corpus[Doc]) -> dict[str, Any]:
        found: dict[str, Any] = {"analyses": self._counted_analyses(references)}
        read = tables_of(self.templates.attributes)
        if USUAL_TAG in read:
            found["tags"] = tag_counts(references, self._orths_and_analyses)
        if STEM_TAG in read:
            found["words"] = set(words_of(references))
        return found

    def settle(self, surveys: Sequence[dict[str, Any]]) -> None:
        counts: Counter[str] = Counter()
        for each in surveys:
            counts.update(each["analyses"])
        self.cfg[self.label_key] = [label for label in self.labels if not counts[label]]  # those that were given
        self._take_analyses(counts, len(surveys))
        self.learn_attribute(USUAL_TAG, lambda: usual_tags(added_tags(each["tags"] for each in surveys), self.labels))
        self.learn_attribute(STEM_TAG, lambda: count_stems(word for each in surveys for word in each["words"]))

    def _counted_analyses(self, references: Iterable[Doc]) -> Counter[str]:
        """How often each analysis occurs."""
        counts: Counter[str] = Counter()
        for doc in references:
            numbers, n = np.unique(self.label_column(doc), return_counts=True)
            counts.update(
                {self.vocab.strings[t]: int(k) for t, k in zip(numbers.tolist(), n.tolist(), strict=True) if t}
            )
        return counts

    def _take_analyses(self, counts: Counter[str], n: int) -> None:
        """Add analyses to those already given, and divide them into factors. n: of documents, for the message."""
        found = complete(set(counts), set(counts) | set(self.labels))
        if not found and not self.labels:
            raise ValueError(self.no_labels.format(name=self.name, n=n))
        new = sorted(
            found.difference(self.labels), key=lambda label: (-counts[label], label)
        )  # of equal scores the first is chosen
        labels = [*self.labels, *new]
        self.cfg["groups"] = group_features({label: counts[label] or 1 for label in labels}, self.max_values)
        self.set_labels(labels)

    def _orths_and_analyses(self, doc: Doc) -> np.ndarray:
        return np.stack([doc.to_array(ORTH), self.label_column(doc)], axis=1)

    def label_column(self, reference: Doc) -> np.ndarray:
        """The string hashes of a document's analyses, uint64[n]; 0 where nothing is annotated."""
        return self._of_columns(columns_of(reference, self.gold_attributes))

    def _of_columns(self, columns: np.ndarray) -> np.ndarray:
        """The same for what ``gold_attributes`` are, uint64[n, 2 or 3]."""
        strings, known = self.vocab.strings, self._texts
        found = np.zeros(len(columns), np.uint64)
        for i, values in enumerate(map(tuple, columns.tolist())):
            if values not in known:
                pos, *others = values
                text = Analysis(PARTS[pos], *(strings[each] if each else "" for each in others)).text
                known[values] = strings.add(text) if is_analysis(text) else 0
            found[i] = known[values]
        return found

    # --- the chains ---

    @property
    def _factors(self) -> Factors:
        return Factors(self.cfg["analyses"], self.cfg["groups"])

    def chain_constraints(self) -> Constraints:
        factors = self._factors
        forms, allowed = known_forms(self.cfg["known"], len(factors.table), self.vocab.strings)
        return replace(Constraints.none(len(factors.labels)), forms=forms, form_labels=allowed, table=factors.table)

    def make_reader(self) -> AttributeReader:
        learned: dict[str, Any] = {USUAL_TAG: {}, STEM_TAG: {}, **self.tables}
        return AttributeReader(self.templates.attributes, self.vocab, learned=learned)

    def make_learner(self) -> Learner:  # type: ignore[override]
        factors = self._factors

        def of_factor_number(g: int) -> ChainLearner:
            begin, end = factors.borders[g : g + 2].tolist()
            labels = factors.labels[begin:end]
            prior = None
            if self._earlier is not None:
                known = self.known_before(labels)
                prior = ChainPrior(of_factor(self._earlier, begin, end), self._prior_weight, known)
            assert self._reader is not None
            return ChainLearner(
                self.name, self.trainer, self.templates, self._reader, labels,
                Constraints.none(len(labels)), None, prior,
            )  # fmt: skip

        return FactoredLearner(of_factor_number, factors.table, factors.borders)

    def refresh(self, learner: Learner) -> None:
        """Nothing of the corpus is a setting of the training: known words are held to their analyses in prediction alone."""

    def gold_column(self, example: Example) -> np.ndarray:
        columns = columns_of(example.reference, self.gold_attributes).T
        return self._of_columns(np.stack([aligned(example, column) for column in columns], axis=1))

    def held(self, docs: Sequence[Doc]) -> Held | None:
        """The analyses that have what tokens have already of their columns; any where no analysis of the model has all of it."""
        given = np.concatenate([columns_of(doc, self.gold_attributes) for doc in docs])
        at = np.flatnonzero(given.any(axis=1))
        if self.overwrite or not at.size:
            return None
        allowed = np.ones((at.size, len(self.labels)), bool)
        for column, values in zip(given[at].T, self._values("_"), strict=True):
            allowed &= (column[:, None] == 0) | (values == column[:, None])
        some = allowed.any(axis=1)
        return Held(at[some], allowed[some]) if some.any() else None

    def _values(self, nothing: str = "") -> list[np.ndarray]:
        """What each analysis says of each of ``gold_attributes``, uint64[A]; found once for each list of labels.

        nothing: the features of an analysis that knows none.
        """
        made_of = self.labels, self.vocab, self.cfg["tags"]
        if self._found_values[0] != made_of:
            self._found_values = made_of, {}
        found = self._found_values[1]
        if nothing not in found:
            found[nothing] = self._values_of(made_of[0], nothing)
        return found[nothing]

    def _values_of(self, labels: Sequence[str], nothing: str) -> list[np.ndarray]:
        analyses, morphology = [parse_analysis(label) for label in labels], self.vocab.morphology
        feats = [each.feats or nothing for each in analyses]
        columns = [
            [IDS[each.pos] for each in analyses],
            [morphology.add(each) if each else 0 for each in feats],
            [self.vocab.strings.add(each.tag) if each.tag else 0 for each in analyses],
        ]
        return [np.array(column, np.uint64) for column in columns[: len(self.gold_attributes)]]

    def considered(self, docs: Sequence[Doc], held: bool = True) -> "ConsideredDocs":  # type: ignore[override]
        from spacy_mtl.confidence.analyses import ConsideredAnalyses
        from spacy_mtl.models.chain.analyses import AnalysisPredictor

        predictor = self.predictor(docs[0].vocab)
        assert isinstance(predictor, AnalysisPredictor)
        return ConsideredAnalyses(
            self.decided[0], predictor.analyses(docs, self.held(docs) if held else None), self.labels
        )

    def decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each token: its analysis."""
        from spacy_mtl.explaining.analyses import analysis_decisions
        from spacy_mtl.models.chain.analyses import AnalysisPredictor

        predictor = self.predictor(doc.vocab)
        assert isinstance(predictor, AnalysisPredictor)
        return analysis_decisions("analysis", predictor, self.positions([doc]), self.labels)

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Write ``token.pos`` and ``token.morph``, and ``token.tag`` where it is learnt. scores: what :meth:`predict` returned."""
        if not self.labels:
            return
        docs, columns = list(docs), self._values()
        for vocab in vocabs_of(docs):
            if vocab is not self.vocab:
                self._add_strings(vocab)
        for doc, numbers in zip(docs, scores, strict=True):
            if len(doc):
                for attr, values in zip(self.gold_attributes, columns, strict=True):
                    if values.any():
                        self.write(doc, ATTRIBUTES[attr], values[numbers])
        self.write_confidence(docs, scores)

    def _add_strings(self, vocab: Vocab) -> None:
        """Let another vocabulary know what analyses say."""
        for label, each in zip(self.labels, map(parse_analysis, self.labels), strict=True):
            vocab.strings.add(label)
            vocab.morphology.add(each.feats or "_")
            vocab.strings.add(each.tag)


def columns_of(doc: Doc, attributes: Sequence[str]) -> np.ndarray:
    """These attributes of each token, uint64[n, k]."""
    return doc.to_array(list(attributes)).reshape(len(doc), len(attributes))
