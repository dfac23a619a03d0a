import json
import subprocess
import sys
from pathlib import Path

import pytest
from spacy.cli import app
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from spacy_mtl.choosing.blocks import use_templates, use_trainer
from spacy_mtl.registry import mtl_trainers

SOURCE = Path(__file__).parents[2] / "configs" / "ner.cfg"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "config", *map(str, args)])


def changed(tmp_path, *args):
    """The config written, and what the command said."""
    result = invoke(SOURCE, tmp_path / "out.cfg", *args)
    assert (result.exit_code, result.stderr) == (0, "")
    return load_config(tmp_path / "out.cfg"), result.stdout.splitlines()


def test_without_options_nothing_changes_but_defaults_are_written(tmp_path):
    config, said = changed(tmp_path)
    before = load_config(SOURCE)
    assert said == []
    trainer = config["components"]["ner"].pop("trainer")
    given = before["components"]["ner"].pop("trainer")
    assert config == before
    assert {**trainer, **given} == trainer
    assert trainer["solver"] == "dual_ascent"


def test_everything_at_once(tmp_path):
    args = ["--lang", "ned", "--templates", "conll2002", "--trainer", "SSVM", "--set", "C=0.30000000000000004"]
    config, said = changed(tmp_path, *args)
    ner = config["components"]["ner"]
    assert config["nlp"]["lang"] == "nl"
    assert ner["model"]["templates"] == {"@mtl_templates": "spacy_mtl.conll2002.v1", "min_count": 1}
    assert (ner["trainer"]["@mtl_trainers"], ner["trainer"]["C"]) == ("spacy_mtl.SSVM.v1", 0.3)
    assert ner["trainer"]["average"] == load_config(SOURCE)["components"]["ner"]["trainer"]["average"]
    assert said == [
        "'tag' is left out: spacy_mtl.conll2002.v1 has no such setting",
        "'p' is left out: spacy_mtl.SSVM.v1 has no such setting",
    ]
    nlp = load_model_from_config(config, auto_fill=True)
    assert (nlp.lang, nlp.get_pipe("ner").trainer.p) == ("nl", 2.0)


def test_full_names_and_values_that_are_text(tmp_path):
    config, _ = changed(tmp_path, "--templates", "spacy_mtl.ner.v1", "--set", "solver=cutting_plane", "--set", "p = 1")
    ner = config["components"]["ner"]
    assert (ner["trainer"]["solver"], ner["trainer"]["p"]) == ("cutting_plane", 1)


def test_a_trainer_that_wraps_another_takes_the_one_that_is_there(tmp_path):
    config, said = changed(tmp_path, "--trainer", "StructReg", "--set", "size=3.5")
    before = load_config(SOURCE)["components"]["ner"]["trainer"]
    trainer = config["components"]["ner"]["trainer"]
    assert said == []
    assert (trainer["@mtl_trainers"], trainer["size"]) == ("spacy_mtl.StructReg.v1", 3.5)
    assert trainer["trainer"] == before
    nlp = load_model_from_config(config, auto_fill=True)
    assert before["C"] == nlp.get_pipe("ner").trainer.trainer.C


@pytest.mark.parametrize(
    ("value", "default", "alike"), [(6, False, False), (6, 1.5, True), ("a", None, True), (6, "a", False)]
)
def test_settings_of_one_name_are_kept_only_where_they_are_of_one_kind(tmp_path, monkeypatch, value, default, alike):
    def other(average=default, C=1.0):
        return None

    monkeypatch.setattr(type(mtl_trainers), "get", lambda self, name: other)
    block = {"trainer": {"@mtl_trainers": "spacy_mtl.SSVM.v1", "average": value, "C": 3}}
    left_out = use_trainer(block, "SSVM", [])
    assert block["trainer"]["average"] == (value if alike else default)
    assert block["trainer"]["C"] == 3
    assert left_out == ([] if alike else ["average"])


