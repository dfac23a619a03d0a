"""docs/: settings, the table of needs and offers, attributes and template sets are those of the code."""

import json
import re
from inspect import Parameter, signature
from pathlib import Path

import pytest
import spacy
from thinc.api import Config

from spacy_mtl.registry import mtl_templates
from spacy_mtl.structures import contract
from spacy_mtl.templates.attributes.characters import CHARACTER_CONTEXT
from spacy_mtl.templates.attributes.context import CONTEXT_ATTRIBUTES
from spacy_mtl.templates.attributes.learned import LEARNED
from spacy_mtl.templates.attributes.reader import _OWN_LEXICAL
from spacy_mtl.testing.table import COLUMNS, TRAINERS, needs_table, written
from spacy_mtl.trainers.crf.trainer import crf
from spacy_mtl.trainers.eg.trainer import eg
from spacy_mtl.trainers.l1m3n.trainer import l1_m3n
from spacy_mtl.trainers.mtlstruct.trainer import mtl_struct, ssvm
from spacy_mtl.trainers.online.mira import MIRA, mira
from spacy_mtl.trainers.online.perceptron import Perceptron, perceptron
from spacy_mtl.trainers.online_mkl.trainer import online_mkl
from spacy_mtl.trainers.structreg import StructReg, struct_reg

DOCS = Path(__file__).parents[1] / "docs"
#: The registered factory behind each page.
FACTORIES = {
    "mtlstruct": mtl_struct, "l1m3n": l1_m3n, "eg": eg, "onlinemkl": online_mkl, "crf": crf, "perceptron": perceptron,
    "mira": mira, "structreg": struct_reg,
}  # fmt: skip
COMPONENTS = ("ner", "tagger", "segmenter", "parser")


def test_the_table_of_needs_is_that_of_the_code():
    """``python -m spacy_mtl.testing.table docs/trainers/index.md`` writes it anew."""
    assert written((DOCS / "trainers" / "index.md").read_text(encoding="utf8")) == needs_table()


def test_every_registered_trainer_is_in_the_table():
    kinds = {type(trainer) for trainers in TRAINERS.values() for trainer in trainers}
    registered = {type(make(Perceptron()) if make is struct_reg else make()) for make in FACTORIES.values()}
    assert registered == kinds | {StructReg}


def test_a_row_of_the_table():
    """What the table says is what trainers and problems say of themselves."""
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in needs_table().splitlines()}
    assert [bool(cell.strip()) for cell in rows["`MIRA`"]] == [column in MIRA().needs for column in COLUMNS]
    kernelised = [bool(cell.strip()) for cell in rows["linear chain with kernelised blocks"]]
    assert kernelised == [column not in ("metric", "features") for column in COLUMNS]


def test_the_page_on_structures_names_what_is_to_be_written():
    """Each group's row names the functions that nothing else makes up for, and no other but those it speaks of as made of other groups."""
    lines = (DOCS / "structure.md").read_text(encoding="utf8").splitlines()
    for group in contract.GROUPS:
        (row,) = (line for line in lines if line.startswith(f"| `{group.name}` |"))
        named = set(re.findall(r"`(\w+)`", row.split("|")[3])) - {"Weights"}
        own = {function.generic.__name__ for function in group.functions}
        assert {function.generic.__name__ for function in contract.must_write(group)} <= named <= own


def settings(page: Path) -> dict[str, str]:
    """Defaults by setting, as the page's tables of settings say them."""
    rows = re.findall(r"^\| `(\w+)` \| (`[^`]*`|required) \| \S", page.read_text(encoding="utf8"), re.MULTILINE)
    assert len(rows) == len(dict(rows))
    return dict(rows)


@pytest.mark.parametrize("name", FACTORIES)
def test_settings_of_trainers(name):
    parameters = signature(FACTORIES[name]).parameters.values()
    expected = {
        p.name: "required" if p.default is Parameter.empty else f"`{json.dumps(p.default)}`" for p in parameters
    }
    assert settings(DOCS / "trainers" / f"{name}.md") == expected


def test_ssvm_has_the_settings_of_mtlstruct():
    shared = {p.name: p.default for p in signature(mtl_struct).parameters.values()}
    own = {p.name: p.default for p in signature(ssvm).parameters.values()}
    assert own.items() <= shared.items()
    line = next(
        line
        for line in (DOCS / "trainers/mtlstruct.md").read_text(encoding="utf8").splitlines()
        if line.startswith("`SSVM` takes")
    )
    assert set(re.findall(r"`(\w+)`", line)) == {*own, "SSVM"}


@pytest.mark.parametrize("name", COMPONENTS)
def test_settings_of_components(name):
    nlp = spacy.blank("xx")
    nlp.add_pipe(f"mtl_{name}")
    default = nlp.config["components"][f"mtl_{name}"]
    own = {
        key: f"`{json.dumps(value)}`"
        for key, value in default.items()
        if key not in ("factory", "model", "trainer", "scorer")
    }
    page = DOCS / "components" / f"{name}.md"
    assert settings(page) == own
    (block,) = re.findall(
        r"^```ini\n(.*?\[components\..*?)^```$", page.read_text(encoding="utf8"), re.MULTILINE | re.DOTALL
    )[:1]
    shown = Config().from_str("[components]\n" + block)["components"][name]
    again = spacy.blank("xx")
    again.add_pipe(shown.pop("factory"), config=shown)
    assert again.config["components"] == nlp.config["components"]
    assert {key: shown[key].keys() - {"templates"} for key in ("model",)} == {
        "model": default["model"].keys() - {"templates"}
    }
    assert shown["model"]["templates"] == default["model"]["templates"]
    assert shown.keys() == default.keys() - {"factory"}


def test_every_attribute_is_named():
    text = (DOCS / "templates.md").read_text(encoding="utf8")
    own = {*_OWN_LEXICAL, *CONTEXT_ATTRIBUTES, *CHARACTER_CONTEXT, *LEARNED}
    assert {attr for attr in own if f"`{attr}`" not in text} == set()


def test_template_sets_have_the_sizes_and_settings_that_are_named():
    text = (DOCS / "templates.md").read_text(encoding="utf8")
    sets = {name: mtl_templates.get(name) for name in mtl_templates.get_all()}
    assert {name for name in sets if f"`{name}`" not in text} == set()
    for name, without in {"ner": "tag", "pos": "usual_tags", "seg": "dictionary"}.items():
        full, rest = sets[f"spacy_mtl.{name}.v1"](), sets[f"spacy_mtl.{name}.v1"](**{without: False})
        row = next(line for line in text.splitlines() if line.startswith(f"| `spacy_mtl.{name}.v1`"))
        assert f"| {len(full.node)} templates" in row
        assert f"`false` leaves out the {len(full.node) - len(rest.node)} that" in row
        assert f"`{without} = true`" in row
    for name in ("parse", "mst"):
        row = next(line for line in text.splitlines() if line.startswith(f"| `spacy_mtl.{name}.v1`"))
        parameters = signature(sets[f"spacy_mtl.{name}.v1"]).parameters.values()
        shown = {f"`{p.name} = {json.dumps(p.default)}`" for p in parameters if p.name != "min_count"}
        assert {setting for setting in shown if setting not in row} == set()
