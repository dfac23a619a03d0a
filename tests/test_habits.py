"""Files that tools outside of the tests read: they parse, and what they name exists."""

import re
import sys
from pathlib import Path

import pytest
import srsly

from spacy_mtl.errors import Errors
from spacy_mtl.sequences import archive
from spacy_mtl.stored import arrays

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
HOOKS = srsly.read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
FORMS = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
CITATION = srsly.read_yaml(ROOT / "CITATION.cff")


def workflow():
    return srsly.read_yaml(ROOT / ".github" / "workflows" / "tests.yml")


def steps(job) -> list[dict]:
    return workflow()["jobs"][job]["steps"]


def commands(job) -> str:
    return "\n".join(step.get("run", "") for step in steps(job))


def versions() -> list[str]:
    """3.x of the classifiers."""
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in PROJECT["classifiers"]]
    return [match.group(1) for match in found if match]


def test_classifiers_tests_and_requirement_agree_on_pythons():
    assert workflow()["jobs"]["tests"]["strategy"]["matrix"]["python"] == versions()
    first, last = versions()[0], versions()[-1]
    assert PROJECT["requires-python"] == f">={first},<3.{int(last.split('.')[1]) + 1}"
    assert len(versions()) == int(last.split(".")[1]) - int(first.split(".")[1]) + 1


@pytest.mark.parametrize("job", ["lint", "tests", "smoke", "docs", "readme"])
def test_jobs_of_the_workflow(job):
    """Every step does one thing, and installs only extras that there are."""
    assert all(("uses" in step) != ("run" in step) for step in steps(job))
    extras = re.findall(r"\[(\w+(?:,\w+)*)\]", commands(job))
    assert {name for text in extras for name in text.split(",")} <= set(PROJECT["optional-dependencies"])
    paths = re.findall(r"\b(?:tests|configs|assets)/[\w./-]+", commands(job))
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_workflow_is_all_there():
    assert set(workflow()["jobs"]) == {"lint", "tests", "smoke", "docs", "readme"}
    assert workflow()["permissions"] == {"contents": "read"}


def test_the_commands_that_are_read_from_the_readme_are_there():
    readme = (ROOT / "README.md").read_text(encoding="utf8").splitlines()
    for text, ending in (
        (commands("readme"), r"spacy project run quickstart"),
        ((ROOT / ".ci" / "run").read_text(), "-m pytest"),
    ):
        assert f"{ending}$' README.md" in text
        assert any(line.endswith(ending) for line in readme)


def test_hooks_of_pre_commit_need_no_other_repository():
    hooks = {hook["id"]: hook for repo in HOOKS if repo["repo"] == "local" for hook in repo["hooks"]}
    assert {repo["repo"] for repo in HOOKS} == {"local", "meta"}
    assert {"ruff-check", "ruff-format", "mypy", "check-toml", "check-yaml"} <= set(hooks)
    for hook in hooks.values():
        if hook["language"] == "system":
            assert hook["entry"].startswith("python -m ")
        else:
            assert all(re.search(r"==\d+(\.\d+)+$", package) for package in hook["additional_dependencies"])


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms(path):
    form = srsly.read_yaml(path)
    assert form["name"]
    assert form["description"]
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in asked)
    assert len({field["id"] for field in asked}) == len(asked) > 1


def test_citation_names_version_licence_and_the_five_papers():
    assert (CITATION["title"], CITATION["version"], CITATION["license"]) == (
        PROJECT["name"].replace("-", "_"),
        PROJECT["version"],
        PROJECT["license"],
    )
    assert {paper["notes"] for paper in CITATION["references"]} == {
        "MTLStruct",
        "L1M3N",
        "EG",
        "OnlineMKL",
        "StructReg",
    }
    registered = PROJECT["entry-points"]["spacy_mtl_trainers"]
    assert all(f"spacy_mtl.{paper['notes']}.v1" in registered for paper in CITATION["references"])
    assert all(paper["authors"] and paper["year"] for paper in CITATION["references"])


def test_security_names_what_there_is():
    """``docs/security.md`` is the same text."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf8")
    assert [code for code in re.findall(r"M\d{3}", text) if not hasattr(Errors, code)] == []
    places = re.findall(r"`(tests/[\w/.]+)`", text)
    assert places
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_security_has_the_limits_of_the_code():
    text = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf8").split())
    assert f"at most {arrays.FREE >> 20} megabytes and {arrays.RATIO} times its bytes" in text
    assert f"more than {archive.EXPANSION} times its size and {archive.SPARE >> 20} megabytes" in text


def test_every_target_of_the_makefile_says_what_it_does():
    text = (ROOT / "Makefile").read_text(encoding="utf8")
    targets = re.findall(r"^([a-z]+):(.*)$", text, re.MULTILINE)
    assert [name for name, _ in targets] == ["help", "install", "test", "lint", "docs", "bench"]
    assert all("  ## " in rest for _, rest in targets)
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony.split() == [name for name, _ in targets]


EXAMPLES = re.findall(
    r"^```diff\n--- (\S+)\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8"), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("file", "diff"), EXAMPLES)
def test_worked_examples_change_lines_that_there_are(file, diff):
    lines = (ROOT / file).read_text(encoding="utf8").splitlines()
    changed = [line[1:] for line in diff.splitlines() if not line.startswith("+")]
    assert changed
    assert [line for line in changed if lines.count(line) != 1] == []


def test_there_are_worked_examples():
    assert len(EXAMPLES) == 4
