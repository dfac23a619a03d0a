"""docs/: settings, the table of needs and offers, attributes and template sets are those of the code."""

import json
import re
from inspect import Parameter, signature
from pathlib import Path

import pytest
import spacy
from thinc.api import Config

from spacy_mtl.registry import mtl_templates
from spacy_mtl.structures.chain.build import CHAIN_OFFERS
from spacy_mtl.structures.tree.build import tree_offers
from spacy_mtl.templates.attributes.characters import CHARACTER_CONTEXT
from spacy_mtl.templates.attributes.context import CONTEXT_ATTRIBUTES
from spacy_mtl.templates.attributes.learned import LEARNED
from spacy_mtl.templates.attributes.reader import _OWN_LEXICAL
from spacy_mtl.trainers.crf.trainer import CRF, crf
from spacy_mtl.trainers.eg.trainer import EG, eg
from spacy_mtl.trainers.l1m3n.trainer import L1M3N, l1_m3n
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct, mtl_struct, ssvm
from spacy_mtl.trainers.online.mira import MIRA, mira
from spacy_mtl.trainers.online.perceptron import Perceptron, perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL, online_mkl
from spacy_mtl.trainers.structreg import StructReg, struct_reg

DOCS = Path(__file__).parents[1] / "docs"
#: The registered factory behind each page.
FACTORIES = {
    "mtlstruct": mtl_struct, "l1m3n": l1_m3n, "eg": eg, "onlinemkl": online_mkl, "crf": crf, "perceptron": perceptron,
    "mira": mira, "structreg": struct_reg,
}  # fmt: skip
COMPONENTS = ("ner", "tagger", "segmenter", "parser")
#: by row of the table: the trainers it is true of, and the marks that count as "needs" for each of them
ROWS = {
    "`MTLStruct`, `SSVM`": [
        (MTLStruct(), {"needs"}),
        (MTLStruct(solver="cutting_plane"), {"needs"}),
        (ssvm(), {"needs"}),
    ],
    "`L1M3N`": [(L1M3N(algorithm=name), {"needs"}) for name in ("em", "laplace", "subgradient", "cutting_plane")],
    "`EG`": [(EG(mode=mode), {"needs"}) for mode in ("online", "batch", "batch_primal")],
    "`OnlineMKL`": [(OnlineMKL(), {"needs", "hinge"}), (OnlineMKL(loss="log"), {"needs", "log"})],
    "`CRF`": [
        (CRF(), {"needs"}),
        (CRF(algorithm="sgd"), {"needs"}),
        (CRF(penalty="l1"), {"needs", "l1"}),
        (CRF(penalty="irw"), {"needs"}),
    ],
    "`Perceptron`": [(Perceptron(), {"needs"})],
    "`MIRA`": [(MIRA(), {"needs"})],
}


def table() -> dict[str, dict[str, str]]:
    """Rows of the table of needs: heading of the row, then of the column, to mark."""
    lines = (DOCS / "trainers" / "index.md").read_text(encoding="utf8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    begin = next(k for k, row in enumerate(cells) if row[:2] == ["trainer", "decode"])
    heads = cells[begin][1:]
    return {row[0]: dict(zip(heads, row[1:], strict=True)) for row in cells[begin + 2 :] if len(row) == len(heads) + 1}


@pytest.mark.parametrize("row", ROWS)
def test_needs_of_each_trainer(row):
    for trainer, marks in ROWS[row]:
        assert {column for column, mark in table()[row].items() if mark in marks} == trainer.needs


def test_structure_regularization_needs_what_its_trainer_needs_and_cuts():
    assert StructReg(Perceptron()).needs == Perceptron().needs | {"cut"}
    assert table()["`StructReg`"]["cut"].startswith("needs")


def test_every_row_is_there():
    known = {*ROWS, "`StructReg`", "**offered by**", "linear chain", "linear chain with kernelised blocks"}
    assert known <= set(table())


def test_offers_of_chains():
    assert {column for column, mark in table()["linear chain"].items() if mark == "yes"} == CHAIN_OFFERS
    kernelised = {column for column, mark in table()["linear chain with kernelised blocks"].items() if mark == "yes"}
    assert kernelised == CHAIN_OFFERS - {"features"}


def test_offers_of_trees():
    def marks(row):
        return {column for column, mark in table()[row].items() if mark == "yes"}

    assert marks("dependency tree") == tree_offers(projective=True, second_order=True)
    assert marks("dependency tree") == tree_offers(projective=False, second_order=False)
    assert marks("crossing trees with pairs of siblings") == tree_offers(projective=False, second_order=True)
    for projective in (True, False):
        assert marks("trees with pairs with grandparents") == tree_offers(projective, True, grandparents=True)


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
