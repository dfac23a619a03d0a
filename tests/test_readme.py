"""The README is short, its links lead somewhere, and its two commands are there; README and docs name all that can be named in a config.

That its blocks work is tested in tests/docs/.
"""

import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from spacy_mtl.templates.arcs.program import check_arc_templates
from spacy_mtl.templates.grammar import parse_templates

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf8")
LINES = README.splitlines()
DOCS = [path.read_text(encoding="utf8") for path in sorted((ROOT / "docs").rglob("*.md"))]


def test_it_is_short():
    assert len(LINES) <= 180


def test_the_commands_of_a_clone():
    """``.ci/run`` runs the second."""
    (quickstart,) = [line for line in LINES if line.endswith("-m spacy project run quickstart")]
    (tests,) = [line for line in LINES if line.endswith("-m pytest")]
    for line in (quickstart, tests):
        assert line.startswith("python3 -m venv ${VENV:-.venv} && ${VENV:-.venv}/bin/pip install ")


def test_every_name_is_mentioned():
    names = {point.name for point in distribution("spacy-mtl").entry_points} - {"mtl"}
    assert "mtl_ner" in names
    text = "\n".join([README, *DOCS])
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_every_command_is_mentioned():
    from spacy_mtl.cli import mtl

    commands = {command.name for command in mtl.registered_commands}
    assert "evaluate" in commands
    text = "\n".join([README, *DOCS])
    assert {name for name in commands if f"spacy mtl {name}" not in text} == set()


def test_the_readme_names_components_and_trainers():
    points = distribution("spacy-mtl").entry_points
    names = {point.name for point in points if point.group in ("spacy_factories", "spacy_mtl_trainers")}
    assert {name for name in names if f"`{name}`" not in README} == set()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_and_files_exist(page):
    text = (ROOT / page).read_text(encoding="utf8")
    links = re.findall(r"\]\(([^):#]+)(?:#[\w-]*)?\)", text)
    files = re.findall(r"`((?:spacy_mtl|tests|configs|benchmarks)/[\w/.]*)`", text)
    assert links or files
    assert [name for name in {*links, *files} if not (ROOT / name).exists()] == []


def test_picture_is_small():
    assert (ROOT / "docs" / "templates-esp-conll2002.png").stat().st_size < 150_000


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_what_the_readme_trains_is_worth_having(tmp_path):
    (script,) = [code for code in blocks(README, "python") if "nlp.update" in code]
    script += 'print(nlp.evaluate(list(ConllCorpus("assets/es-entities/test.conll")(nlp)))["ents_f"])\n'
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=tmp_path, capture_output=True, encoding="utf8", check=False
    )
    assert done.returncode == 0, done.stderr
    report, heaviest, score = done.stdout.splitlines()
    assert report.startswith("Report(primal=")
    assert "pattern" in heaviest
    assert float(score) > 0.5


def test_the_examples_of_templates():
    page = (ROOT / "docs" / "templates.md").read_text(encoding="utf8")
    examples = [parse_templates(text) for text in blocks(page, "templates")]
    assert [template.name for template in examples[0]] == ["U00", "U01", "U02", "B", "B01"]
    (arcs,) = [found for found in examples if any(obs.place == "c" for t in found for obs in t.observations)]
    check_arc_templates(arcs)
    assert {obs.place for template in arcs for obs in template.observations} == set("hmbdsgc")
