"""What the thinc Models of all components share: bytes are checked as thoroughly as a model file before anything of the model changes."""

from abc import abstractmethod
from pathlib import Path
from typing import Any

from thinc.api import Model
from thinc.model import serialize_attr

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_number, shown
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.msgpack import read_msgpack
from spacy_mtl.stored.values import Check, fields, mapping, number, optional, texts
from spacy_mtl.tables.stored import Tables
from spacy_mtl.tables.stored import from_bytes as tables_from
from spacy_mtl.tables.stored import to_bytes as tables_to
from spacy_mtl.templates.attributes.learned import LEARNED, FormTable
from spacy_mtl.templates.grammar import TemplateSet

from . import store
from .by_vocab import no_predictors
from .readable import check_own, check_tables

_MEGABYTES = optional(number(0, 1e12))


def model_attrs(templates: TemplateSet, megabytes: float | None, weights: Any) -> dict[str, Any]:
    """The attributes of a new model. weights: untrained. Raises ValueError: M401 if megabytes is not above 0, M448 for other templates."""
    if not isinstance(templates, TemplateSet):
        raise ValueError(Errors.M448.format(found=type(templates).__name__))
    if megabytes is not None and (not is_number(megabytes, 0, 1e9) or megabytes == 0):
        raise ValueError(Errors.M401.format(value=shown(megabytes)))
    return {
        "templates": templates,
        "megabytes": megabytes,
        "weights": weights,
        "constraints": None,
        "learned": {},
        "tables": Tables(),
        **no_predictors(),
        "export": None,
    }


class CheckedModel(Model):
    """A thinc Model whose bytes may come from a stranger. Of these only weights, learned attributes and the size limit are read."""

    __slots__ = ()

    @abstractmethod
    def read_weights(self, data: bytes, where: str) -> tuple[Any, Any]:
        """The weights in a model file and what prediction needs besides them. Raises ValueError: M601-M603, M610."""

    @abstractmethod
    def set_read(self, weights: Any, constraints: Any) -> None:
        """Make these, from :meth:`read_weights`, the weights of the model."""

    def _copy(self, seen: dict | None = None) -> "CheckedModel":
        copied = super()._copy(seen)
        copied.__class__ = type(self)  # thinc makes a plain Model
        return copied

    def from_bytes(self, bytes_data: bytes) -> "CheckedModel":
        """Load what ``to_bytes`` returned. Raises ValueError: M601-M603, M610."""
        try:
            message = read_msgpack(bytes_data, "it")
        except StoredValueError:
            raise ValueError(Errors.M601.format(where=self._where)) from None
        return self.from_dict(message)

    def from_disk(self, path: Path | str) -> "CheckedModel":
        """Load what ``to_disk`` wrote. Raises ValueError: M601-M603, M605, M610."""
        return self.from_bytes(store.read(Path(path)))

    def from_dict(self, msg: dict) -> "CheckedModel":
        """Load what ``to_dict`` returned. Raises ValueError: M601-M603, M610."""
        with store.faults_in(self._where):
            stored = _attributes(msg)
            learned = _unpacked(stored, "learned", _tables)
            given = tables_from(stored["tables"]) if "tables" in stored else self.attrs["tables"]
            megabytes = _unpacked(stored, "megabytes", _MEGABYTES)
            if "weights" not in stored:
                raise StoredValueError("it has no weights")
        weights, constraints = self.read_weights(stored["weights"], self._where)
        with store.faults_in(self._where):
            tables = learned if learned is not None else self.attrs["learned"]
            attributes = weights.live_templates().attributes
            check_tables(attributes, tables, words=True)  # a segmenter gives the words
            check_own(attributes, given)
        self.set_read(weights, constraints)
        self.attrs.update(learned=tables, tables=given)
        if "megabytes" in stored:
            self.attrs["megabytes"] = megabytes
        return self

    @property
    def _where(self) -> str:
        return f"The serialized model '{self.name}'"


def _attributes(message: Any) -> dict[str, Any]:
    """The attributes of the only node."""
    nodes = mapping(message, "it").get("attrs")
    if type(nodes) is not list or len(nodes) != 1:
        raise StoredValueError("it does not have the attributes of a single model")
    return mapping(nodes[0], "the attributes")


def _unpacked(stored: dict[str, Any], name: str, check: Check) -> Any:
    """An attribute as thinc packed it, checked; None if there is none."""
    if name not in stored:
        return None
    return check(read_msgpack(stored[name], name), name)


def _tables(value: Any, name: str) -> dict[str, FormTable]:
    """Check the tables of learned attributes."""
    checks = dict.fromkeys(LEARNED, _table)
    return {
        attr: table for attr, table in fields(value, name, checks, dict.fromkeys(LEARNED)).items() if table is not None
    }


def _table(value: Any, name: str) -> FormTable:
    texts(list(mapping(value, name)), name)
    texts(list(value.values()), name)
    return value


@serialize_attr.register(Tables)
def _serialize(_: Any, value: Tables, name: str, model: Model) -> bytes:
    return tables_to(value)
