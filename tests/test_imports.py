"""Imports go one way: templates and structures at the bottom, trainers on contracts, components join them, insight and commands on top."""

import ast
import subprocess
import sys
from importlib.util import resolve_name
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "spacy_mtl"
FILES = sorted(PACKAGE.rglob("*.py"))
BASE = {"errors", "files", "kernels", "registry", "roots", "thresholds"}
#: what each part may import of the package besides itself
MAY_IMPORT = {
    **dict.fromkeys(BASE, BASE),
    "templates": BASE,
    "structures": BASE,
    "trainers": BASE | {"structures.contract", "structures.problem"},
    "sequences": BASE | {"structures", "trainers"},
    "components": BASE | {"templates", "structures", "trainers"},
    "corpora": BASE,
    "training": BASE | {"corpora"},
    "insight": BASE | {"templates", "structures", "trainers", "components", "corpora", "training"},
    "cli": BASE | {"templates", "structures", "trainers", "components", "corpora", "training", "insight"},
}
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


def covers(allowed: set[str], name: str) -> bool:
    """Whether ``name`` (without the package's) is one of the allowed modules or inside one."""
    return any(name == module or name.startswith(f"{module}.") for module in allowed)


def in_parts(*parts: str) -> list[Path]:
    return [path for path in FILES if part_of(name_of(path)) in parts]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_go_one_way(path):
    part = part_of(name_of(path))
    own = {name.removeprefix("spacy_mtl.") for name in imports(path) if name.startswith("spacy_mtl.")}
    allowed = MAY_IMPORT.get(part, set()) | {part}
    assert not {name for name in own if not covers(allowed, name)}


def test_every_part_has_its_rule():
    assert {part_of(name_of(path)) for path in FILES} - {""} == set(MAY_IMPORT)


def test_the_rules_see_what_is_imported():
    assert "spacy_mtl.structures.contract" in imports(PACKAGE / "structures" / "problem.py")
    assert "spacy_mtl.components.store" in imports(PACKAGE / "components" / "saved.py")
    assert "spacy.training" in imports(PACKAGE / "components" / "base.py")
    assert "spacy_mtl.trainers.cutting_plane" in imports(PACKAGE / "trainers" / "mtlstruct.py")


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
    "module", ["spacy_mtl.components.ner", "spacy_mtl.components.segmenter", "spacy_mtl.trainers.mtlstruct"]
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