def test_settings_asked_for_are_taken_whatever_their_kind(tmp_path):
    """Values of the config may mean something else to another trainer; what is asked for is meant for this one."""
    regularizer = {"l21": 1.0, "l2": 0.1}
    config, said = changed(tmp_path, "--trainer", "OnlineMKL", "--set", f"regularizer={json.dumps(regularizer)}")
    assert config["components"]["ner"]["trainer"]["regularizer"] == regularizer
    assert not any("regularizer" in line for line in said)


@pytest.mark.parametrize(
    ("args", "start"),
    [
        (["--set", "C=0,5"], "[M716] spacy_mtl.MTLStruct.v1 does not take these settings: trainer.C: '0,5' is not float. "),
        (["--set", "average=6.5"], "[M716] spacy_mtl.MTLStruct.v1 does not take these settings: trainer.average: 6.5 is not int. "),
        (["--trainer", "CRF", "--set", "average=6"], "[M716] spacy_mtl.CRF.v1 does not take these settings: trainer.average: "),
        (["--trainer", "StructReg", "--set", 'trainer={"@mtl_trainers": "none"}'], "[M716] spacy_mtl.StructReg.v1 "),
        (["--set", "p=0.5"], "[M303]"),
    ],
)  # fmt: skip
def test_settings_of_a_wrong_kind_are_refused(tmp_path, args, start):
    result = invoke(SOURCE, tmp_path / "out.cfg", *args)
    assert result.exit_code == 1
    assert result.stderr.startswith(start)
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out.cfg").exists()


def test_a_setting_of_another_type_is_left_out(tmp_path):
    _, said = changed(tmp_path, "--trainer", "CRF")
    assert "'average' is left out: spacy_mtl.CRF.v1 has one of another type" in said


@pytest.mark.parametrize(
    ("trainer", "C", "hint"),
    [
        ("SSVM", 0.3, None),
        ("CRF", 0.3, None),
        ("MIRA", 1.0, "another)"),
        ("L1M3N", 1.0, "another; good for text: 10 to 100)"),
    ],
)
def test_a_constant_of_another_scale_is_left_out(tmp_path, trainer, C, hint):
    """The penalties of two trainers may differ, so that what is good for one is far too small for the other."""
    config, said = changed(tmp_path, "--trainer", trainer)
    assert config["components"]["ner"]["trainer"]["C"] == C
    told = f"'C' is left out: spacy_mtl.{trainer}.v1 has one of another scale, which is at its default, 1 (--set C=VALUE chooses {hint}"
    assert [line for line in said if line.startswith("'C'")] == ([told] if hint else [])
    config, said = changed(tmp_path, "--trainer", trainer, "--set", "C=20")
    assert config["components"]["ner"]["trainer"]["C"] == 20
    assert not any(line.startswith("'C'") for line in said)
    invoke(tmp_path / "out.cfg", tmp_path / "same.cfg", "--trainer", trainer)
    assert load_config(tmp_path / "same.cfg")["components"]["ner"]["trainer"]["C"] == 20


def templates_after(before, *names):
    """The block of templates after one set was asked for after the other."""
    block = {"model": {"templates": before}}
    return [use_templates(block, name) for name in names], block["model"]["templates"]


def test_templates_that_are_there_already_keep_their_settings(tmp_path):
    config, said = changed(tmp_path, "--templates", "ner", "--set", "components.ner.model.templates.noisy=true")
    before = load_config(SOURCE)["components"]["ner"]["model"]["templates"]
    assert before["tag"] is False
    assert config["components"]["ner"]["model"]["templates"] == {**before, "noisy": True}
    assert said == []


def test_other_templates_take_settings_of_the_same_name_and_type():
    before = {
        "@mtl_templates": "spacy_mtl.parse.v1",
        "tag": None,
        "form": "ORTH",
        "siblings": False,
        "morph": False,
        "min_count": 3,
    }
    (gone,), block = templates_after(before, "mst")
    assert gone == ["form", "morph"]  # mst.v1 may do without forms
    assert (block["tag"], block["siblings"], block["min_count"], block["form"]) == (None, False, 3, "ORTH")
    assert block["coarse"] is None  # "auto" is the default of parse.v1 alone


