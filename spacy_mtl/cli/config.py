"""``python -m spacy mtl config``: change the language, template set, trainer or any other setting of a config, and keep its comments.

The overrides of ``spacy train`` can change single settings, but another trainer or template set has settings of its own.
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors

from .shared.any_setting import set_any
from .shared.config_text import ConfigText
from .shared.languages import check_language
from .shared.messages import clear_errors, reason_of
from .shared.output import write_file

if TYPE_CHECKING:
    from catalogue import Registry
    from thinc.api import Config

#: The language names in the files of CoNLL-2002, and their codes.
FILE_LANGUAGES = {"esp": "es", "ned": "nl"}

#: Trainers whose C weighs the losses of sentences against half a squared l2 norm or one of its kind, so that a good C of one suits the others.
ONE_SCALE = frozenset({"spacy_mtl.MTLStruct.v1", "spacy_mtl.SSVM.v1", "spacy_mtl.EG.v1", "spacy_mtl.CRF.v1"})
#: What is good for text where the default is not.
GOOD_C = {"spacy_mtl.L1M3N.v1": "10 to 100"}

LEFT_OUT = "'{name}' is left out: {function} has {reason}"

Block = dict[str, Any]


def config_cli(
    source: Annotated[Path, typer.Argument(metavar="CONFIG", help="Config to start from.")],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Config to write.")],
    lang: Annotated[str | None, typer.Option(help="Language code, or esp or ned as in CoNLL-2002.")] = None,
    templates: Annotated[str | None, typer.Option(help="Template set, such as ner or spacy_mtl.ner.v1.")] = None,
    trainer: Annotated[str | None, typer.Option(help="Trainer, such as SSVM or spacy_mtl.SSVM.v1.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the trainer (C=1), or any other by its full name (components.ner.overwrite=true). Repeatable.",
        ),
    ] = None,
    component: Annotated[
        str | None, typer.Option(help="Component to change; by default the only one with a trainer.")
    ] = None,
) -> None:
    """Write a config with another language, template set or trainer, or other settings. Comments stay.

    Settings of the old template set or trainer that the new one does not have, or has of another type or scale, are left out, and so are --set
    settings that the trainer does not have; a line is printed for each. A trainer that wraps another (StructReg) wraps the one that the
    config had.
    """
    with clear_errors():
        config, text = read_config(source)
        before = deepcopy(config)
        asked = [_setting(setting) for setting in settings or ()]
        full = [(name, value) for name, value in asked if "." in name]
        if lang is not None:
            config["nlp"]["lang"] = FILE_LANGUAGES.get(lang, lang)
        left_out: list[str] = []
        if templates is not None or trainer is not None or not full or len(full) < len(asked):
            name, block = _component(config, source, component)
            if templates is not None:
                gone = use_templates(block, templates)
                old = before["components"][name].get("model", {}).get("templates")
                left_out += _told(gone, block["model"]["templates"], "@mtl_templates", _not_known(old))
            gone = use_trainer(block, trainer, [(name, value) for name, value in asked if "." not in name])
            left_out += _told(gone, block["trainer"], "@mtl_trainers")
            _keep_wrapped(text, f"components.{name}", before["components"][name], block["trainer"])
        for name, value in full:
            set_any(config, name, value)
        check_language(config["nlp"]["lang"])
        for block in config.get("components", {}).values():
            if "trainer" in block:
                check_trainer(block["trainer"])
        write_changes(text, before, config)
        write_file(output, str(text).encode())
    for line in left_out:
        typer.echo(line)


def _not_known(templates: Any) -> str | None:
    """The name of the template set of a block if it is not registered here, as one of code that is not at hand."""
    from spacy_mtl.registry import mtl_templates

    name = templates.get("@mtl_templates") if isinstance(templates, Mapping) else None
    return None if name in mtl_templates else name


def _told(left_out: Sequence[str], block: Block, kind: str, not_known: str | None = None) -> list[str]:
    """A line for each setting that is left out of a block of a trainer or a template set. A block has all settings that there are.

    not_known: the old function, if it is not known what its settings are.
    """
    other = f"one, which may mean something else: {not_known} is not known here" if not_known else "one of another type"
    reasons = {name: other if name in block else "no such setting" for name in left_out}
    if "C" in reasons and "C" in block:
        good = GOOD_C.get(block[kind])
        hint = f"; good for text: {good}" if good else ""
        reasons["C"] = (
            f"one of another scale, which is at its default, {block['C']:g} (--set C=VALUE chooses another{hint})"
        )
    return [LEFT_OUT.format(name=name, function=block[kind], reason=reason) for name, reason in reasons.items()]


def write_changes(text: ConfigText, before: "Config", config: "Config") -> None:
    """Make a config's text say what ``config`` says, where it says ``before`` now."""
    for section, block in config.items():
        if section not in text.names:
            text.add_section(f"[{section}]", after=text.names[-1])
        text.put(section, block, before.get(section, {}))


