"""``python -m spacy mtl config``: change the language, template set, trainer or any other setting of a config, and keep its comments.

The overrides of ``spacy train`` can change single settings, but another trainer or template set has settings of its own.
"""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.choosing.blocks import use_templates, use_trainer
from spacy_mtl.errors import Errors

from .shared.any_setting import set_any
from .shared.config_text import ConfigText
from .shared.languages import check_language
from .shared.messages import clear_errors, reason_of
from .shared.output import write_file

if TYPE_CHECKING:
    from thinc.api import Config

#: The language names in the files of CoNLL-2002, and their codes.
FILE_LANGUAGES = {"esp": "es", "ned": "nl"}

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
            config.setdefault("nlp", {})["lang"] = FILE_LANGUAGES.get(lang, lang)
        left_out: list[str] = []
        if templates is not None or trainer is not None or not full or len(full) < len(asked):
            name, block = _component(config, source, component)
            if templates is not None:
                gone = use_templates(block, templates)
                old = before["components"][name].get("model", {}).get("templates")
                left_out += _told(gone, block["model"]["templates"], "@mtl_templates", _not_known(old))
            of_trainer = [(name, value) for name, value in asked if "." not in name]
            if isinstance(block["trainer"], Mapping) or trainer is not None or of_trainer:
                block["trainer"] = _own_trainer(config, source, name)
                gone = use_trainer(block, trainer, of_trainer)
                left_out += _told(gone, block["trainer"], "@mtl_trainers")
                _keep_wrapped(text, f"components.{name}", before["components"][name], block["trainer"])
        for name, value in full:
            set_any(config, name, value)
        code = check_language(_lang_of(config, source))
        if lang is not None:
            config["nlp"]["lang"] = code
        for block in config.get("components", {}).values():
            if "trainer" in block:
                check_trainer(block["trainer"])
        write_changes(text, before, config)
        write_file(output, str(text).encode())
    for line in left_out:
        typer.echo(line)


def _lang_of(config: "Config", path: Path) -> str:
    """The language of a config. Raises ValueError (M709) where it has none."""
    nlp = config.get("nlp")
    lang = nlp.get("lang") if isinstance(nlp, Mapping) else None
    if not isinstance(lang, str):
        raise ValueError(Errors.M709.format(path=path, reason="[nlp] has no lang"))
    return lang


def _own_trainer(config: "Config", path: Path, name: str) -> Block:
    """The trainer of a component. A block that it refers to may be that of other components, too, so that its values are copied.

    Raises ValueError (M709) where the reference leads nowhere.
    """
    if isinstance(trainer := config["components"][name]["trainer"], Mapping):
        return dict(trainer)
    try:
        return dict(config.interpolate()["components"][name]["trainer"])
    except Exception as error:  # confection has several kinds of its own
        raise ValueError(Errors.M709.format(path=path, reason=reason_of(error))) from None


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
