"""``spacy mtl init-ud``: configs for the columns that a treebank has, which train at once."""

from pathlib import Path
from unittest.mock import patch

import pytest
from spacy.cli import app
from spacy.cli.train import train
from spacy.util import load_config, load_model
from typer.testing import CliRunner

from spacy_mtl.cli.validate import make_pipeline
from spacy_mtl.components.biased.pipe import BiasPoint
from spacy_mtl.components.columns.senter import MTLSenter

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"
LEMMA, UPOS, XPOS, FEATS, HEAD, RELATION = 2, 3, 4, 5, 6, 7
QUICK = {"training.max_epochs": 1, "training.logger.progress_bar": False}


def treebank(tmp_path, *without, n=60):
    """The first sentences of the training and the dev part, with UPOS as XPOS, too, and some columns empty."""
    paths = []
    for part in ("train", "dev"):
        lines = (TREES / f"{part}.conllu").read_text(encoding="utf8").split("\n\n")[:n]
        rows = [row.split("\t") for row in "\n\n".join(lines).split("\n")]
        for row in rows:
            if len(row) == 10:
                row[XPOS] = row[UPOS]
                for column in without:
                    row[column] = "_"
        paths.append(tmp_path / f"my-{part}.conllu")
        paths[-1].write_text("\n".join("\t".join(row) for row in rows) + "\n\n", encoding="utf8")
    return paths


def joined(path):
    """The treebank with every "van de" as one token "vande" of two words; returns how many there are."""
    lines, n = [], 0
    rows = [row.split("\t") for row in path.read_text(encoding="utf8").split("\n") if not row.startswith("# text")]
    for row, following in zip(rows, [*rows[1:], [""]], strict=True):
        if row[1:2] == ["van"] and following[1:2] == ["de"]:
            lines.append("\t".join([f"{row[0]}-{following[0]}", "vande", *["_"] * 8]))
            n += 1
        lines.append("\t".join(row))
    path.write_text("\n".join(lines), encoding="utf8")
    return n


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", *map(str, args)])


def made(tmp_path, *without, lang="nl"):
    """What the command said, and its three configs."""
    result = invoke("init-ud", *treebank(tmp_path, *without), tmp_path / "ud", "--lang", lang)
    assert (result.exit_code, result.stderr) == (0, "")
    names = ("senter", "ud-tags", "ud")
    return result.stdout, *(load_config(tmp_path / "ud" / f"{name}.cfg", interpolate=True) for name in names)


def test_a_whole_treebank_gets_all_components(tmp_path):
    said, senter, tags, ud = made(tmp_path)
    assert "left out" not in said
    assert (
        f"The tokenizer learns from {tmp_path / 'my-train.conllu'} where tokens begin. It has no multiword tokens."
        in said
    )
    assert ud["initialize"]["tokenizer"]["corpus"]["path"] == str(tmp_path / "my-train.conllu")
    assert "spaCy does not know" not in said
    assert senter["nlp"]["pipeline"] == ["senter"]
    assert tags["nlp"]["pipeline"] == ["tagger", "morphologizer"]
    assert ud["nlp"]["pipeline"] == ["senter", "tagger", "morphologizer", "lemmatizer", "parser"]
    assert ud["nlp"]["lang"] == "nl"
    assert ud["corpora"]["train"]["path"] == str(tmp_path / "ud" / "train.conllu")
    assert ud["components"]["tagger"]["source"] == str(tmp_path / "ud" / "tags" / "model-best")


@pytest.mark.parametrize(
    ("without", "said", "pipeline", "given"),
    [
        ((XPOS,), "TAG from upos", ["tagger", "morphologizer", "lemmatizer", "parser"], ["TAG", "POS", "MORPH", "LEMMA"]),
        ((FEATS,), "no morphology", ["tagger", "morphologizer", "lemmatizer", "parser"], ["TAG", "POS", "MORPH", "LEMMA"]),
        ((LEMMA,), "There are no lemmas: 'lemmatizer' is left out.", ["tagger", "morphologizer", "parser"], ["TAG", "POS", "MORPH"]),
        ((UPOS, FEATS), "'morphologizer' is left out.", ["tagger", "lemmatizer", "parser"], ["TAG", "LEMMA"]),
    ],
)  # fmt: skip
def test_what_a_treebank_does_not_have_is_left_out_and_said(tmp_path, without, said, pipeline, given):
    output, _, tags, ud = made(tmp_path, *without)
    assert said in output
    assert ud["nlp"]["pipeline"] == ["senter", *pipeline]
    assert tags["nlp"]["pipeline"] == [name for name in pipeline if name in ("tagger", "morphologizer")]
    assert set(ud["components"]) == {"senter", *pipeline}
    assert ud["corpora"]["train"]["given"] == given
    assert ud["training"]["frozen_components"] == ["senter", *tags["nlp"]["pipeline"]]
    weights = {"lemma_acc", "dep_uas", "dep_las"} if "lemmatizer" in pipeline else {"dep_uas", "dep_las"}
    assert {score for score, weight in ud["training"]["score_weights"].items() if weight} == weights