def test_defaults_are_those_of_the_new_templates():
    before = {"@mtl_templates": "spacy_mtl.morph.v1", "usual_tags": False, "min_count": 2, "stems": True}
    gone, block = templates_after(before, "pos", "mst")
    assert (gone, block["tag"], block["min_count"]) == ([[], ["usual_tags"]], "TAG", 1)


def test_templates_of_code_that_is_not_at_hand_give_way():
    (gone,), block = templates_after({"@mtl_templates": "theirs.v1", "tag": False}, "ner")
    assert (gone, block["tag"]) == (["tag"], True)


def test_settings_of_templates_that_are_not_known_are_left_out_for_that_reason(tmp_path):
    theirs = tmp_path / "theirs.cfg"
    theirs.write_text(SOURCE.read_text(encoding="utf8").replace("spacy_mtl.ner.v1", "theirs.v1"), encoding="utf8")
    result = invoke(theirs, tmp_path / "out.cfg", "--templates", "ner")
    assert result.exit_code == 0
    line = "'tag' is left out: spacy_mtl.ner.v1 has one, which may mean something else: theirs.v1 is not known here"
    assert line in result.stdout.splitlines()


def test_templates_that_refer_to_another_block_give_way(tmp_path):
    """The block that is referred to may be that of other components, too, and stays."""
    text = SOURCE.read_text(encoding="utf8")
    head, found, tail = text.partition("[components.ner.model.templates]")
    text = f"{head}templates = ${{shared.templates}}\n\n[shared]\n\n[shared.templates]{tail}"
    shared = tmp_path / "shared.cfg"
    shared.write_text(text, encoding="utf8")
    result = invoke(shared, tmp_path / "out.cfg", "--templates", "conll2002")
    assert (found != "", result.exit_code, result.stderr) == (True, 0, "")
    config = load_config(tmp_path / "out.cfg", interpolate=False)
    templates = {"@mtl_templates": "spacy_mtl.conll2002.v1", "min_count": 1}
    assert config["components"]["ner"]["model"]["templates"] == templates
    assert config["shared"] == load_config(shared, interpolate=False)["shared"]


def test_a_trainer_that_refers_to_another_block_gives_way(tmp_path):
    """It does so only where the trainer changes; the block that is referred to stays."""
    text = SOURCE.read_text(encoding="utf8")
    text = text.replace("[components.ner.trainer]", "[shared]\n\n[shared.trainer]")
    shared = tmp_path / "shared.cfg"
    shared.write_text(
        text.replace("[components.ner]\n", "[components.ner]\ntrainer = ${shared.trainer}\n"), encoding="utf8"
    )
    before = load_config(shared, interpolate=False)
    for options, name, C in (
        (("--templates", "tp1"), None, None),
        (("--set", "C=3"), "spacy_mtl.MTLStruct.v1", 3),
        (("--trainer", "SSVM"), "spacy_mtl.SSVM.v1", before["shared"]["trainer"].get("C", 1.0)),
    ):
        result = invoke(shared, tmp_path / "out.cfg", *options)
        assert (result.exit_code, result.stderr, result.exception) == (0, "", None)
        config = load_config(tmp_path / "out.cfg", interpolate=False)
        assert config["shared"] == before["shared"]
        found = config["components"]["ner"]["trainer"]
        if name is None:
            assert found == "${shared.trainer}"
        else:
            assert (found["@mtl_trainers"], found["C"]) == (name, C)
    shared.write_text(shared.read_text().replace("{shared.trainer}", "{shared.none}"), encoding="utf8")
    assert invoke(shared, tmp_path / "out.cfg", "--trainer", "SSVM").stderr.startswith("[M709]")


@pytest.mark.parametrize("nlp", ["", "[nlp]\npipeline = []\n\n", "[nlp]\nlang = null\n\n"])
def test_a_config_without_a_language(tmp_path, nlp):
    text = SOURCE.read_text(encoding="utf8")
    plain = tmp_path / "plain.cfg"
    plain.write_text(f"{nlp}[components]\n\n[components.ner]{text.partition('[components.ner]')[2]}", encoding="utf8")
    result = invoke(plain, tmp_path / "out.cfg")
    assert result.stderr.startswith(f"[M709] The config '{plain}' cannot be read: [nlp] has no lang.")
    assert invoke(plain, tmp_path / "out.cfg", "--lang", "es").exit_code == 0
    assert load_config(tmp_path / "out.cfg", interpolate=False)["nlp"]["lang"] == "es"


