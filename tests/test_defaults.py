"""The settings of ``add_pipe`` and ``spacy init config`` are the recommended ones, those of ``configs/`` and of the pages on components."""

import re
from pathlib import Path

import pytest
import spacy
from spacy.util import load_config
from thinc.api import Config

ROOT = Path(__file__).parents[1]
#: What a config says of its own corpus, and nothing else may differ: its name, component and setting.
OWN = {
    ("tagger", "tagger", "pos_map"),
    ("chinese", "tagger", "pos_map"),
    ("chinese", "ner", "trainer.C"),  # a corpus of a few hundred sentences
    ("parser-fast", "parser", "margin"),
    ("parser-fast", "parser", "model.templates.siblings"),
    ("parser-fast", "parser", "model.templates.grandparents"),
}
COMPONENTS = [
    (path.stem, name)
    for path in sorted((ROOT / "configs").glob("*.cfg"))
    for name, block in load_config(path)["components"].items()
    if "factory" in block
]


def flat(block, prefix=""):
    """The settings of a block by their names with dots; ``pos_map`` and the like are settings as a whole."""
    found = {}
    for key, value in block.items():
        if isinstance(value, dict) and prefix + key not in ("pos_map", "costs"):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def filled(factory):
    """All settings of a component that is added by its name alone."""
    nlp = spacy.blank("xx")
    nlp.add_pipe(factory)
    return flat(nlp.config["components"][factory])


@pytest.mark.parametrize(("config", "name"), COMPONENTS)
def test_configs_have_the_defaults(config, name):
    written = flat(load_config(ROOT / "configs" / f"{config}.cfg")["components"][name])
    defaults = filled(written["factory"])
    differ = {key for key, value in written.items() if defaults[key] != value}
    assert {(config, name, key) for key in differ} <= OWN


@pytest.mark.parametrize(
    "name", ["ner", "tagger", "morphologizer", "lemmatizer", "senter", "segmenter", "parser", "constituents"]
)
def test_pages_show_the_defaults(name):
    page = (ROOT / "docs" / "components" / f"{name}.md").read_text(encoding="utf8")
    block = Config().from_str("[components]\n\n" + re.search(r"```ini\n(.*?)```", page, re.S)[1])
    written = flat(block["components"][name])
    defaults = filled(written["factory"])
    shown_as = {"megabytes", "templates"}  # settings that a page must show
    assert {key: value for key, value in written.items() if defaults[key] != value} == {}
    assert shown_as <= {part for key in written for part in key.split(".")}
