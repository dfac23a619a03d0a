"""What the README says works, and it names everything that can be named in a config."""

import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from spacy_mtl.templates.arcs.program import check_arc_templates
from spacy_mtl.templates.grammar import parse_templates

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def code(language, containing):
    (found,) = [text for name, text in BLOCKS if name == language and containing in text]
    return found


def test_python_examples_run(tmp_path):
    using = code("python", "spacy.load").replace("training/quickstart/model-best", "my-model")
    script = code("python", "nlp.update") + using + code("python", "mtl_attributes")
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=tmp_path, capture_output=True, encoding="utf8", check=False
    )
    assert done.returncode == 0, done.stderr
    report, score, heaviest, entities = done.stdout.splitlines()
    assert report.startswith("Report(primal=")
    assert float(score) > 0.5
    assert "pattern" in heaviest
    assert "('Universidad de los Andes', 'ORG')" in entities


def test_template_example_parses():
    assert [template.name for template in parse_templates(code("", "%x["))] == ["U00", "U01", "U02", "B", "B01"]
    arcs = parse_templates(code("", "%h["))
    check_arc_templates(arcs)
    assert {obs.place for template in arcs for obs in template.observations} == set("hmbdsgc")


def test_every_name_is_mentioned():
    names = {point.name for point in distribution("spacy-mtl").entry_points} - {"mtl"}
    assert "mtl_ner" in names
    assert {name for name in names if f"`{name}`" not in TEXT} == set()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_and_files_exist(page):
    text = (ROOT / page).read_text(encoding="utf8")
    links = re.findall(r"\]\(([^):]+)\)", text)
    files = re.findall(r"`((?:spacy_mtl|tests|configs|benchmarks)/[\w/.]*)`", text)
    assert links or files
    assert [name for name in {*links, *files} if not (ROOT / name).exists()] == []


def test_picture_is_small():
    assert (ROOT / "docs" / "templates-esp-conll2002.png").stat().st_size < 150_000