def test_variables_stay(tmp_path):
    changed(tmp_path)
    config = load_config(tmp_path / "out.cfg", interpolate=False)
    assert config["corpora"]["train"]["path"] == "${paths.train}"


@pytest.mark.parametrize(
    ("name", "full"), [("tp1", "tp1.v1"), ("seg", "seg.v1"), ("seg.v1", "seg.v1"), ("spacy_mtl.seg.v1", "seg.v1")]
)
def test_names_of_templates_may_be_short(tmp_path, name, full):
    assert invoke(SOURCE, tmp_path / "out.cfg", "--templates", name).exit_code == 0
    config = load_config(tmp_path / "out.cfg", interpolate=False)
    assert config["components"]["ner"]["model"]["templates"]["@mtl_templates"] == f"spacy_mtl.{full}"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--templates", "nothing"], "[M710]"),
        (["--trainer", "spacy_mtl.Nothing.v1"], "[M710]"),
        (["--set", "nothing=1"], "[M711]"),
        (["--set", "C"], "[M713]"),
        (["--set", "=3"], "[M713]"),
        (["--component", "tagger"], "[M712]"),
    ],
)
def test_bad_input_is_one_message_and_a_failure(tmp_path, args, code):
    result = invoke(SOURCE, tmp_path / "out.cfg", *args)
    assert (result.exit_code, result.stderr[:6]) == (1, code)
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out.cfg").exists()


def test_files_that_cannot_be_read_or_written(tmp_path):
    bad = tmp_path / "bad.cfg"
    bad.write_text("[nlp", encoding="utf8")
    for path in (tmp_path / "nowhere.cfg", tmp_path, bad):
        result = invoke(path, tmp_path / "out.cfg")
        assert (result.exit_code, result.stderr[:6]) == (1, "[M709]")
        assert len(result.stderr.splitlines()) == 1
    assert invoke(SOURCE, bad / "out.cfg").stderr.startswith("[M704]")


def test_config_without_trainer(tmp_path):
    plain = tmp_path / "plain.cfg"
    plain.write_text('[nlp]\nlang = "es"\n\n[components]\n', encoding="utf8")
    message = invoke(plain, tmp_path / "out.cfg").stderr
    assert message.startswith("[M712]")
    assert "has no component with a trainer; components that have one: none." in message


def test_config_with_several_trainers():
    result = invoke(SOURCE.with_name("chinese.cfg"), "out.cfg", "--trainer", "EG")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M718]")
    assert "segmenter, tagger, ner. Name the one to change with --component." in result.stderr


def test_settings_that_the_trainer_refuses_are_refused_before_anything_is_written(tmp_path):
    result = invoke(SOURCE, tmp_path / "out.cfg", "--trainer", "EG", "--set", "mode=fast")
    assert result.exit_code == 1
    assert "M306" in result.stderr + result.stdout
    assert not (tmp_path / "out.cfg").exists()


def comments(path):
    return [line for line in path.read_text(encoding="utf8").splitlines() if line.startswith("#")]


def test_comments_and_order_stay(tmp_path):
    changed(tmp_path, "--trainer", "SSVM", "--templates", "conll2002", "--set", "training.patience=3")
    found, before = comments(tmp_path / "out.cfg"), comments(SOURCE)
    gone = [line for line in before if line not in found]
    assert found == [line for line in before if line in found]
    settings = (
        "exponent of the block norm",
        "true to read part-of-speech tags",
        "true to read clusters",
        "true for hashtags",
    )
    assert len(gone) == len(settings), gone  # those of p, "tag", "clusters" and "noisy", which are gone too
    assert all(any(setting in line for line in gone) for setting in settings), gone