def _keep_wrapped(text: ConfigText, section: str, component: Block, new: Block) -> None:
    """Where a trainer wraps the component's old one, let the old one's section, with its comments, be that of the wrapped one."""
    if new.get("trainer") == component["trainer"] and f"{section}.trainer" in text.names:
        text.rename_section(f"{section}.trainer", f"{section}.trainer.trainer")
        text.add_section(f"[{section}.trainer]", before=f"{section}.trainer.trainer")
        component["trainer"] = {"trainer": component["trainer"]}


def use_templates(block: Block, name: str) -> list[str]:
    """Give a component's block another template set; return the names of the settings that it does not take.

    The set that the block has already keeps its settings. Another one gets its defaults, and those settings of the old one that are not at their
    defaults there, if it has them too, of the same type. Raises ValueError (M710) for an unknown one.
    """
    from spacy_mtl.registry import mtl_templates

    name = _full_name("template set", name, mtl_templates)
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
    ``settings`` are taken whatever their values; :func:`check_trainer` judges them later. A trainer that wraps another one wraps the old one.
    Raises ValueError: M710 unknown trainer, M711 a name that is not a setting of any trainer.
    """
    from spacy_mtl.registry import mtl_trainers

    old = block["trainer"]
    name = _full_name("trainer", name or old["@mtl_trainers"], mtl_trainers)
    allowed = _defaults(mtl_trainers.get(name))
    known = {setting for function in mtl_trainers.get_all().values() for setting in _defaults(function)}
    for setting, _ in settings:
        if setting not in known:
            raise ValueError(Errors.M711.format(name=setting, trainer=name, known=", ".join(allowed)))
    old_settings = {key: value for key, value in old.items() if not key.startswith("@")}
    if "trainer" in allowed and name != old["@mtl_trainers"]:
        old_settings = {"trainer": old}
    asked = dict(settings)
    wanted = old_settings | asked
    other = {"C"} if name != old["@mtl_trainers"] and not {name, old["@mtl_trainers"]} <= ONE_SCALE else set()
    alike = {key for key, v in wanted.items() if key in allowed and key not in other and _alike(v, allowed[key])}
    taken = {key: v for key, v in wanted.items() if key in alike or (key in asked and key in allowed)}
    block["trainer"] = {"@mtl_trainers": name, **allowed, **taken}
    return [key for key in wanted if key not in taken]


def check_trainer(block: Block) -> None:
    """Refuse what the trainer refuses, before anything is written. A block that refers to other parts of the config is not checked.

    Raises ValueError: the trainer's own errors, or M716 for values of a wrong type.
    """
    from spacy import registry

    if "${" in json.dumps(block):
        return
    try:
        registry.resolve({"trainer": block})
    except ValueError as error:
        if str(error).startswith("[M"):
            raise
        raise ValueError(Errors.M716.format(trainer=block["@mtl_trainers"], reason=reason_of(error))) from None


def _alike(value: Any, default: Any) -> bool:
    """Whether a value has the type of a default: two trainers may use one name for different things."""
    kinds = [float if isinstance(v, int | float) and not isinstance(v, bool) else type(v) for v in (value, default)]
    return value is None or default is None or kinds[0] is kinds[1]


def read_config(path: Path) -> tuple["Config", ConfigText]:
    """A config, with its references as they are written, and its text. Raises ValueError (M709)."""
    from spacy.util import load_config

    try:
        return load_config(path, interpolate=False), ConfigText(path.read_text(encoding="utf8"))
    except OSError as error:
        reason = (error.strerror or "there is no such file").lower()
    except Exception as error:  # configparser and confection each complain in their own way
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
    raise ValueError(Errors.M709.format(path=path, reason=reason))


def _component(config: "Config", path: Path, name: str | None) -> tuple[str, Block]:
    """Name and block of the component to change: the named one, or the only one with a trainer."""
    found = {key: block for key, block in config.get("components", {}).items() if "trainer" in block}
    if name is None and len(found) == 1:
        return next(iter(found.items()))
    if name is None and found:
        raise ValueError(Errors.M718.format(path=path, names=", ".join(found)))
    if name is None or name not in found:
        component = f" '{name}'" if name is not None else ""
        raise ValueError(Errors.M712.format(path=path, component=component, names=", ".join(found) or "none"))
    return name, found[name]


def _full_name(kind: str, name: str, registry: "Registry") -> str:
    for full in (name, f"spacy_mtl.{name}", f"spacy_mtl.{name}.v1"):
        if full in registry:
            return full
    raise ValueError(Errors.M710.format(kind=kind, name=name, known=", ".join(sorted(registry.get_all()))))


def _defaults(function: Callable) -> Block:
    """Settings of a registered function and their defaults; None for those without a default."""
    return {name: None if p.default is p.empty else p.default for name, p in _parameters(function).items()}


def _parameters(function: Callable) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def _setting(text: str) -> tuple[str, Any]:
    """Split NAME=VALUE; the value is read as JSON if it is valid JSON, and as a string otherwise."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise ValueError(Errors.M713.format(text=text))
    try:
        read = json.loads(value)
    except ValueError:
        read = value
    # spaCy projects pass 0.3 on as 0.30000000000000004
    return name.strip(), float(f"{read:.15g}") if isinstance(read, float) else read
