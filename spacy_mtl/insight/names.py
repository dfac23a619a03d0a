"""Names of features beside a model: a file that prediction does not need, made on demand from a corpus."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.files.disk import reason_of
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import read_json
from spacy_mtl.stored.values import fields, integers, text, texts

#: The two matrices of a model: of labels (or arcs, spans), and of label pairs (or labels of arcs, rules).
NODE, PAIR = "node", "pair"
#: The largest key of a model.
_MOST = (1 << 48) - 1


@dataclass(frozen=True)
class FeatureNames:
    """Names of the features of one component. names: for each matrix, NODE and PAIR, ``TEMPLATE:feature`` by key."""

    component: str
    names: dict[str, dict[int, str]]

    def __len__(self) -> int:
        return sum(map(len, self.names.values()))

    def write(self, path: Path) -> None:
        """Write to a JSON file, all of it or nothing. Raises ValueError (M704)."""
        sides = {side: {"keys": list(names), "names": list(names.values())} for side, names in self.names.items()}
        data = json.dumps({"component": self.component, **sides}, ensure_ascii=False)
        try:
            write_atomically(path, data.encode())
        except OSError as error:
            raise ValueError(Errors.M704.format(path=path, reason=reason_of(error))) from None

    @classmethod
    def read(cls, path: Path) -> "FeatureNames":
        """Read what :meth:`write` wrote. Raises ValueError (M762) for anything else."""
        try:
            found = fields(read_json(path.read_bytes(), "it"), "it", {"component": text, NODE: _side, PAIR: _side})
        except OSError as error:
            raise ValueError(Errors.M762.format(path=path, reason=reason_of(error))) from None
        except StoredValueError as fault:
            raise ValueError(Errors.M762.format(path=path, reason=fault)) from None
        return cls(found["component"], {side: found[side] for side in (NODE, PAIR)})


def _side(value: Any, name: str) -> dict[int, str]:
    check: dict[str, Callable[[Any, str], Any]] = {"keys": integers(0, _MOST), "names": texts}
    found = fields(value, name, check)
    if len(found["keys"]) != len(found["names"]):
        raise StoredValueError(f"{name} has {len(found['keys'])} keys and {len(found['names'])} names")
    return dict(zip(found["keys"], found["names"], strict=True))
