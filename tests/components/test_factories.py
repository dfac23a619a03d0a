"""What spaCy imports for every pipeline, one without our components too, is next to nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Has this checkout's entry points in place of those of whatever is installed.
OWN_ENTRY_POINTS = """
import sys
from importlib.metadata import EntryPoint
import catalogue
try:
    import tomllib
except ImportError:
    import tomli as tomllib
groups = tomllib.loads(open("pyproject.toml", encoding="utf8").read())["project"]["entry-points"]
installed = catalogue.AVAILABLE_ENTRY_POINTS

class Points:
    def select(self, group):
        others = [point for point in installed.select(group=group) if not point.value.startswith("spacy_mtl.")]
        return [*others, *(EntryPoint(name, value, group) for name, value in groups.get(group, {}).items())]

catalogue.AVAILABLE_ENTRY_POINTS = Points()
"""
HEAVY = {"numba", "llvmlite", "scipy", "cvxpy", "highspy", "conllu", "matplotlib"}


def loaded_after(code: str) -> set[str]:
    code += "\nprint('\\n'.join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", OWN_ENTRY_POINTS + code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('sentencizer'); assert nlp.has_factory('mtl_ner')",
        "import spacy; nlp = spacy.blank('en'); nlp.get_factory_meta('mtl_parser'); nlp('One.').to_bytes()",
        "from spacy.cli._util import setup_cli; import spacy.util; spacy.util.registry.cli.get_all()",
    ],
)
def test_a_pipeline_without_our_components_does_not_pay_for_them(code):
    loaded = loaded_after(code)
    assert any(name.startswith("spacy_mtl.") for name in loaded)  # the entry points were loaded
    assert not {name.partition(".")[0] for name in loaded} & HEAVY


def test_components_made_from_the_light_factories_are_whole():
    """With their registries, and a factory that plug-ins may still import from a component's module."""
    code = """
import spacy
nlp = spacy.blank("en")
for name in ("ner", "tagger", "parser"):
    nlp.add_pipe(f"mtl_{name}")
    assert nlp.get_pipe_meta(f"mtl_{name}").assigns
nlp.config.to_str()
assert {"spacy_mtl.ner.v1"} <= set(spacy.registry.mtl_templates.get_all())
assert {"spacy_mtl.MTLStruct.v1"} <= set(spacy.registry.mtl_trainers.get_all())
from spacy_mtl.components import factories, ner
assert ner.make_ner is factories.make_ner
"""
    assert "numba" in loaded_after(code)
