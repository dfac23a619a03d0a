"""Clusters and lists of phrases in a new config, which are read once, so that faults are found before anything is written."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy_mtl.errors import Errors
from spacy_mtl.settings import shown

from .config_text import ConfigText, written

if TYPE_CHECKING:
    from spacy_mtl.survey.found import Survey
    from spacy_mtl.survey.propose import Choice
    from spacy_mtl.tables.phrases import PhraseList


@dataclass(frozen=True)
class OwnTables:
    """blocks: the settings that make each table, by its name. lists: those of phrases. choices: settings of the templates that read them."""

    blocks: dict[str, dict[str, Any]]
    lists: "dict[str, PhraseList]"
    choices: "list[Choice]"


def own_tables(lang: str, pipeline: list[str], clusters: str | None, lists: list[str]) -> OwnTables:
    """Read the tables that were asked for.

    Raises ValueError: M744 without ner, M745 for a list that is not NAME=FILE, M769 for two lists of one name, M801-M817.
    """
    from spacy_mtl.survey.propose import Choice
    from spacy_mtl.tables.brown import read_brown
    from spacy_mtl.tables.lookups import read_lookups
    from spacy_mtl.tables.phrase_files import read_phrases

    if (clusters is not None or lists) and "ner" not in pipeline:
        raise ValueError(Errors.M744.format(names=", ".join(pipeline)))
    blocks: dict[str, dict[str, Any]] = {}
    read: dict[str, PhraseList] = {}
    section, choices = "components.ner.model.templates", []
    if clusters == "lookups":
        read_lookups(lang)
        blocks["CLUSTER"] = {"@mtl_tables": "spacy_mtl.lookups.v1", "lang": "${nlp.lang}"}
    elif clusters is not None:
        read_brown(Path(clusters))
        blocks["CLUSTER"] = {"@mtl_tables": "spacy_mtl.brown.v1", "path": clusters}
    if clusters is not None:
        reason = "read clusters of words, which tell what unknown words are like"
        choices.append(Choice(section, "clusters", True, reason))
    for text in lists:
        name, path = _named(text)
        if name in read:
            raise ValueError(Errors.M769.format(name=shown(name.removeprefix("LIST_"))))
        read[name] = read_phrases(Path(path))
        blocks[name] = {"@mtl_tables": "spacy_mtl.phrases.v1", "path": path, "fold_case": False, "fold_accents": False}
    if lists:
        choices.append(Choice(section, "lists", list(read), "read where phrases of these lists are"))
    return OwnTables(blocks, read, choices)


def fold_lists(tables: OwnTables, train: "Survey", dev: "Survey") -> "list[Choice]":
    """Have training divide the lists that come from the training part, which it would trust blindly; returns these settings with the reason."""
    from spacy_mtl.survey.phrases import origin_of
    from spacy_mtl.survey.propose import Choice

    choices = []
    for name, phrases in tables.lists.items():
        if origin := origin_of(phrases, train, dev):
            tables.blocks[name] |= {"folds": 2, "label": origin.label}
            of = f"{origin.label} entities" if origin.label else "entities"
            shares = f"it has {origin.train:.0%} of the {of} of {train.path.name}, and {origin.dev:.0%} of those of {dev.path.name}"
            reason = f"{shares}, so it comes from the former, and would be trusted too much as a whole"
            choices.append(Choice(f"initialize.components.ner.tables.{name}", "folds", 2, reason))
    return choices


def _named(text: str) -> tuple[str, str]:
    """Name and file of a list. Raises ValueError (M745)."""
    name, _, path = text.partition("=")
    name = f"LIST_{name.removeprefix('LIST_')}"
    if not (path and name.removeprefix("LIST_").isidentifier()):
        raise ValueError(Errors.M745.format(text=shown(text)))
    return name, path


def add_tables(text: ConfigText, tables: OwnTables) -> None:
    """Add the blocks that make the tables to the section [initialize]."""
    if not tables.blocks:
        return
    text.remove("initialize", "components")
    lines = ["[initialize.components]", "", "[initialize.components.ner]", ""]
    lines += ["# they are read before training, and saved with the model", "[initialize.components.ner.tables]", ""]
    for name, settings in tables.blocks.items():
        lines += [f"[initialize.components.ner.tables.{name}]"]
        lines += [
            f"{key} = {value if str(value).startswith('${') else written(value)}" for key, value in settings.items()
        ]
        lines += [""]
    text.add_section("\n".join(lines), after="initialize")
