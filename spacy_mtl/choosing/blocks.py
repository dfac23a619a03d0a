"""Give the block of a component in a config another trainer or another template set, which have settings of their own."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spacy_mtl.errors import Errors

if TYPE_CHECKING:
    from catalogue import Registry

#: Trainers whose C weighs the losses of sentences against half a squared l2 norm or one of its kind, so that a good C of one suits the others.
ONE_SCALE = frozenset({"spacy_mtl.MTLStruct.v1", "spacy_mtl.SSVM.v1", "spacy_mtl.EG.v1", "spacy_mtl.CRF.v1"})

Block = dict[str, Any]


def use_templates(block: Block, name: str) -> list[str]:
    """Give a component's block another template set; return the names of the settings that it does not take.

    The set that the block has already keeps its settings. Another one gets its defaults, and those settings of the old one that are not at their
    defaults there, if it has them too, of the same type. Raises ValueError (M710) for an unknown one.
    """
    from spacy_mtl.registry import mtl_templates

    name = full_name("template set", name, mtl_templates)
    model = block.setdefault("model", {})
    old = model.get("templates")
    old = dict(old) if isinstance(old, Mapping) else {}  # a reference to another block says nothing of its settings
    old_name = old.pop("@mtl_templates", None)
    had = _parameters(mtl_templates.get(old_name)) if old_name in mtl_templates else {}
    has = _parameters(mtl_templates.get(name))
    set_before = {key: v for key, v in old.items() if key not in had or v != had[key].default}
    kept = {
        key: v
        for key, v in set_before.items()
        if key in has and key in had and has[key].annotation == had[key].annotation
    }
    model["templates"] = {"@mtl_templates": name, **_defaults(mtl_templates.get(name)), **kept}
    return [key for key in set_before if key not in kept]


def use_trainer(block: Block, name: str | None, settings: Sequence[tuple[str, Any]]) -> list[str]:
    """Give a component's block another trainer (None keeps it) and these settings; return the names of the settings it does not take.

    Settings of the old trainer are kept if the new one takes them too, with values of the same type, but for a C of another scale. Those in
    ``settings`` are taken whatever their values; the caller judges them later. A trainer that wraps another one wraps the old one, and gives it back.
    Raises ValueError: M710 unknown trainer, M711 a name that is not a setting of any trainer.
    """
    from spacy_mtl.registry import mtl_trainers

    old = block["trainer"]
    name = full_name("trainer", name or old["@mtl_trainers"], mtl_trainers)
    allowed = _defaults(mtl_trainers.get(name))
    known = {setting for function in mtl_trainers.get_all().values() for setting in _defaults(function)}
    for setting, _ in settings:
        if setting not in known:
            raise ValueError(Errors.M711.format(name=setting, trainer=name, known=", ".join(allowed)))
    old_settings = {key: value for key, value in old.items() if not key.startswith("@")}
    if isinstance(wrapped := old.get("trainer"), Mapping) and wrapped.get("@mtl_trainers") == name:
        old_settings = {key: value for key, value in wrapped.items() if not key.startswith("@")}
        old = dict(wrapped)
    if "trainer" in allowed and name != old["@mtl_trainers"]:
        old_settings = {"trainer": old}
    asked = dict(settings)
    wanted = old_settings | asked
    other = {"C"} if name != old["@mtl_trainers"] and not {name, old["@mtl_trainers"]} <= ONE_SCALE else set()
    alike = {key for key, v in wanted.items() if key in allowed and key not in other and _alike(v, allowed[key])}
    taken = {key: v for key, v in wanted.items() if key in alike or (key in asked and key in allowed)}
    block["trainer"] = {"@mtl_trainers": name, **allowed, **taken}
    return [key for key in wanted if key not in taken]


def _alike(value: Any, default: Any) -> bool:
    """Whether a value has the type of a default: two trainers may use one name for different things."""
    kinds = [float if isinstance(v, int | float) and not isinstance(v, bool) else type(v) for v in (value, default)]
    return value is None or default is None or kinds[0] is kinds[1]


def full_name(kind: str, name: str, registry: "Registry") -> str:
    for full in (name, f"spacy_mtl.{name}", f"spacy_mtl.{name}.v1"):
        if full in registry:
            return full
    raise ValueError(Errors.M710.format(kind=kind, name=name, known=", ".join(sorted(registry.get_all()))))


def _defaults(function: Callable) -> Block:
    """Settings of a registered function and their defaults; None for those without a default."""
    return {name: None if p.default is p.empty else p.default for name, p in _parameters(function).items()}


def _parameters(function: Callable) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters
