"""SavedPipe: how every component is saved, loaded and copied, with its weights, labels and learnt attributes but without a running training."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from spacy import util
from spacy.pipeline import TrainablePipe

from spacy_mtl.confidence.calibration import check_calibrations
from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.files import write_atomically
from spacy_mtl.learning.history import History, Remembered
from spacy_mtl.models import store
from spacy_mtl.models.by_vocab import no_predictors
from spacy_mtl.models.chain.model import current_weights, set_weights
from spacy_mtl.models.readable import check_own
from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.stored.msgpack import read_msgpack
from spacy_mtl.stored.values import Check, distinct_texts, fields, mapping, optional, text
from spacy_mtl.tables import stored as stored_as
from spacy_mtl.tables.stored import AnyTable, Tables
from spacy_mtl.templates.attributes.learned import FormTable, by_value, stored_tables
from spacy_mtl.templates.attributes.of_tables import check_given
from spacy_mtl.templates.fallbacks import adapted
from spacy_mtl.templates.grammar import TemplateSet

#: The entry of ``cfg`` with the attributes of templates that the corpus did not have; only there if there are any.
ABSENT = "absent"
#: The entry of ``cfg`` with the calibration of each kind of decision; only there if there is one, and only as long as the weights stay.
CALIBRATIONS = "calibrations"
#: The entry of ``cfg`` with the labels that have been added to the weights, but of which nothing has been learnt; only there if there are any.
UNLEARNT = "unlearnt"
#: What goes when the weights change.
OF_WEIGHTS = (CALIBRATIONS, UNLEARNT)
#: The entry of a saved component's settings with the digest of its tables; only there if it has any.
TABLES = "tables"


class SavedPipe(TrainablePipe):
    """A component that consists of its settings ``cfg`` and its model's weights.

    Subclasses define its labels, and the attributes that only training needs.
    """

    cfg: dict[str, Any]
    #: The check of each entry of ``cfg`` in a file, and entries that older files may lack, with what these stand for.
    cfg_checks: ClassVar[Mapping[str, Check]]
    cfg_missing: ClassVar[Mapping[str, Any]] = {}
    #: The kinds of decisions, by which calibrations are kept.
    decided: ClassVar[tuple[str, ...]]
    #: How the training went; read when somebody asks.
    remembered: Remembered
    #: Attributes that only a running training needs; they are not copied.
    of_training: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _end_training(self) -> None:
        """Drop everything that only training needs."""

    @abstractmethod
    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        """The labels that the weights score under these settings."""

    @property
    def history(self) -> History:
        """How the weights of the templates changed from pass to pass of the training, and what evaluations found.

        Raises ValueError (M614) where what was saved is no history.
        """
        return self.remembered.history

    @property
    def templates(self) -> TemplateSet:
        """The templates of the settings, adapted to the corpus that the component has been initialized with."""
        return adapted(self.model.attrs["templates"], self.cfg.get(ABSENT, ()))

    @property
    def tables(self) -> Tables:
        """The clusters and lists of phrases that templates read, by name. Lists may be changed at any time."""
        return self.model.attrs["tables"]

    @property
    def read_tables(self) -> dict[str, Any]:
        """All that templates look words up in: these tables, and those that have been learned from a corpus."""
        return {**self.model.attrs["learned"], **self.tables}

    def set_table(self, name: str, table: AnyTable) -> None:
        """Put another table in the place of one that the templates read, in a trained component, too. Raises ValueError: M810, M811, M812."""
        check_given(self.name, {name: table}, self.templates.attributes)
        self.model.attrs.update(tables=Tables({**self.tables, name: table}), **no_predictors())

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
        if self.tables:
            settings[TABLES] = stored_as.digest(self._table_bytes())
        weights = current_weights(self.model)
        if not weights.is_trained:
            warnings.warn(Warnings.M459.format(name=self.name), stacklevel=2)
        return store.to_bytes(weights, settings)

    def _table_bytes(self) -> bytes:
        return stored_as.to_bytes(self.tables)

    def _load_model(self, data: bytes, where: str, table_bytes: bytes | None = None) -> None:
        """Load a model file, or leave the component as it was and raise ValueError (M601-M604, M610, M813).

        table_bytes: of the file of its tables, if there is one.
        """
        weights, settings = store.from_bytes(data, where)
        found, expected = settings.get("component"), type(self).__name__
        if found != expected:
            named = found if isinstance(found, str) and found.isidentifier() else shown(found)
            raise ValueError(Errors.M604.format(where=where, found=named[:60], expected=expected))
        with store.faults_in(where):
            expected = optional(text)(settings.pop(TABLES, None), TABLES)
            if not isinstance(table_bytes, bytes | None):
                raise StoredValueError("its tables are not bytes")
            found = None if table_bytes is None else stored_as.digest(table_bytes)
            if found != expected:
                raise ValueError(
                    Errors.M813.format(
                        where=where, expected=shown(expected) if expected else "none", found=found or "none"
                    )
                )
            tables = Tables() if table_bytes is None else stored_as.from_bytes(table_bytes)
            cfg, learned = self._checked(weights, settings, tables)
        self._end_training()
        self.remembered = Remembered()
        self.cfg = cfg
        self.set_labels(self._labels_in_cfg())
        self.model.attrs.update(learned=learned, tables=tables)
        set_weights(self.model, weights, self.model_constraints())

    def _checked(
        self, weights: Any, settings: dict[str, Any], tables: Tables
    ) -> tuple[dict[str, Any], dict[str, FormTable]]:
        """The settings ``cfg`` and the tables of learned attributes of a file. Raises StoredValueError."""
        checks = {"component": text, "cfg": mapping, "learned": stored_tables}
        found = fields(settings, "the settings", checks, missing={"learned": {}})
        allowed: dict[str, Check] = {
            **self.cfg_checks,
            ABSENT: distinct_texts,
            CALIBRATIONS: partial(check_calibrations, kinds=self.decided),
            UNLEARNT: distinct_texts,
        }
        cfg = fields(found["cfg"], "cfg", allowed, {**self.cfg_missing, ABSENT: [], CALIBRATIONS: {}, UNLEARNT: []})
        for entry in (ABSENT, *OF_WEIGHTS):
            if not cfg[entry]:
                del cfg[entry]
        if not isinstance(weights, type(self.untrained())):
            raise StoredValueError("it has the weights of another structure")
        if weights.is_trained and weights.labels != self.labels_under(cfg):
            raise StoredValueError("its weights are not for the labels of its settings")
        check_own(weights.live_templates().attributes, tables)
        self.check_stored(cfg, weights, found["learned"])
        return cfg, found["learned"]

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component without anything that only training needs; an untrained one with a warning (M459)."""
        parts: dict[str, Callable[[], Any]] = {
            "vocab": lambda: self.vocab.to_bytes(exclude=exclude),
            "model": self._model_bytes,
        }
        if self.tables:
            parts["tables"] = self._table_bytes
        if (history := self.remembered.to_bytes()) is not None:
            parts["history"] = lambda: history
        return util.to_bytes(parts, exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "SavedPipe":
        """Load what :meth:`to_bytes` returned. Raises ValueError: M601-M604, M610."""
        where = f"The serialized component '{self.name}'"
        try:
            message = mapping(read_msgpack(bytes_data, "it"), "it")
        except StoredValueError:
            raise ValueError(Errors.M601.format(where=where)) from None
        parts: dict[str, Callable[[Any], Any]] = {
            "vocab": lambda data: self.vocab.from_bytes(data, exclude=exclude),
            "model": lambda data: self._load_model(data, where, message.get("tables")),
        }
        if "model" not in exclude:
            parts["history"] = lambda data: self._remember(data, where)
        util.from_dict(message, parts, exclude)
        return self

    def _remember(self, data: Any, where: str) -> None:
        self.remembered = Remembered(data if isinstance(data, bytes) else b"", where)

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the component to a directory; the model file is written completely or not at all. An untrained one with a warning (M459)."""
        parts: dict[str, Callable[[Path], None]] = {
            "vocab": lambda p: self.vocab.to_disk(p, exclude=exclude),
            "model": lambda p: self._write_model(p),
        }
        util.to_disk(path, parts, exclude)

    def _write_model(self, path: Path) -> None:
        """Write the model file, and those of its tables and of its history beside it."""
        beside, history = path.with_name("tables"), self.remembered.to_bytes()
        if self.tables:
            write_atomically(beside, self._table_bytes())
        write_atomically(path, self._model_bytes())
        if not self.tables:
            beside.unlink(missing_ok=True)
        if history is not None:
            write_atomically(path.with_name("history"), history)
        else:
            path.with_name("history").unlink(missing_ok=True)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "SavedPipe":
        """Load what :meth:`to_disk` wrote. Raises ValueError naming the file: M601-M605, M610."""
        parts: dict[str, Callable[[Path], Any]] = {
            "vocab": lambda p: self.vocab.from_disk(p, exclude=exclude),
            "model": lambda p: self._read_model(p),
        }
        util.from_disk(path, parts, exclude)
        return self

    def _read_model(self, path: Path) -> None:
        """Load a model file, with the tables and the history beside it."""
        beside = path.with_name("tables")
        self._load_model(store.read(path), str(path), store.read(beside) if beside.exists() else None)
        self.remembered = Remembered.beside(path)


def _restore(kind: type[SavedPipe], state: dict[str, Any]) -> SavedPipe:
    pipe = kind.__new__(kind)
    for name, value in state.items():
        setattr(pipe, name, value)
    pipe._end_training()
    return pipe
