"""ContinuedPipe: a trained component learns more. What it knows already stays as a prior, to which new weights are added."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy, deepcopy
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples

from spacy_mtl.components.threaded.pipe import ThreadedPipe
from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.learning.gather import Gatherer
from spacy_mtl.models.chain.model import current_weights, set_weights
from spacy_mtl.settings import is_number, shown

from .base import each_example
from .saved import UNLEARNT

#: The entries of ``cfg`` that say what the words of a corpus had.
_OF_WORDS = ("known", "lemmas", "beginnings")


class OpenGatherer(Gatherer):
    """The documents that come, whatever they are. A pass is over when as many have been shown as there were before it."""

    is_open = True

    def __init__(self) -> None:
        super().__init__(Counter())

    def await_all(self, n: int) -> None:
        """Let a pass end after at least n documents."""
        self.n_needed = max(self.n_needed, n)


class ContinuedPipe(ThreadedPipe):
    """A component that can learn on: w = prior weight * w_old + w_new, where only w_new is learnt, and regularized towards 0.

    The scores of the old weights on the new documents are constants of the training problem, so every trainer solves it as exactly as any other.
    """

    #: Names of the settings in ``cfg`` that a model cannot change when it learns on.
    fixed: ClassVar[tuple[str, ...]] = ()
    #: Names of the settings in ``cfg`` that may change at any time, and are saved with the model.
    free: ClassVar[tuple[str, ...]] = ()
    of_training: ClassVar[tuple[str, ...]] = (
        *ThreadedPipe.of_training,
        "_earlier",
        "_earlier_cfg",
        "_prior_weight",
        "_unlearnt",
    )

    def _end_training(self) -> None:
        super()._end_training()
        self._earlier: Any = None
        self._earlier_cfg: dict[str, Any] = {}
        self._prior_weight = 1.0
        self._unlearnt: frozenset[str] = frozenset()  # labels of the earlier model of which it has learnt nothing

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        tables: dict[str, Any] | None = None,
        prior: Path | None = None,
        prior_weight: float = 1.0,
    ) -> None:
        """As in the base class; with a prior, read the corpus for its labels and learn on from that model.

        prior: a saved pipeline with a component of this name, or the folder of a saved component, whose tables are read. prior_weight: see
        :meth:`learn_on`.
        Raises ValueError as :meth:`take_prior` does, M402 for no examples, and M410 for those of another vocabulary.
        """
        if prior is None:
            super().initialize(get_examples, nlp=nlp, labels=labels, tables=tables)
            return
        self.vocab = self.vocab if nlp is None else nlp.vocab
        examples = each_example(get_examples, f"{type(self).__name__}.initialize", self.check_vocab)
        references = [example.reference for example in examples]
        if not references:
            raise ValueError(Errors.M402.format(name=self.name))
        self.take_prior(Path(prior), prior_weight, labels)
        self.learn_labels(references)
        assert isinstance(self._gathered, OpenGatherer)
        self._gathered.await_all(len(references))

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "ContinuedPipe":
        """As in the base class, with a warning (M758) where the model was trained with other settings."""
        given = self._given_settings()
        super().from_bytes(bytes_data, exclude=exclude)
        self._warn_of_others(given)
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "ContinuedPipe":
        """As in the base class, with a warning (M758) where the model was trained with other settings."""
        given = self._given_settings()
        super().from_disk(path, exclude=exclude)
        self._warn_of_others(given)
        return self

    # --- what a subclass provides ---

    def relabelled(self, weights: Any) -> Any:
        """The weights over the labels of the settings, among which are all of theirs."""
        return weights

    def read_as_before(self) -> None:
        """Hook: let the reader of training use the tables of an earlier corpus. Does nothing by default."""

    def learn_labels(self, references: Sequence[Doc]) -> None:
        """Hook: add the labels of these documents that are new. Does nothing by default."""

    def annotated_before(self, docs: Sequence[Doc]) -> list[Doc]:
        """Copies of documents with the predictions of the model."""
        return list(self.pipe([doc.copy() for doc in docs]))

    # --- learning on ---

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """As in the base class. A trained component that is not in training begins to learn on, new labels included. Raises ValueError as
        :meth:`learn_on` does.
        """
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        self._begin_to_learn_on(examples)
        return super().update(examples, drop=drop, sgd=sgd, losses=losses)

    def _begin_to_learn_on(self, examples: Sequence[Example]) -> None:
        """Learn on if the component is trained and not in training: in the vocabulary of the documents, which is that of the pipeline it is in."""
        if self._gathered is not None or not current_weights(self.model).is_trained:
            return
        vocabs = {id(example.predicted.vocab): example.predicted.vocab for example in examples}
        if len(vocabs) == 1 and id(self.vocab) not in vocabs:  # sourced by add_pipe, which changes no component
            (vocab,) = vocabs.values()
            for text in self.vocab.strings:
                vocab.strings.add(text)
            self.vocab = vocab
        self.learn_on()

    def _show_batch(self, examples: list[Example]) -> float:
        if self._earlier is not None:
            for example in examples:
                self.check_vocab(example)
            self.learn_labels([example.reference for example in examples])
        return super()._show_batch(examples)

    def _show_all(self, examples: list[Example]) -> float:
        if isinstance(self._gathered, OpenGatherer):
            self._gathered.await_all(len(examples))
        return super()._show_all(examples)

    def _end_pass(self) -> float:
        """As in the base class. As long as nothing is annotated, there is nothing to learn on from: the model stays as it is."""
        assert self._gathered is not None
        if (
            self._earlier is None
            or self._learner is not None
            or any((p.gold >= 0).any() for p in self._gathered.pieces)
        ):
            return super()._end_pass()
        self._batches = []
        self._gathered.begin_pass()
        return 0.0

    def learn_on(self, prior_weight: float = 1.0) -> None:
        """Begin to learn in addition to the weights that the model has. What comes in ``update`` and ``rehearse`` from now on is the corpus.

        prior_weight: a factor of the old weights; below 1, new documents change more. What templates know of the first corpus (usual tags,
        dictionary, breaks, groups of characters, the filter of arcs) stays as it is. Raises ValueError: M301, M372 the trainer cannot do it,
        M404 the model is not trained, M471 its templates are others than those of the settings, M473 the weight of the prior is out of range.
        """
        if not is_number(prior_weight, 0, 1e3) or prior_weight == 0:
            raise ValueError(Errors.M473.format(name=self.name, value=shown(prior_weight)))
        weights = current_weights(self.model)
        if not weights.is_trained:
            raise ValueError(Errors.M404.format(name=self.name))
        self.check_trainer()
        self.trainer.check_offsets()
        self._check_same_templates(weights)
        self._end_training()
        self._unlearnt = frozenset(self.cfg.get(UNLEARNT, ()))
        self._earlier, self._earlier_cfg, self._prior_weight = weights, deepcopy(self.cfg), prior_weight
        self._reader = self.make_reader()
        if self.read_tables:
            self._reader.lexicon.learn(self.read_tables)
        self.read_as_before()
        self._gathered = OpenGatherer()

    def _given_settings(self) -> dict[str, Any]:
        """The settings of the config that a model has its own of; none once they are those of a model or of a training."""
        return {} if current_weights(self.model).is_trained else self.told_settings(self.cfg)

    def _warn_of_others(self, given: Mapping[str, Any]) -> None:
        """Warn (M758) of settings that a model that has been loaded was not trained with. given: those of before; empty ones are found out."""
        found = self.told_settings(self.cfg)
        others = [
            f"{name} = {shown(value)}"
            for name, value in given.items()
            if value and value != found[name] and not isinstance(value, list)
        ]
        if others:
            warnings.warn(Warnings.M758.format(name=self.name, settings=" and ".join(others)), stacklevel=3)

    def _check_same_templates(self, weights: Any) -> None:
        """Refuse a model that was trained with other templates (M471): the same observations would mean something else, or nothing."""
        old, new = {row.text for row in weights.templates}, {t.text for t in self.templates.templates}
        if old != new:
            odd = min(old ^ new)
            where = "the trained model" if odd in old else "the settings"
            raise ValueError(Errors.M471.format(name=self.name, template=odd, where=where))

    def take_prior(self, path: Path, prior_weight: float, labels: Sequence[str] | None) -> None:
        """Load a saved component of the same kind, and begin to learn on from it.

        What the config says of settings that may change at any time (a bias, a map of tags) counts more than what has been saved.
        path: a saved pipeline with a component of this name, or the folder of a component. Raises ValueError: M601-M605 or M610 for a file that
        is not one, M470 for one with other settings, M472 for labels that leave out some of its own, M487 for a pipeline without such a component,
        M757 for a path without a model, and what :meth:`learn_on` raises.
        """
        folder = path / self.name if (path / self.name).is_dir() else path
        if folder is path and (path / "meta.json").is_file():
            parts = ", ".join(sorted(each.parent.name for each in path.glob("*/model"))) or "none that is trained"
            raise ValueError(Errors.M487.format(name=self.name, where=path, parts=parts))
        if not (folder / "model").exists():
            raise ValueError(Errors.M757.format(name=self.name, where=path))
        settings, attrs, remembered = copy(self.cfg), dict(self.model.attrs), self.remembered
        self._read_model(folder / "model")
        try:
            self._check_prior(path, settings, labels)
            self.cfg |= {setting: settings[setting] for setting in self.free if settings[setting]}
            self.learn_on(prior_weight)
        except ValueError:  # the component is as it was
            self._end_training()
            self.cfg, self.remembered = settings, remembered
            self.model.attrs.update(attrs)
            raise

    def _check_prior(self, path: Path, settings: dict[str, Any], labels: Sequence[str] | None) -> None:
        """Refuse the model that has just been loaded if it has other settings than these (M470), or labels that are not to be learnt (M472)."""
        for setting, value in self.fixed_settings(settings).items():
            found = self.fixed_settings(self.cfg)[setting]
            if found != value and value != []:  # an empty list is found out in training
                raise ValueError(
                    Errors.M470.format(name=self.name, where=path, setting=setting, value=value, found=found)
                )
        left_out = [label for label in self._labels_in_cfg() if labels is not None and label not in labels]
        if left_out:
            raise ValueError(Errors.M472.format(name=self.name, where=path, labels=", ".join(left_out)))

    def fixed_settings(self, cfg: dict[str, Any]) -> dict[str, Any]:
        """The settings in ``cfg`` that a model cannot change when it learns on."""
        return {setting: cfg[setting] for setting in self.fixed}

    def told_settings(self, cfg: dict[str, Any]) -> dict[str, Any]:
        """The settings in ``cfg`` of which somebody is told who gives them to a saved model that has others."""
        return self.fixed_settings(cfg)

    def relabel(self) -> None:
        """Give a trained model weights for labels that have been added to the settings, and so the model that training goes on from."""
        weights = current_weights(self.model)
        before = weights if self._earlier is None else self._earlier
        if before.is_trained and (new := set(self.model_labels).difference(before.labels)):
            self._unlearnt |= new
            self.cfg[UNLEARNT] = sorted(new.union(self.cfg.get(UNLEARNT, ())))
        if self._earlier is not None:
            self._earlier = weights = self.relabelled(self._earlier)
        elif weights.is_trained:
            weights = self.relabelled(weights)
        if weights.is_trained:
            set_weights(self.model, weights, self.model_constraints())

    def known_before(self, labels: Sequence[str]) -> np.ndarray:
        """Which of these labels the earlier model has learnt, bool[L]."""
        return np.array([label not in self._unlearnt for label in labels], bool)

    def restart(self) -> None:
        """Begin again with all documents so far, since there are labels that the training does not know."""
        if self._learner is not None and self._gathered is not None:
            self._learner, self._batches = None, []

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
        **settings: Any,
    ) -> dict[str, float]:
        """Learn from the predictions of the earlier model, as if they were annotation: new weights may not change them without cost.

        Raises ValueError: M474 where training does not go on from an earlier model.
        """
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.rehearse")
        self._begin_to_learn_on(examples)
        if self._earlier is None:
            raise ValueError(Errors.M474.format(name=self.name))
        with self._as_before():
            references = self.annotated_before([example.predicted for example in examples])
        again = [Example(example.predicted, reference) for example, reference in zip(examples, references, strict=True)]
        return self.update(again, losses=losses)

    @contextmanager
    def _as_before(self) -> Iterator[None]:
        """Predict with the earlier model for a while."""
        attrs, settings = dict(self.model.attrs), self.cfg
        self.cfg = {**settings, **{key: self._earlier_cfg[key] for key in _OF_WORDS if key in self._earlier_cfg}}
        set_weights(self.model, self._earlier, self.model_constraints())
        try:
            yield
        finally:
            self.cfg = settings
            self.model.attrs.update(attrs)
