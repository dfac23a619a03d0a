"""Blocks of configs: merged into a config of the package, and made into a pipeline."""

import re
from typing import Any

from spacy.language import Language
from spacy.schemas import ConfigSchemaInit, ConfigSchemaTraining
from spacy.util import load_config, load_model_from_config, registry
from thinc.api import Config

Section = dict[str, Any]


def check_config(text: str) -> Language:
    """The pipeline of a block, whole or as a part of one of ``configs/``; what it names must exist and take these settings.

    Readers are made too where their files exist.
    """
    block = Config().from_str(with_parents(text), interpolate=False)
    unknown = set(block.get("training", {})) - set(ConfigSchemaTraining.model_fields)
    assert not unknown, f"no settings of [training]: {unknown}"
    config = block if "nlp" in block else merge(base_config(block), block)
    return make(config)


def with_parents(text: str) -> str:
    """A part of a config with the headings of the sections around its own, which it may leave out."""
    lines: list[str] = []
    seen: set[str] = set()
    for line in text.splitlines():
        heading = re.match(r"\[([\w.]+)\]", line)
        if heading:
            names = heading[1].split(".")
            around = [".".join(names[:k]) for k in range(1, len(names) + 1)]
            lines += [f"[{name}]" for name in around[:-1] if name not in seen]
            seen.update(around)
        lines.append(line)
    return "\n".join(lines)


def base_config(block: Section) -> Config:
    """The config of the package that a part belongs to; a component it does not have goes to the end of its pipeline."""
    names = list(block.get("components", {}))
    readers = {reader.get("@readers") for reader in block.get("corpora", {}).values()}
    several = len(names) > 1 or "segmenter" in block.get("training", {}).get("annotating_components", [])
    if several:
        name = "chinese"
    elif "spacy_mtl.ConlluCorpus.v1" in readers:
        name = "parser"
    elif "spacy_mtl.SegmentedCorpus.v1" in readers:
        name = "segmenter"
    else:
        name = next((name for name in names if name in ("ner", "tagger", "segmenter", "parser")), "ner")
    config = load_config(f"configs/{name}.cfg", interpolate=False)
    config["nlp"]["pipeline"] += [other for other in names if other not in config["nlp"]["pipeline"]]
    return config


def merge(base: Section, block: Section) -> Config:
    """The block's settings over those of the base. Another function (``@...``) or factory takes none of the old one's settings."""
    merged = Config(base)
    for key, value in block.items():
        old = merged.get(key)
        if isinstance(value, dict) and isinstance(old, dict) and not another_function(old, value):
            merged[key] = merge(old, value)
        else:
            merged[key] = value
    return merged


def another_function(old: Section, new: Section) -> bool:
    names = [key for key in new if key.startswith("@") or key == "factory"]
    return any(old.get(name) != new[name] for name in names)


def make(config: Config) -> Language:
    """The pipeline of a config. Raises whatever spaCy raises for settings that cannot be."""
    config = Config().from_str(config.to_str(), interpolate=False)
    nlp = load_model_from_config(config, auto_fill=True)
    filled = nlp.config.interpolate()
    registry.resolve(filled["training"], schema=ConfigSchemaTraining)
    registry.resolve(filled["initialize"], schema=ConfigSchemaInit)
    for reader in filled["corpora"].values():
        registry.resolve({"reader": reader})
    return nlp


def check_overrides(config: Config, overrides: dict[str, Any]) -> None:
    """An override must change a setting that the config has: spaCy itself takes any name in a section."""
    for name in overrides:
        section: Any = config
        for key in name.split("."):
            assert key in section, f"--{name} is no setting of this config"
            section = section[key]
