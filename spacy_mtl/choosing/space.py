"""The settings that are searched: which of a component, and which values of each."""

import inspect
import json
import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_templates, mtl_trainers

from .blocks import full_name, use_trainer

#: What is varied where nothing else is asked for, as far as the trainer has it.
USUAL = ("C=0.03:10", "p=1,1.1,1.3333,1.6,2")
#: What no trial depends on: trials have no probabilities, see :data:`.PLAIN`.
UNTUNED = frozenset({"factory", "threshold", "confidence"})
#: Blocks whose function can be chosen: what its names are called in messages, and where they are registered.
CHOICES = {("model", "templates"): ("template set", mtl_templates), ("trainer",): ("trainer", mtl_trainers)}
#: More combinations of choices than this are not counted out.
MOST = 10_000
#: Ranges whose ends differ by more than this factor are searched by orders of magnitude.
WIDE = 20


@dataclass(frozen=True)
class Dimension:
    """One setting. path: where it stands in the component's config. values: to choose from; or low and high, the ends of a range.

    whole: whether the numbers of the range are whole ones.
    """

    name: str
    path: tuple[str, ...]
    values: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    whole: bool = False

    @property
    def log(self) -> bool:
        """Whether a range is searched by orders of magnitude."""
        return not self.values and self.low > 0 and self.high / self.low > WIDE

    @property
    def ends(self) -> tuple[Any, ...]:
        """All values, or the ends of a range."""
        return self.values or tuple(map(int if self.whole else float, (self.low, self.high)))

    def suggest(self, trial: Any, own: Any = None) -> Any:
        """A value, from a trial of Optuna. own: that of the config, which is kept as it is; others have four digits."""
        if self.values:
            return self.values[trial.suggest_categorical(self.name, list(range(len(self.values))))]
        if self.whole:
            return trial.suggest_int(self.name, int(self.low), int(self.high), log=self.log)
        value = trial.suggest_float(self.name, self.low, self.high, log=self.log)
        return value if value == own else float(f"{value:.4g}")

    def parameter(self, value: Any) -> Any:
        """The parameter of a trial that stands for this value; None if none does."""
        if self.values:
            return self.values.index(value) if value in self.values else None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and self.low <= value <= self.high else None


def dimensions(config: Mapping[str, Any], asked: Sequence[str]) -> list[Dimension]:
    """The settings that are searched. asked: such as ``C=0.1:10``, ``p=1,1.5,2``, ``templates=ner.v1,tp1.v1``, ``trainer=MTLStruct,CRF``.

    Where trainers or template sets are searched, the settings of each of them may be, too. Raises ValueError: M778 a text that is none of these,
    M779 a name that the component does not have or that comes twice, or no setting at all, M710 an unknown trainer or template set.
    """
    texts = asked or [text for text in USUAL if text.partition("=")[0] in _settings(config["trainer"], mtl_trainers)]
    known = {place: _known(config, place, texts) for place in CHOICES}
    found = [_dimension(config, text, known) for text in texts]
    names = [each.path for each in found]
    if not found or len(set(names)) < len(names):
        raise ValueError(Errors.M779.format(name=", ".join(each.name for each in found) or "nothing"))
    return found


def _known(config: Mapping[str, Any], place: tuple[str, ...], texts: Sequence[str]) -> set[str]:
    """The settings of the trainer or template set of the config, and of those that are searched."""
    registry = CHOICES[place][1]
    chosen = [_dimension(config, text, {}) for text in texts if text.partition("=")[0].strip() == place[-1]]
    names = [_get(config, place), *(value for each in chosen for value in each.values)]
    return set().union(*(inspect.signature(registry.get(name)).parameters for name in names))


def _dimension(config: Mapping[str, Any], text: str, known: Mapping[tuple[str, ...], set[str]]) -> Dimension:
    """known: of :data:`CHOICES`, the settings that may be searched."""
    name, equals, right = (part.strip() for part in text.partition("="))
    if not (name and equals and right):
        raise ValueError(Errors.M778.format(text=text))
    path = _path(config, name, known)
    ends = right.split(":")
    if len(ends) == 2 and path not in CHOICES:
        low, high = (_number(end, text) for end in ends)
        if not low < high:
            raise ValueError(Errors.M778.format(text=text))
        whole = all(isinstance(end, int) for end in (low, high)) and isinstance(_get(config, path), int)
        return Dimension(name, path, (), float(low), float(high), whole)
    values = tuple(_value(part) for part in right.split(","))
    if path in CHOICES:
        values = tuple(full_name(CHOICES[path][0], str(value), CHOICES[path][1]) for value in values)
    return Dimension(name, path, values)


