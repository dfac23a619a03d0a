"""SavedPipe: how every component is saved, loaded and copied, with its weights, labels and learnt attributes but without a running training."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from spacy import util
from spacy.pipeline import TrainablePipe

from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.models import store
from spacy_mtl.models.chain.model import current_weights, set_weights
from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.stored.msgpack import read_msgpack
from spacy_mtl.stored.values import Check, distinct_texts, fields, mapping, text
from spacy_mtl.templates.attributes.learned import FormTable, by_value, stored_tables
from spacy_mtl.templates.fallbacks import adapted
from spacy_mtl.templates.grammar import TemplateSet

#: The entry of ``cfg`` with the attributes of templates that the corpus did not have; only there if there are any.
ABSENT = "absent"


class SavedPipe(TrainablePipe):
    """A component that consists of its settings ``cfg`` and its model's weights.

    Subclasses define its labels, and the attributes that only training needs.
    """

    cfg: dict[str, Any]
    #: The check of each entry of ``cfg`` in a file, and entries that older files may lack, with what these stand for.
    cfg_checks: ClassVar[Mapping[str, Check]]
    cfg_missing: ClassVar[Mapping[str, Any]] = {}
    #: Attributes that only a running training needs; they are not copied.
    of_training: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _end_training(self) -> None:
        """Drop everything that only training needs."""

    @abstractmethod
    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        """The labels that the weights score under these settings."""

    @property
    def templates(self) -> TemplateSet:
        """The templates of the settings, adapted to the corpus that the component has been initialized with."""
        return adapted(self.model.attrs["templates"], self.cfg.get(ABSENT, ()))

    @property
    def model_labels(self) -> tuple[str, ...]:
        """The labels that the weights score."""
        return self.labels_under(self.cfg)

    @abstractmethod
    def untrained(self) -> Any:
        """Weights of an untrained model."""

    def check_stored(self, cfg: dict[str, Any], weights: Any, learned: Mapping[str, FormTable]) -> None:
        """Hook: refuse a file whose parts, each of them checked, do not fit each other. Raises StoredValueError. Does nothing by default."""

    def model_constraints(self) -> Any:
        """What prediction needs in addition to the weights; by default nothing (None)."""
        return None

    @abstractmethod
    def set_labels(self, labels: Sequence[str]) -> None:
        """Set the labels that the user gives."""

    @abstractmethod
    def _labels_in_cfg(self) -> Sequence[str]: ...

    def __reduce__(self) -> tuple:
        """Pickle everything except a running training, for copies and other processes."""
        current_weights(self.model)
        state = {name: getattr(self, name) for name in ("vocab", "model", "name", "cfg", "scorer")}
        state |= {name: value for name, value in vars(self).items() if name not in self.of_training}
        return _restore, (type(self), state)

    def _model_bytes(self) -> bytes:
        learned = {attr: by_value(table) for attr, table in self.model.attrs["learned"].items()}
        settings = {"component": type(self).__name__, "cfg": self.cfg, "learned": learned}
        return store.to_bytes(current_weights(self.model), settings)

    def _load_model(self, data: bytes, where: str) -> None:
        """Load a model file, or leave the component as it was and raise ValueError (M601-M604, M610)."""
        weights, settings = store.from_bytes(data, where)
        found, expected = settings.get("component"), type(self).__name__
        if found != expected:
            named = found if isinstance(found, str) and found.isidentifier() else shown(found)
            raise ValueError(Errors.M604.format(where=where, found=named[:60], expected=expected))
        with store.faults_in(where):
            cfg, learned = self._checked(weights, settings)
        self._end_training()
        self.cfg = cfg
        self.set_labels(self._labels_in_cfg())
        self.model.attrs["learned"] = learned
        set_weights(self.model, weights, self.model_constraints())

    def _checked(self, weights: Any, settings: dict[str, Any]) -> tuple[dict[str, Any], dict[str, FormTable]]:
        """The settings ``cfg`` and the tables of learned attributes of a file. Raises StoredValueError."""
        checks = {"component": text, "cfg": mapping, "learned": stored_tables}
        found = fields(settings, "the settings", checks, missing={"learned": {}})
        allowed = {**self.cfg_checks, ABSENT: distinct_texts}
        cfg = fields(found["cfg"], "cfg", allowed, {**self.cfg_missing, ABSENT: []})
        if not cfg[ABSENT]:
            del cfg[ABSENT]
        if not isinstance(weights, type(self.untrained())):
            raise StoredValueError("it has the weights of another structure")
        if weights.is_trained and weights.labels != self.labels_under(cfg):
            raise StoredValueError("its weights are not for the labels of its settings")
        self.check_stored(cfg, weights, found["learned"])
        return cfg, found["learned"]

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component without anything that only training needs."""
        parts: dict[str, Callable[[], Any]] = {
            "vocab": lambda: self.vocab.to_bytes(exclude=exclude),
            "model": self._model_bytes,
        }
        return util.to_bytes(parts, exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "SavedPipe":
        """Load what :meth:`to_bytes` returned. Raises ValueError: M601-M604, M610."""
        where = f"The serialized component '{self.name}'"
        parts: dict[str, Callable[[Any], Any]] = {
            "vocab": lambda data: self.vocab.from_bytes(data, exclude=exclude),
            "model": lambda data: self._load_model(data, where),
        }
        try:
            message = mapping(read_msgpack(bytes_data, "it"), "it")
        except StoredValueError:
            raise ValueError(Errors.M601.format(where=where)) from None
        util.from_dict(message, parts, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the component to a directory; the model file is written completely or not at all."""
        parts: dict[str, Callable[[Path], None]] = {
            "vocab": lambda p: self.vocab.to_disk(p, exclude=exclude),
            "model": lambda p: write_atomically(p, self._model_bytes()),
        }
        util.to_disk(path, parts, exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "SavedPipe":
        """Load what :meth:`to_disk` wrote. Raises ValueError naming the file: M601-M605, M610."""
        parts: dict[str, Callable[[Path], Any]] = {
            "vocab": lambda p: self.vocab.from_disk(p, exclude=exclude),
            "model": lambda p: self._load_model(store.read(p), str(p)),
        }
        util.from_disk(path, parts, exclude)
        return self


def _restore(kind: type[SavedPipe], state: dict[str, Any]) -> SavedPipe:
    pipe = kind.__new__(kind)
    for name, value in state.items():
        setattr(pipe, name, value)
    pipe._end_training()
    return pipe