def test_a_line_break_inside_of_a_string_stays(tmp_path):
    text = SOURCE.read_text(encoding="utf8").replace("[nlp]", '[nlp]\n# mine: "one\u2028two"', 1)
    (tmp_path / "mine.cfg").write_text(text, encoding="utf8")
    assert invoke(tmp_path / "mine.cfg", tmp_path / "out.cfg", "--set", "C=7").exit_code == 0
    assert '# mine: "one\u2028two"' in (tmp_path / "out.cfg").read_text(encoding="utf8").split("\n")


def test_a_config_that_is_changed_back_is_the_same_but_for_defaults(tmp_path):
    changed(tmp_path, "--set", "C=7")
    result = invoke(tmp_path / "out.cfg", tmp_path / "back.cfg", "--set", "C=0.3")
    assert result.exit_code == 0
    lines = iter((tmp_path / "back.cfg").read_text(encoding="utf8").splitlines())
    assert all(line in lines for line in SOURCE.read_text(encoding="utf8").splitlines())  # in this order


def test_a_wrapped_trainer_keeps_its_comments(tmp_path):
    changed(tmp_path, "--trainer", "StructReg")
    text = (tmp_path / "out.cfg").read_text(encoding="utf8")
    inner = text[text.index("[components.ner.trainer.trainer]") :]
    assert "# exponent of the block norm" in inner
    assert text.index("[components.ner.trainer]") < text.index("[components.ner.trainer.trainer]")


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("components.ner.costs", '{"*>O": 3}', {"*>O": 3}),
        ("components.ner.overwrite", "true", True),
        ("components.ner.model.megabytes", "null", None),
        ("corpora.train.group", "0", 0),
        ("corpora.train.limit", "5", 5),
        ("training.patience", "3", 3),
        ("paths.more", "a.conll", "a.conll"),
        ("nlp.batch_size", "10", 10),
        ("components.ner.trainer.C", "2", 2),
    ],
)
def test_any_setting(tmp_path, name, value, found):
    config, said = changed(tmp_path, "--set", f"{name}={value}")
    for key in name.split("."):
        config = config[key]
    assert config == found
    assert said == []


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("components.ner.cots=1", "[M725]"),
        ("corpora.train.columms=1", "[M725]"),
        ("training.patence=1", "[M725]"),
        ("nlp.language=xx", "[M725]"),
        ("components.tagger.overwrite=true", "[M726]"),
        ("components.ner.trainer.C=-1", "[M302]"),
    ],
)
def test_settings_that_there_are_not(tmp_path, setting, code):
    result = invoke(SOURCE, tmp_path / "out.cfg", "--set", setting)
    assert (result.exit_code, result.stderr[:6]) == (1, code)
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out.cfg").exists()


def test_settings_are_known_in_a_process_that_has_done_nothing_else(tmp_path):
    """The registries of this package are there only once a module of it has made them."""
    settings = ["--set", "components.ner.trainer.C=2", "--set", "components.ner.model.templates.tag=true"]
    command = [sys.executable, "-m", "spacy", "mtl", "config", str(SOURCE), str(tmp_path / "out.cfg"), *settings]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    ner = load_config(tmp_path / "out.cfg")["components"]["ner"]
    assert (ner["trainer"]["C"], ner["model"]["templates"]["tag"]) == (2, True)


def test_settings_of_code_that_is_not_at_hand_are_not_checked(tmp_path):
    text = SOURCE.read_text(encoding="utf8").replace("spacy_mtl.whole_corpus.v1", "theirs.v1")
    (tmp_path / "theirs.cfg").write_text(text, encoding="utf8")
    result = invoke(tmp_path / "theirs.cfg", tmp_path / "out.cfg", "--set", "training.batcher.size=3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert load_config(tmp_path / "out.cfg")["training"]["batcher"]["size"] == 3


def test_languages(tmp_path):
    assert invoke(SOURCE, tmp_path / "out.cfg", "--lang", "xx").exit_code == 0
    assert changed(tmp_path, "--lang", "deu")[0]["nlp"]["lang"] == "de"  # the only code that spaCy takes in a config
    result = invoke(SOURCE, tmp_path / "none.cfg", "--lang", "qq")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M515]")
    assert len(result.stderr.splitlines()) == 1