def _path(config: Mapping[str, Any], name: str, known: Mapping[tuple[str, ...], set[str]]) -> tuple[str, ...]:
    """Where a setting stands. Short names are looked for in the trainers, the model and its templates, in this order."""
    for path in CHOICES:
        if name == path[-1]:
            return path
    if name.startswith("costs.") and "costs" in config:
        return ("costs", name.removeprefix("costs."))
    blocks = {
        ("trainer",): known[("trainer",)],
        ("model",): {"megabytes"},
        ("model", "templates"): known[("model", "templates")],
        (): {key for key, value in config.items() if key not in UNTUNED and not isinstance(value, Mapping)},
    }
    for place, names in blocks.items():
        prefix = ".".join([*place, ""])
        if name in names or (prefix and name.startswith(prefix) and name.removeprefix(prefix) in names):
            return (*place, name.rpartition(".")[2])
    raise ValueError(Errors.M779.format(name=name))


def _settings(block: Mapping[str, Any], registry: Any) -> set[str]:
    """The settings that the function of a block takes."""
    name = next(value for key, value in block.items() if key.startswith("@"))
    return set(inspect.signature(registry.get(name)).parameters)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def _number(end: str, text: str) -> int | float:
    value = _value(end)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(Errors.M778.format(text=text))
    return value


def _get(config: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The value of a setting; of a block with a registered function, the function's name."""
    found: Any = config
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return next((value for key, value in found.items() if key.startswith("@")), None) if path in CHOICES else found


def applies(config: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    """Whether a setting is one of the component's: with several trainers or template sets, that of one may be unknown to another."""
    place = path[:-1]
    return place not in CHOICES or path[-1] in inspect.signature(CHOICES[place][1].get(_get(config, place))).parameters


def present(config: Mapping[str, Any], space: Sequence[Dimension]) -> dict[str, Any] | None:
    """The parameters of a trial with the settings as they are; None where these are outside of what is searched."""
    found = {
        each.name: each.parameter(_get(config, each.path) if applies(config, each.path) else each.ends[0])
        for each in space
    }
    return None if None in found.values() else found


def combinations(config: Mapping[str, Any], space: Sequence[Dimension], most: int) -> list[dict[str, Any]]:
    """Parameters of trials with all settings that differ; none where one is searched in a range, or where there are more than so many."""
    n = math.prod(len(each.values) for each in space)
    found: dict[str, dict[str, Any]] = {}
    for choice in product(*(range(len(each.values)) for each in space)) if n <= MOST else ():
        settings = {each.path: each.values[k] for each, k in zip(space, choice, strict=True)}
        key = json.dumps(by_name(changed(config, settings), settings), sort_keys=True)
        found.setdefault(key, {each.name: k for each, k in zip(space, choice, strict=True)})
    return list(found.values()) if len(found) <= most else []


def changed(config: Mapping[str, Any], settings: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """The config of a component with other settings, by their paths; those that the trainer or the template set does not have are left out.

    A template set keeps the settings of the one before that it takes, too; another trainer those that mean the same to both.
    """
    new: dict[str, Any] = deepcopy(dict(config))
    for path, value in sorted(settings.items()):  # functions before what they are given
        if path == ("trainer",):
            if value != new["trainer"]["@mtl_trainers"]:
                use_trainer(new, value, [])
        elif path == ("model", "templates"):
            _use_templates(new["model"], value)
        elif applies(new, path):
            _put(new, path, value)
    return new


def _use_templates(model: dict[str, Any], name: str) -> None:
    old = model["templates"]
    known = inspect.signature(mtl_templates.get(name)).parameters
    kept = old if name == old["@mtl_templates"] else {key: v for key, v in old.items() if key in known}
    model["templates"] = {**kept, "@mtl_templates": name}


def _put(block: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for key in path[:-1]:
        block[key] = dict(block.get(key) or {})
        block = block[key]
    block[path[-1]] = value


def by_name(config: Mapping[str, Any], settings: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """Settings with their paths joined by dots, without those that the trainer or the template set of the config does not have."""
    return {".".join(path): value for path, value in settings.items() if applies(config, path)}


def by_path(settings: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """Settings whose paths are joined by dots, by their paths; the name of a cost may have a dot in it."""
    return {
        ("costs", key.removeprefix("costs.")) if key.startswith("costs.") else tuple(key.split(".")): value
        for key, value in settings.items()
    }


def shared_key(config: Mapping[str, Any]) -> str:
    """The same for settings with the same features and the same trainer, whatever its settings and the size of the model."""
    trainer = _get(config, ("trainer",))
    rest = {**config, "trainer": trainer, "model": {**config["model"], "megabytes": None}}
    return json.dumps(rest, sort_keys=True, default=str)