@pytest.mark.parametrize(
    ("without", "weights"),
    [
        ((), {"tag_acc": 0.3, "pos_acc": 0.3, "morph_acc": 0.4}),
        ((FEATS,), {"tag_acc": 0.5, "pos_acc": 0.5, "morph_acc": None}),
        ((UPOS,), {"tag_acc": 0.43, "pos_acc": None, "morph_acc": 0.57}),
    ],
)
def test_the_score_of_a_missing_column_has_no_weight(tmp_path, without, weights):
    """Left out of the config, it would have that of the component."""
    made(tmp_path, *without)
    nlp = make_pipeline(tmp_path / "ud" / "ud-tags.cfg")
    found = nlp.config["training"]["score_weights"]
    assert {score: found[score] for score in weights} == weights
    ud = load_config(tmp_path / "ud" / "ud.cfg")["training"]["score_weights"]
    assert {score for score in ud if ud[score] is None} == {score for score in weights if weights[score] is None}


def check_bias(borders, dev):
    """The bias is tuned on the dev part and on the parts of the training corpus that the components of the folds have not seen."""
    bias, seen = ("bias", borders, dev, "--format", "conllu", "--sure", "--output", borders), []
    with patch.object(
        MTLSenter,
        "tune_bias",
        lambda self, *args: seen.append((self, *args[:3], list(args[3]))) or [BiasPoint(0.0, 1, 1, 1)],
    ):
        assert [invoke(*bias, "--folds", n).exit_code for n in (0, 3)] == [0, 0]
    (_, alone, _, sure, none), (senter, examples, beta, _, folds) = seen
    assert (len(alone), none, beta, sure) == (len(examples), [], 1.0, True)
    train = load_model(borders).config["paths"]["train"]
    words = [word for _, held_out in folds for each in held_out for word in each.reference]
    assert [word.text for word in words] == [row[1] for row in rows_of(train)]
    assert len({id(pipe) for pipe, _ in folds} | {id(senter)}) == 4
    real = invoke(*bias, "--folds", 3)
    assert (real.exit_code, real.stderr) == (0, "")
    assert "senter: the bias " in real.stdout
    assert "[M419] 'bias': --folds must be 0, or from 2 to 20, but is 1." in invoke(*bias, "--folds", 1).stderr


def rows_of(path):
    lines = Path(path).read_text(encoding="utf8").splitlines()
    return [line.split("\t") for line in lines if line.split("\t")[0].isdigit()]


def test_configs_have_the_code_that_spacy_has(tmp_path):
    said, *_ = made(tmp_path, lang="nld")
    assert "spaCy does not know" not in said
    assert {load_config(path)["nlp"]["lang"] for path in (tmp_path / "ud").glob("*.cfg")} == {"nl"}


def test_a_treebank_of_an_unknown_language_with_few_columns_trains(tmp_path):
    said, *_ = made(tmp_path, LEMMA, XPOS, FEATS, lang="qq")
    assert "spaCy does not know the language 'qq': the configs say 'xx'" in said
    folder = tmp_path / "ud"
    train(folder / "senter.cfg", folder / "borders", overrides=QUICK)
    check_bias(folder / "borders" / "model-best", tmp_path / "my-dev.conllu")
    train(folder / "ud-tags.cfg", folder / "tags", overrides=QUICK)
    command = ("jackknife", folder / "ud-tags.cfg", tmp_path / "my-train.conllu", folder / "train.conllu")
    assert invoke(*command, "--folds", 2, "--passes", 2).exit_code == 0
    train(folder / "ud.cfg", folder / "all", overrides=QUICK)
    nlp = load_model(folder / "all" / "model-best")
    assert nlp.lang == "xx"
    assert nlp.pipe_names == ["senter", "tagger", "morphologizer", "parser"]
    assert nlp("De hond slaapt .").has_annotation("DEP")


