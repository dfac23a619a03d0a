"""The project file: its quickstart runs, and its other workflows ask for the files they should."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly
from spacy.util import load_config

ROOT = Path(__file__).parents[1]


@pytest.fixture
def project(tmp_path):
    for name in ("configs", "assets/es-entities", "assets/nl-trees", "assets/en-constituents", "assets/zh-words"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "project.yml", tmp_path)
    return tmp_path


def run(project, *args):
    """What ``spacy project run`` prints; its output must be free of tracebacks."""
    done = subprocess.run(
        [sys.executable, "-m", "spacy", "project", "run", *args],
        cwd=project, env={**os.environ, "PYTHONIOENCODING": "utf8"}, capture_output=True, encoding="utf8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_quickstart(project):
    said = run(project, "quickstart")
    assert "GAP %" in said
    assert "templates are live" in said
    metrics = json.loads((project / "metrics" / "quickstart.json").read_text())
    assert metrics["ents_f"] > 0.6
    assert metrics["ents_per_type"].keys() == {"PER", "LOC", "ORG", "MISC"}
    weights = json.loads((project / "metrics" / "quickstart-templates.json").read_text())
    assert weights["components"]["ner"]["live_templates"] > 10
    rows = [json.loads(line) for line in (project / "training" / "quickstart" / "log.jsonl").read_text().splitlines()]
    assert rows[-1]["reports"]["ner"]["gap"] < rows[0]["reports"]["ner"]["gap"]
    assert "Skipping 'quickstart-train'" in run(project, "quickstart-train")
    table = [line.split() for line in said[said.rindex("component ") :].splitlines() if line.strip()]
    assert table[0][:5] == ["component", "corpus", "score", "dev", "test"]
    rows = {row[0]: row for row in table[1:]}
    assert [row[:3] for row in table[1:]] == [
        ["ner", "es-entities", "ents_f"],
        ["tagger", "es-entities", "tag_acc"],
        ["segmenter", "zh-words", "token_f"],
        ["parser", "nl-trees", "dep_uas"],
        ["parser", "nl-trees", "dep_las"],
    ]
    assert 70 < float(rows["parser"][4]) < 100
    assert float(rows["tagger"][4]) > 85
    assert float(rows["segmenter"][4]) > 90
    assert all(float(row[5]) >= 0 and 0 < float(row[6]) < 10 for row in rows.values())


def test_tag(project):
    said = run(project, "tag")
    assert "TAG_ACC" in said
    assert json.loads((project / "metrics" / "tag.json").read_text())["tag_acc"] > 0.85
    assert json.loads((project / "metrics" / "tag-templates.json").read_text())["components"]["tagger"][
        "live_templates"
    ]


def test_parse_a_folder_of_trees(project, tmp_path):
    folder = tmp_path / "treebank"
    folder.mkdir()
    text = (ROOT / "assets/nl-trees/train.conllu").read_text(encoding="utf8")
    trees = [block + "\n\n" for block in text.split("\n\n") if block.strip()]
    for name, part in {"a.conllu": trees[:60], "b.conllu": trees[60:75], "c.conllu": trees[75:90]}.items():
        (folder / name).write_text("".join(part), encoding="utf8")
    variables = {"trees": folder, "trees_train": "a.conllu", "trees_dev": "b.conllu", "trees_test": "c.conllu"}
    said = run(
        project, "parse", ".", *(str(text) for name, value in variables.items() for text in (f"--vars.{name}", value))
    )
    assert "DEP_UAS" in said
    assert "UAS" in said
    metrics = json.loads((project / "metrics/parse.json").read_text())
    assert 0.6 < metrics["dep_las"] < metrics["dep_uas"] < 1
    weights = json.loads((project / "metrics/parse-templates.json").read_text())
    assert weights["components"]["parser"]["live_templates"] > 10


def test_all_columns_of_a_treebank(project):
    run(project, "ud", ".", "--vars.ud_folds", "2")
    words, raw = (json.loads((project / f"metrics/{name}.json").read_text()) for name in ("ud", "ud-raw"))
    assert words["Sentences"]["f1"] == 1
    assert min(words[name]["f1"] for name in ("UPOS", "UFeats", "Lemmas")) > 0.8
    assert 0.7 < words["LAS"]["f1"] < words["UAS"]["f1"] < 1
    assert raw["Sentences"]["f1"] > 0.9
    train = (project / "training/ud/train.conllu").read_text(encoding="utf8")
    gold = (ROOT / "assets/nl-trees/train.conllu").read_text(encoding="utf8")
    assert train.count("\n") >= gold.count("\n") - gold.count("# ")
    assert train.count("VERB") != gold.count("VERB")  # predicted, and not always right


def test_constituents(project):
    said = run(project, "constituents")
    assert "CONSTITUENTS_F" in said
    assert "sentences without a wrong constituent" in said
    metrics = json.loads((project / "metrics/constituents.json").read_text())
    assert 0.8 < metrics["constituents_f"] <= 1
    assert {"NP", "VP", "S"} <= metrics["constituents_per_type"].keys()
    weights = json.loads((project / "metrics/constituents-templates.json").read_text())
    assert weights["components"]["constituents"]["live_templates"] > 10


def test_segment_a_folder_of_texts(project, tmp_path):
    folder = tmp_path / "bakeoff"
    folder.mkdir()
    lines = (ROOT / "assets" / "zh-words" / "train.txt").read_text(encoding="utf8").splitlines(keepends=True)
    for name, part in {
        "my_train.utf8": lines[:90],
        "my_dev.utf8": lines[90:110],
        "my_gold.utf8": lines[110:130],
    }.items():
        (folder / name).write_text("".join(part), encoding="utf8")
    variables = {"words": folder, "words_train": "my_train.utf8", "words_dev": "my_dev.utf8"}
    variables |= {"words_test": "my_gold.utf8", "lexicon": "my_train.utf8", "folds": 3, "megabytes": 5}
    said = run(
        project, "segment", ".", *(str(text) for name, value in variables.items() for text in (f"--vars.{name}", value))
    )
    assert "TOKEN_F" in said
    assert "recall of unknown words" in said
    metrics = json.loads((project / "metrics/segment.json").read_text())
    assert metrics["token_f"] == pytest.approx(metrics["seg_f"])
    assert 0.5 < metrics["seg_f"] < 1
    assert metrics["seg_r_iv"] > metrics["seg_r_oov"] > 0
    weights = json.loads((project / "metrics/segment-templates.json").read_text())
    assert weights["components"]["segmenter"]["live_templates"] > 10


def test_ner_on_a_folder_of_corpora(project, tmp_path):
    folder = tmp_path / "elsewhere" / "conll2002"
    folder.mkdir(parents=True)
    for part, split in {"train": "train", "testa": "dev", "testb": "test"}.items():
        lines = (ROOT / "assets" / "es-entities" / f"{split}.conll").read_text(encoding="utf8")
        (folder / f"ned.{part}").write_text(lines, encoding="latin-1", errors="replace")
    variables = {"corpora": folder.parent, "lang": "ned", "encoding": "latin-1", "passes": 2}
    variables |= {"templates": "conll2002", "trainer": "SSVM", "C": 0.1}
    run(project, "ner", ".", *(str(text) for name, value in variables.items() for text in (f"--vars.{name}", value)))
    for part in ("", "-dev"):
        assert json.loads((project / f"metrics/ner-ned-conll2002{part}.json").read_text())["ents_f"] > 0.3
    trained = project / "training" / "ner-ned-conll2002"
    assert json.loads((trained / "model-best" / "meta.json").read_text())["lang"] == "nl"
    assert "spacy_mtl.SSVM.v1" in (trained / "model-best" / "config.cfg").read_text(encoding="utf8")
    assert len((trained / "log.jsonl").read_text().splitlines()) == 2


def test_settings_of_the_project_go_with_any_trainer(project):
    """average is a number of passes to MTLStruct, a yes or no to the CRF."""
    said = run(project, "ner-config", ".", "--vars.trainer", "CRF", "--vars.C", "0.1")
    assert "'average' is left out" in said
    ner = load_config(project / "training" / "ner-esp-ner" / "train.cfg")["components"]["ner"]
    assert ner["model"]["templates"]["tag"] is True
    trainer = ner["trainer"]
    assert (trainer["@mtl_trainers"], trainer["C"], trainer["average"]) == ("spacy_mtl.CRF.v1", 0.1, False)


def filled_in(text: str, variables: dict) -> str:
    """Variables of the project as they are by default."""
    return re.sub(r"\$\{vars\.(\w+)\}", lambda match: str(variables[match[1]]), text)


def test_every_dependency_is_there_or_made_by_an_earlier_command():
    config = srsly.read_yaml(ROOT / "project.yml")
    commands = {command["name"]: command for command in config["commands"]}
    for steps in config["workflows"].values():
        made = set()
        for name in steps:
            for dep in commands[name]["deps"]:
                known = dep in made or dep.startswith("${vars.corpora}/")
                assert known or (ROOT / filled_in(dep, config["vars"])).exists(), (name, dep)
            made.update(commands[name]["outputs"])
    assert all(asset["url"].startswith("https://") and asset["extra"] for asset in config["assets"])
