"""StructuredPipe, the base of all components: spaCy's training protocol around a gathered corpus and a trainer."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.components.sharded.pipe import ShardedPipe
from spacy_mtl.errors import Errors
from spacy_mtl.explaining.template_table import TemplateTable
from spacy_mtl.learning.gather import Gatherer
from spacy_mtl.learning.history import Remembered
from spacy_mtl.learning.learner import check_set
from spacy_mtl.learning.streamed import Corpus, Stream, made_of, to_go_through
from spacy_mtl.models.chain.model import current_weights, set_weights
from spacy_mtl.models.dense import reads
from spacy_mtl.settings import brief
from spacy_mtl.tables.stored import Tables
from spacy_mtl.templates.attributes.derived import base_of
from spacy_mtl.templates.attributes.of_tables import check_given, check_read
from spacy_mtl.templates.attributes.reader import doc_attributes
from spacy_mtl.templates.fallbacks import absent_attributes
from spacy_mtl.trainers.base import Report, Trainer

from .annotated import OF_COMPONENTS, TENSOR, ComponentsBefore, annotated
from .given import warn_of_given
from .places import check_known
from .saved import ABSENT, OF_WEIGHTS
from .settings import refuse

if TYPE_CHECKING:
    from spacy_mtl.explaining.decision import Decision
    from spacy_mtl.explaining.explanation import Explanation

#: So many documents are looked at for attributes first.
FIRST = 200


class StructuredPipe(ShardedPipe):
    """A trainable component over some structure. Raises ValueError: M449 what is given as trainer is none, M759 a model of another architecture."""

    #: The name of the architecture of its model.
    architecture: ClassVar[str]

    def __init__(self, vocab: Vocab, model: Model, name: str, *, trainer: Trainer, scorer: Callable | None = None):
        if not isinstance(model.attrs.get("weights"), type(self.untrained())):
            raise ValueError(Errors.M759.format(name=name, expected=self.architecture, found=brief(model.name)))
        if not isinstance(trainer, Trainer):
            raise ValueError(Errors.M449.format(name=name, found=type(trainer).__name__))
        if scorer is not None and not callable(scorer):
            refuse(name, "scorer", "a scorer (from @scorers), or null", scorer)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.trainer = trainer
        self.scorer = scorer
        self.cfg: dict[str, Any] = {}
        self.remembered = Remembered()
        self._end_training()
        templates = model.attrs["templates"]
        self.check_templates(templates.templates)
        check_known(templates)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        tables: dict[str, Any] | None = None,
    ) -> None:
        """Read the corpus, or a sample of it, for its labels and for the documents that make up a full pass. Training starts from scratch.

        It is read once, or, if ``get_examples`` returns a :class:`.Stream`, several times, without being in memory as a whole.

        Documents that are not in it may come in ``update``. Without annotated examples, labels must be given here or by ``add_label``. What templates
        know of a corpus (usual tags, dictionary, breaks, groups of characters) is counted here.
        labels: as ``spacy init labels`` writes them; taken from the examples if missing. tables: clusters and lists of phrases that templates read,
        by name; if missing, those that the component has. Lists of the corpus's entities are filled.
        Raises ValueError: M111 a template's attribute is neither on the documents nor set by a component before this one, M127 or M132 only another
        component knows the attribute, M301 the trainer needs what the structure does not offer, M402 no examples and no labels, M403 no annotation,
        M406 a stream instead of a corpus, M809-M812 a table is missing or does not fit, M818 a list of the corpus's entities finds none; TypeError
        from spaCy if ``get_examples`` returns something other than examples.
        """
        self.check_trainer()
        config = nlp.config.interpolate() if nlp is not None else {}
        training = config.get("training", {})
        if not getattr(self, "overwrite", True):
            warn_of_given(self.name, config, self.gold_attributes)
        if training.get("max_epochs") == -1:
            raise ValueError(Errors.M406.format(name=self.name))
        self.vocab = self.vocab if nlp is None else nlp.vocab  # a sourced component belongs to this pipeline now
        if labels is not None:
            self.set_labels(labels)
        self._take_tables(tables)
        examples = self._checked_examples(get_examples)
        set_weights(self.model, self.untrained(), None)
        self.model.attrs["learned"] = {}
        for entry in (ABSENT, *OF_WEIGHTS):
            self.cfg.pop(entry, None)
        self.remembered = Remembered()
        self._end_training()
        self._reader = self.make_reader()
        if nlp is not None:
            needed = doc_attributes(self.templates.attributes)
            needed += [TENSOR] if reads(self.templates.dense, "t") else []
            self._before = ComponentsBefore(nlp, self.name, (*needed, *self.also_reads))
        references = made_of(attrgetter("reference"), examples)
        self._check_attributes(examples, nlp, training.get("annotating_components", ()))
        self.collect_labels(references)
        self.fill_lists(references)
        self.check_settings()
        self._gathered = Gatherer(Counter(map(self.key_of, references)))

    def _take_tables(self, tables: dict[str, Any] | None) -> None:
        """Read these tables from now on. Raises ValueError: M809-M812."""
        attributes = self.model.attrs["templates"].attributes
        if tables is not None:
            if not isinstance(tables, Mapping):
                refuse(self.name, "tables", "a table of tables", tables)
            check_given(self.name, tables, attributes)
            self.model.attrs["tables"] = Tables(tables)
        check_read(self.name, self.tables, attributes)

    def _checked_examples(self, get_examples: Callable[[], Iterable[Example]]) -> Corpus[Example]:
        """The examples; none where labels are given and there is no annotation, as with the blank example that spaCy makes of nothing.

        Raises ValueError: M402, M410.
        """
        examples = to_go_through(each_example(get_examples, f"{type(self).__name__}.initialize", self.check_vocab))
        known = self.knows_labels
        if not examples and not known:
            raise ValueError(Errors.M402.format(name=self.name))
        return examples if not known or any(self.is_annotated(example.reference) for example in examples) else []

    def check_vocab(self, example: Example) -> None:
        """Refuse a document of another vocabulary. Raises ValueError (M410)."""
        if example.predicted.vocab is not self.vocab:
            raise ValueError(Errors.M410.format(name=self.name))

    def _check_attributes(self, examples: Corpus[Example], nlp: Language | None, annotating: Sequence[str]) -> None:
        """Refuse templates with an attribute that no document has and no component will set. Raises ValueError (M111)."""
        assert self._reader is not None
        promised = annotated(nlp, annotating) if nlp is not None else frozenset()
        if promised is None or not examples:
            return
        if self._before is not None:
            promised |= self._before.promised()
        columns = self._telling(examples)
        while self._adapt_templates(columns, promised):
            columns = self._telling(examples)
        check_set(self.name, self._reader, columns, self.templates.templates, promised)

    def _telling(self, examples: Corpus[Example]) -> np.ndarray:
        """The columns of as many input documents as it takes to see which attributes say nothing, uint64[n_given, N].

        An attribute that says something about the first documents does so about all; only where one does not, all have to be read.
        """
        assert self._reader is not None
        columns = self._given(list(islice(examples, FIRST)))
        silent = absent_attributes(self.templates, columns, self._given_rows()) or self._reader.unset(columns)
        return self._given(examples) if silent and len(examples) > FIRST else columns

    def _given_rows(self) -> dict[str, int]:
        """The row of each attribute in the columns of an input document."""
        assert self._reader is not None
        return {attr: row for attr, row in self._reader.columns.items() if row < self._reader.n_given}

    def _given(self, examples: Corpus[Example]) -> np.ndarray:
        """The columns of the input documents, uint64[n_given, N]."""
        assert self._reader is not None
        return np.concatenate([self.read_input(self._reader, [each.predicted])[0][0] for each in examples], axis=1)

    def _adapt_templates(self, columns: np.ndarray, promised: frozenset[str]) -> bool:
        """Do without attributes that say nothing here (uint64[n_given, N]) and that no component will set, where there is a fallback.

        Behind a tagger that is so for all tags and lemmas that no component sets: texts will not have them, whatever the corpus has.
        Returns whether there were any, so that templates may now read others.
        """
        assert self._reader is not None
        names = self._given_rows()
        candidates = absent_attributes(self.templates, columns, names)
        if self._before is not None and self._before.sets_tags():
            candidates += [
                attr for attr, _ in self.templates.fallbacks if attr in names and base_of(attr) in OF_COMPONENTS
            ]
        absent = [attr for attr in dict.fromkeys(candidates) if base_of(attr) not in promised]
        if absent:
            self.cfg[ABSENT] = [*self.cfg.get(ABSENT, ()), *absent]
            self._reader = self.make_reader()
        return bool(absent)

    def finish_update(self, sgd: Any) -> None:
        """Do nothing: the trainer makes its own steps."""

    def use_params(self, params: dict) -> Iterator[None]:
        """Swap nothing, since an optimizer's averages never include these weights. A generator, because spaCy steps through it."""
        yield

    @property
    def report(self) -> Report | None:
        """Objective values of the current training; None outside training."""
        return self._learner.report() if self._learner is not None else None

    def evaluated(self, score: float | None) -> None:
        """Keep in the history what an evaluation during training found. score: of the dev corpus."""
        if self._learner is not None:
            self.remembered.for_training().evaluated(self.report, score)

    def explain(self, doc: Doc, tokens: bool = False) -> "Explanation":
        """Why the component decides as it does about a document: for each decision the best analysis without it, and what makes the difference.

        tokens: of a component that finds spans, a decision for each token instead, those outside of spans included: why is this no entity?
        The document has what the templates read, as when the component is called, and stays as it is. Raises ValueError (M475) while untrained.
        """
        from spacy_mtl.explaining.explanation import Explanation

        self.explained_weights()
        decisions = self.token_decisions if tokens else self.decisions
        return Explanation(self.name, doc.text, tuple(decisions(doc)) if len(doc) else ())

    def token_decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each token, where those of the component are about something else."""
        return self.decisions(doc)

    def explained_weights(self) -> Any:
        """The weights that predict. Raises ValueError (M475) while untrained."""
        weights = current_weights(self.model)
        if not weights.is_trained:
            raise ValueError(Errors.M475.format(name=self.name))
        return weights

    @abstractmethod
    def decisions(self, doc: Doc) -> "list[Decision]":
        """The decisions about a document with words, explained."""

    def template_weights(self) -> TemplateTable:
        """One dict per template: name, pattern, weight (mu), norm (||w_j||) and rows (the number of rows kept). Notebooks show it as a table."""
        lines = TemplateTable()
        for row in current_weights(self.model).templates:
            name, _, pattern = row.text.partition(":")
            lines.append({"name": name, "pattern": pattern, "weight": row.weight, "norm": row.norm, "rows": row.rows})
        return lines


def each_example(
    get_examples: Callable[[], Iterable[Example]], method: str, check: Callable[[Example], None] = lambda _: None
) -> Iterable[Example]:
    """The examples, each of which is checked as it is read. Raises TypeError as spaCy's components do, and what ``check`` raises."""
    examples = get_examples() if callable(get_examples) else None
    if not isinstance(examples, Iterable):
        validate_get_examples(get_examples if examples is None else lambda: examples, method)

    def checked() -> Iterator[Example]:
        for example in examples or ():
            validate_examples([example], method)
            check(example)
            yield example

    return Stream(checked) if isinstance(examples, Stream) else checked()
