"""Imports go one way, down the floors of the house, and never in a circle."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "spacy_mtl"
FILES = sorted(PACKAGE.rglob("*.py"))
#: the floors of the house from the top down; a part imports from itself and from floors below, but for FORBIDDEN
FLOORS = [
    {"cli", "testing"},
    {"report", "sharded"},
    {"annotation", "choosing", "insight"},
    {"components"},
    {"segmentation"},
    {
        "clustering",
        "confidence",
        "distributed",
        "explaining",
        "learning",
        "sequences",
        "survey",
        "training",
        "treebanks",
    },
    {"models", "trainers", "corpora"},
    {"structures", "templates"},
    {
        "blanks",
        "cluster",
        "compiling",
        "configs",
        "constituents",
        "distinct",
        "errors",
        "files",
        "kernels",
        "languages",
        "lemmas",
        "morphology",
        "registry",
        "roots",
        "running",
        "sentences",
        "settings",
        "stand_in",
        "stored",
        "tables",
        "threads",
        "thresholds",
        "true_words",
    },
]
FLOOR = {part: number for number, floor in enumerate(FLOORS) for part in floor}
#: parts that know less than their floor would let them: what they must not import
FORBIDDEN = {
    "cli": {"sequences", "trainers", "structures", "models"},
    "testing": {"components", "segmentation", "learning", "sequences", "training", "models", "corpora", "templates"},
    "components": {"sequences", "training", "corpora"},
    "segmentation": {"sequences", "training", "corpora", "trainers"},
    "confidence": {"sequences", "training", "corpora", "trainers", "learning", "treebanks", "survey"},
    "explaining": {"sequences", "training", "corpora", "trainers", "learning", "treebanks", "survey"},
    "distributed": {"models", "templates", "corpora"},
    "learning": {"corpora"},
    "sequences": {"models", "templates", "corpora"},
    "training": {"models", "trainers", "structures", "templates"},
    "trainers": {"templates"},
    "corpora": {"templates", "structures"},
}
#: all that trainers see of structures
CONTRACT = {"spacy_mtl.structures.contract", "spacy_mtl.structures.problem"}
#: what parts without a pipeline may import of spaCy
SPACY_DATA = {"spacy.tokens", "spacy.vocab", "spacy.attrs", "spacy.strings"}
UNPICKLERS = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def name_of(path: Path) -> str:
    parts = ("spacy_mtl", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(part for part in parts if part != "__init__")


def imports(path: Path) -> set[str]:
    """Full names of the modules a file imports, inside functions too; of ``from . import x`` the module x."""
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
            names = {f"{module}.{alias.name}" for alias in node.names}
            found |= {name for name in names if is_module(name)} or {module}
    return found


def is_module(name: str) -> bool:
    path = PACKAGE.parent / name.replace(".", "/")
    return name.startswith("spacy_mtl") and (path.with_suffix(".py").exists() or path.is_dir())


def part_of(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def in_parts(*parts: str) -> list[Path]:
    return [path for path in FILES if part_of(name_of(path)) in parts]


def own_imports(path: Path) -> set[str]:
    """Modules of the package that a file imports."""
    return {name for name in imports(path) if name.startswith("spacy_mtl.")}


def may_import(part: str, other: str) -> bool:
    """Whether a file of one part may import from another: below it, or beside it on the lowest floor, and not forbidden."""
    if part == other:
        return True
    lowest = len(FLOORS) - 1
    below = FLOOR[other] > FLOOR[part] or FLOOR[other] == FLOOR[part] == lowest
    return below and other not in FORBIDDEN.get(part, set())


@pytest.mark.parametrize("path", [path for path in FILES if path != PACKAGE / "__init__.py"], ids=name_of)
def test_no_import_runs_up_a_floor(path):
    part = part_of(name_of(path))
    assert not {name for name in own_imports(path) if not may_import(part, part_of(name))}


def test_trainers_see_the_contract_alone():
    seen = {name for path in in_parts("trainers") for name in own_imports(path) if part_of(name) == "structures"}
    assert seen == CONTRACT


def first_circle(graph: dict[str, set[str]]) -> list[str]:
    """Files that import each other in a circle; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_file_imports_in_a_circle():
    """Imports inside functions and for type checking count, too."""
    assert first_circle({name_of(path): own_imports(path) for path in FILES}) == []


def test_a_circle_would_be_found():
    assert first_circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert not first_circle({"a": {"b", "c"}, "b": {"c"}})


def test_every_part_has_its_floor():
    assert {part_of(name_of(path)) for path in FILES} - {""} == set(FLOOR)


def test_the_rules_see_what_is_imported():
    assert "spacy_mtl.structures.contract" in imports(PACKAGE / "structures" / "problem.py")
    assert "spacy_mtl.models.store" in imports(PACKAGE / "models" / "chain" / "model.py")
    assert "spacy.training" in imports(PACKAGE / "components" / "protocol" / "base.py")
    assert "spacy_mtl.trainers.mtlstruct.cutting_plane" in imports(PACKAGE / "trainers" / "mtlstruct" / "trainer.py")


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda path: path.name)
def test_folders_stay_small(folder):
    """A folder that one can take in at a glance: at most 14 files side by side, none above 350 lines."""
    files = sorted(folder.glob("*.py"))
    assert len(files) <= 14
    assert [file.name for file in files if file.read_text(encoding="utf8").count("\n") > 350] == []


@pytest.mark.parametrize("path", in_parts("templates", "structures", "trainers", "sequences"), ids=name_of)
def test_parts_below_the_components_know_no_pipeline(path):
    outside = {name for name in imports(path) if name.split(".")[0] in ("spacy", "thinc")}
    allowed = SPACY_DATA if part_of(name_of(path)) == "templates" else set()
    assert outside <= allowed


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_unpickles(path):
    assert not {name.split(".")[0] for name in imports(path)} & UNPICKLERS


def loaded_with(module: str) -> set[str]:
    """Modules that importing ``module`` in a fresh interpreter loads."""
    code = f"import sys, {module}; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_sequences_do_without_spacy():
    loaded = loaded_with("spacy_mtl.sequences")
    assert not {name.partition(".")[0] for name in loaded} & {"spacy", "thinc"}


@pytest.mark.parametrize(
    "module", ["spacy_mtl.components.ner", "spacy_mtl.components.segmenter", "spacy_mtl.trainers.mtlstruct.trainer"]
)
def test_component_and_trainer_load_no_more_than_they_need(module):
    loaded = loaded_with(module)
    assert module in loaded
    assert not loaded & {
        "cvxpy",
        "scipy.optimize",
        "scipy.cluster",
        "scipy.sparse.linalg",
        "matplotlib",
        "conllu",
        "pandas",
        "sklearn",
        "torch",
    }