def test_a_treebank_with_multiword_tokens_gets_a_tokenizer_that_splits_them(tmp_path):
    paths = treebank(tmp_path, LEMMA, XPOS, FEATS, n=200)
    n, _ = map(joined, paths)
    assert n > 1
    folder = tmp_path / "ud"
    said = invoke("init-ud", *paths, folder, "--lang", "nl").stdout
    assert (
        f"The tokenizer learns from {paths[0]} where tokens begin, and how to split its {n} multiword tokens." in said
    )
    train(folder / "senter.cfg", folder / "borders", overrides=QUICK)
    train(folder / "ud-tags.cfg", folder / "tags", overrides=QUICK)
    command = ("jackknife", folder / "ud-tags.cfg", paths[0], folder / "train.conllu")
    assert invoke(*command, "--folds", 2, "--passes", 2).exit_code == 0
    train(folder / "ud.cfg", folder / "all", overrides=QUICK)
    raw, out = tmp_path / "raw.txt", tmp_path / "out.conllu"
    raw.write_text("De hond vande man.\n\nVande man.", encoding="utf8")
    for processes in (1, 2):
        found = invoke("annotate", folder / "all" / "model-best", raw, out, "--n-process", processes)
        assert (found.exit_code, found.stderr) == (0, "")
        tokens = [line.split("\t")[:2] for line in out.read_text(encoding="utf8").splitlines() if line[:1].isdigit()]
        first = [["1", "De"], ["2", "hond"], ["3-4", "vande"], ["3", "van"], ["4", "de"], ["5", "man"], ["6", "."]]
        assert tokens == [*first, ["1-2", "Vande"], ["1", "Van"], ["2", "de"], ["3", "man"], ["4", "."]]


@pytest.mark.parametrize(("without", "seen"), [((UPOS, XPOS), "no tags"), ((HEAD, RELATION), "no trees")])
def test_without_tags_or_trees_nothing_is_written(tmp_path, without, seen):
    result = invoke("init-ud", *treebank(tmp_path, *without), tmp_path / "ud", "--lang", "nl")
    assert result.exit_code == 1
    assert result.stderr.startswith("[M728] 'ud' cannot be trained on ")
    assert seen in result.stderr
    assert not (tmp_path / "ud").exists()


def test_other_files_are_refused(tmp_path):
    other = TREES.parent / "es-entities" / "dev.conll"
    result = invoke("init-ud", TREES / "train.conllu", other, tmp_path / "ud", "--lang", "nl")
    assert result.exit_code == 1
    assert f"[M728] 'ud' cannot be trained on '{other}', which has no trees, but columns." in result.stderr


def test_a_dev_part_that_is_the_training_part_is_warned_of(tmp_path):
    train_part, _ = treebank(tmp_path)
    result = invoke("init-ud", train_part, train_part, tmp_path / "ud", "--lang", "nl")
    assert result.exit_code == 0
    assert "! it is the training corpus, so the scores in training say nothing." in result.stdout


@pytest.mark.parametrize(
    ("fault", "message"),
    [("\t_\t_\n", "[M550] Line 4 of "), ("\t_\t_\t_\t_\t_\n", "[M550] Line 4 of ")],
    ids=["nine columns", "eleven"],
)
def test_a_faulty_line_of_a_treebank_is_named(fault, message, tmp_path):
    """It would look like a text of another kind."""
    good = "1\tDe\tde\tDET\tDET\t_\t0\troot\t_\t_\n\n"
    bad = tmp_path / "bad.conllu"
    bad.write_text(good + "# sent_id = 2\n1\tDe\tde\tDET\tDET\t_\t0\troot" + fault[2:] + "\n" + good, encoding="utf8")
    result = CliRunner().invoke(
        app, ["mtl", "init-ud", str(bad), str(TREES / "dev.conllu"), str(tmp_path), "--lang", "nl"]
    )
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{message}'{bad}' (sentence 2)")
