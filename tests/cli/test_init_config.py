"""``spacy mtl init-config``: what it says of the files, and configs that train at once."""

import re
import shlex
from pathlib import Path

import pytest
import spacy
from spacy.cli import app
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin
from spacy.util import load_config, load_model_from_config, registry
from typer.testing import CliRunner

from spacy_mtl.configs import NAMES, UD_NAMES, config_text
from spacy_mtl.corpora.convert import convert_columns

ASSETS = Path(__file__).parents[2] / "assets"
ENTITIES, TREES, WORDS = ASSETS / "es-entities", ASSETS / "nl-trees", ASSETS / "zh-words"
BRACKETS = ASSETS / "en-constituents"
FEW = {"training.max_epochs": 1, "training.logger.progress_bar": False}


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "init-config", *map(str, args)])


def made(tmp_path, *args):
    """The config written, and what the command said."""
    result = invoke(tmp_path / "made.cfg", *args)
    assert (result.exit_code, result.stderr) == (0, "")
    return load_config(tmp_path / "made.cfg", interpolate=True), result.stdout


def entities(*more):
    return ("--lang", "es", "--pipeline", "ner", "--train", ENTITIES / "train.conll", "--dev", ENTITIES / "dev.conll", *more)  # fmt: skip


@pytest.mark.parametrize("name", sorted({*NAMES, *UD_NAMES}))
def test_the_package_has_the_configs_of_the_sources(name):
    """Whoever changes a config of ``configs/`` copies it to ``spacy_mtl/configs/``."""
    assert config_text(name) == (ASSETS.parent / "configs" / f"{name}.cfg").read_text(encoding="utf8")


def test_a_tagger_learns_tags_of_which_most_look_like_entities(tmp_path):
    path = tmp_path / "words.conll"
    path.write_text("a B-NN\nb M-NN\nc E-NN\n\nd S-VV\na B-NN\nb E-NN\n\n", encoding="utf8")
    files = ("--lang", "xx", "--train", path, "--dev", path)
    config, _ = made(tmp_path, *files, "--pipeline", "tagger")
    assert config["corpora"]["train"]["columns"] == ["ORTH", "TAG"]
    refused = invoke(tmp_path / "ner.cfg", *files, "--pipeline", "tagger,ner")
    assert refused.stderr.startswith("[M728]")


@pytest.mark.parametrize(
    ("lang", "pipeline", "files", "scores"),
    [
        ("es", "ner", ENTITIES / "dev.conll", {"ents_f"}),
        ("xx", "ner,tagger", ENTITIES / "dev.conll", {"ents_f", "tag_acc"}),
        ("nl", "tagger", TREES / "dev.conllu", {"tag_acc"}),
        ("nl", "tagger,parser", TREES / "dev.conllu", {"tag_acc", "dep_las", "dep_uas"}),
        ("nl", "senter", TREES / "dev.conllu", {"sents_f"}),
        ("nl", "morphologizer,lemmatizer", TREES / "dev.conllu", {"pos_acc", "morph_acc", "lemma_acc"}),
        (
            "nl",
            "senter,morphologizer,lemmatizer,parser",
            TREES / "dev.conllu",
            {"sents_f", "pos_acc", "morph_acc", "lemma_acc", "dep_uas", "dep_las"},
        ),
        ("en", "constituents", BRACKETS / "dev.mrg", {"constituents_f"}),
        ("en", "tagger,constituents", BRACKETS / "dev.mrg", {"tag_acc", "constituents_f"}),
        ("en", "tagger", BRACKETS / "dev.mrg", {"tag_acc"}),
        ("zh", "segmenter", WORDS / "dev.txt", {"token_f"}),
        ("zh", "segmenter", WORDS / "dev.conll", {"token_f"}),
        ("zh", "segmenter,tagger,ner", WORDS / "dev.conll", {"token_f", "tag_acc", "ents_f"}),
    ],
)
def test_configs_train_at_once(tmp_path, lang, pipeline, files, scores):
    config, said = made(tmp_path, "--lang", lang, "--pipeline", pipeline, "--train", files, "--dev", files)
    assert "it is the training corpus" in said
    assert set(config["nlp"]["pipeline"]) == set(pipeline.split(","))
    train(tmp_path / "made.cfg", tmp_path / "out", overrides=FEW)
    nlp = spacy.load(tmp_path / "out" / "model-last")
    weights = {key for key, weight in config["training"]["score_weights"].items() if weight}
    assert weights == scores
    assert all(nlp.meta["performance"][score] is not None for score in scores)


@pytest.mark.parametrize("width", [2, 3])
def test_a_segmenter_of_columns_has_their_reader(tmp_path, width):
    """And the comments say so, each above what it is about."""
    lines = (WORDS / "dev.conll").read_text(encoding="utf8").splitlines()
    words = "\n".join(" ".join(line.split()[:width]) for line in lines)
    (tmp_path / "words.conll").write_text(f"{words}\n", encoding="utf8")
    files = ("--train", tmp_path / "words.conll", "--dev", tmp_path / "words.conll")
    config, _ = made(tmp_path, "--lang", "zh", "--pipeline", "segmenter", *files)
    nlp = load_model_from_config(config, auto_fill=False)
    corpora = registry.resolve(config["corpora"])
    for part in ("train", "dev"):
        assert config["corpora"][part]["@readers"] == "spacy_mtl.ConllCorpus.v1"
        assert config["corpora"][part]["spaces"] is False
        example = next(iter(corpora[part](nlp)))
        assert [word.text for word in example.reference[:5]] == ["晚上", "九点", "，", "妹妹", "写完"]
        assert example.reference.text == "晚上九点，妹妹写完作业，才打开电视。"
    text = (tmp_path / "made.cfg").read_text(encoding="utf8")
    assert "# --- The corpus: column files, one token per line. ---\n\n[corpora]\n" in text
    assert re.search(r"# --- Training: .* ---\n\n\[training\]\n", text)


def test_binary_corpora_train_too(tmp_path):
    convert_columns(ENTITIES / "dev.conll", tmp_path / "dev.spacy", "es")
    files = ("--train", tmp_path / "dev.spacy", "--dev", tmp_path / "dev.spacy")
    config, said = made(tmp_path, "--lang", "es", "--pipeline", "ner", *files)
    assert "entities: PER" in said
    assert config["corpora"]["train"]["@readers"] == "spacy.Corpus.v1"
    train(tmp_path / "made.cfg", tmp_path / "out", overrides=FEW)
    assert spacy.load(tmp_path / "out" / "model-last").pipe_names == ["ner"]
    result = invoke(tmp_path / "no.cfg", "--lang", "es", "--pipeline", "parser", *files)
    assert result.stderr.startswith("[M728]")


def test_what_it_says(tmp_path):
    config, said = made(tmp_path, *entities())
    assert "train.conll: 340 sentences, 6,020 words, at most 31 in one" in said
    assert "column 3 ENT: entities, scheme iob2: PER 197, LOC 178, ORG 143, MISC 65" in said
    assert "[components.ner.model.templates] tag = false" in said
    assert "python -m spacy train" in said
    assert config["corpora"]["train"]["columns"] == ["ORTH", "TAG", "ENT"]
    assert config["corpora"]["dev"]["scheme"] == "iob2"
    assert config["components"]["ner"]["model"]["templates"]["tag"] is False


def test_few_entities_are_worth_a_search(tmp_path, monkeypatch):
    _, said = made(tmp_path, *entities())
    (command,) = re.findall(r"better settings: python -m spacy mtl (tune .*)", said)
    out = ["--train", str(ENTITIES / "train.conll"), "--dev", str(ENTITIES / "dev.conll"), "--trials", "1"]
    result = CliRunner().invoke(app, ["mtl", *shlex.split(command), *out])
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert load_config(tmp_path / "made-tuned.cfg")["nlp"] == load_config(tmp_path / "made.cfg")["nlp"]
    assert " --component ner " in made(tmp_path, *entities("--pipeline", "tagger,ner"))[1]
    assert "search" not in made(tmp_path, *entities("--pipeline", "tagger"))[1]
    monkeypatch.setattr("spacy_mtl.cli.init_config.FEW_ENTITIES", 10)
    assert "search" not in made(tmp_path, *entities())[1]


def test_comments_say_why(tmp_path):
    made(tmp_path, *entities())
    lines = (tmp_path / "made.cfg").read_text(encoding="utf8").splitlines()
    assert "the corpus has tags, but plain text has none" in lines[lines.index("tag = false") - 1]
    assert lines[lines.index("C = 0.3") - 1].startswith("# weight of the losses")


def test_tags_can_be_asked_for(tmp_path):
    config, _ = made(tmp_path, *entities("--tags", "--group", 5))
    assert config["components"]["ner"]["model"]["templates"]["tag"] is True
    assert config["corpora"]["train"]["given"] == ["TAG"]
    assert config["corpora"]["dev"]["group"] == 5


FOUR = """-DOCSTART- -X- -X- O

Ana NNP I-NP I-PER
vive VB I-VP O
en IN I-PP O
Lima NNP I-NP I-LOC

Llueve VB I-VP O

-DOCSTART- -X- -X- O

Bea NNP I-NP I-PER
y CC O O
Cruz NNP I-NP B-PER

Nada NN I-NP O
"""


def test_a_column_left_over_and_documents(tmp_path):
    (tmp_path / "four.iob").write_text(FOUR, encoding="utf8")
    files = ("--train", tmp_path / "four.iob", "--dev", tmp_path / "four.iob")
    config, said = made(tmp_path, "--lang", "es", "--pipeline", "ner", *files)
    assert config["corpora"]["train"]["columns"] == ["ORTH", "TAG", "_", "ENT"]
    assert "! column 3 is not used; it holds I-NP, I-VP, I-PP, which look like spans of another kind." in said
    assert config["corpora"]["train"]["group"] == 0
    assert "four.iob: 2 documents, 4 sentences" in said
    config, said = made(tmp_path, "--lang", "es", "--pipeline", "ner", *files, "--columns", "ORTH,_,ENT")
    assert config["corpora"]["train"]["columns"] == ["ORTH", "_", "ENT", "_"]
    assert "entities, scheme iob1: NP 5, VP 2, PP 1" in said


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--lang", "qq"], "[M515]"),
        (["--pipeline", "lemmas"], "[M727]"),
        (["--pipeline", ""], "[M727]"),
        (["--pipeline", "parser"], "[M728]"),
        (["--columns", "ORTH,TAG,_"], "[M728]"),
        (["--train", "nowhere.conll"], "[M501]"),
        (["--dev", TREES / "dev.conllu"], "[M729]"),
        (["--encoding", "ascii"], "[M502]"),
    ],
)
def test_bad_input_is_one_message(tmp_path, args, code):
    result = invoke(tmp_path / "made.cfg", *entities(*args))
    assert (result.exit_code, result.stderr[:6]) == (1, code)
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "made.cfg").exists()


def test_lists_have_names_of_their_own(tmp_path):
    (tmp_path / "names.txt").write_text("Ana\n", encoding="utf8")
    lists = [option for name in ("people", "LIST_people") for option in ("--list", f"{name}={tmp_path / 'names.txt'}")]
    result = invoke(tmp_path / "made.cfg", *entities(*lists))
    assert result.stderr.startswith("[M769] Two files are given for the list 'people'.")
    assert not (tmp_path / "made.cfg").exists()


def test_a_config_has_the_code_that_spacy_has(tmp_path):
    """spaCy knows a language by several codes, and takes one of them in a config."""
    config, _ = made(tmp_path, *entities("--lang", "spa"))
    assert config["nlp"]["lang"] == "es"


def test_clusters_and_lists_are_read_and_named(tmp_path):
    paths, cities = tmp_path / "paths.tsv", tmp_path / "cities.txt"
    paths.write_text("00\tde\t9\n01\tOviedo\t2\n", encoding="utf8")
    cities.write_text("Oviedo\nSanta Fe\n", encoding="utf8")
    config, said = made(tmp_path, *entities("--clusters", paths, "--list", f"cities={cities}"))
    assert "clusters = true" in said
    templates = config["components"]["ner"]["model"]["templates"]
    assert (templates["clusters"], templates["lists"]) == (True, ["LIST_cities"])
    nlp = train(tmp_path / "made.cfg", tmp_path / "out", overrides={**FEW, "training.batcher.passes": [2]})
    nlp = spacy.load(tmp_path / "out" / "model-last") if nlp is None else nlp
    tables = nlp.get_pipe("ner").tables
    assert tables["CLUSTER"].path("OVIEDO") == "01"
    assert list(tables["LIST_cities"]) == ["Oviedo", "Santa Fe"]


def people(path, names, others=()):
    """Sentences with a person each."""
    path.write_text(
        "\n".join(f"{name} B-PER\nva O\n" for name in names) + "\n" + "".join(f"\n{name} B-LOC\n" for name in others)
    )
    return path


def with_list(tmp_path, phrases, dev=("Ana", "Gil", "Hugo"), names="ABCDEFGHIJ", others=()):
    train, dev = people(tmp_path / "my.train", names, others), people(tmp_path / "my.dev", dev)
    (tmp_path / "people.txt").write_text("\n".join(phrases), encoding="utf8")
    files = ("--train", train, "--dev", dev, "--list", f"people={tmp_path / 'people.txt'}")
    config, said = made(tmp_path, "--lang", "es", "--pipeline", "ner", *files)
    table = config["initialize"]["components"]["ner"]["tables"]["LIST_people"]
    return (table.get("folds"), table.get("label"), "LIST_people] folds" in said), said


def test_a_list_that_comes_from_the_training_part_is_folded(tmp_path):
    found, said = with_list(tmp_path, [*"ABCDEFGHI", "Zoe", "Gil"])  # somebody has added to it, and taken something out
    assert found == (2, "PER", True)
    told = (
        "folds = 2 (it has 90% of the PER entities of my.train, and 33% of those of my.dev, so it comes from the former"
    )
    assert told in said
    assert with_list(tmp_path, "ABCDEFGHIJKL", names="ABCDEFGHIJ", others="KL")[0] == (2, None, True)


@pytest.mark.parametrize(
    ("phrases", "more"),
    [
        ("ABCDEFGH", {}),  # not nearly all
        ([*"ABCDEFGHIJ", "Ana", "Gil", "Hugo"], {}),  # all of both parts
        ("ABCDEFGHI", {"names": "ABCDEFGHI"}),  # too few to tell
    ],
)
def test_other_lists_are_not(tmp_path, phrases, more):
    assert with_list(tmp_path, phrases, **more)[0] == (None, None, False)


def test_entities_of_spacy_files_are_compared_as_well(tmp_path):
    vocab = spacy.blank("es").vocab
    for part, names in (("train", "ABCDEFGHIJ"), ("dev", "XYZ")):
        docs = [Doc(vocab, [name, " ", "va"], ents=["B-PER", "I-PER", "O"]) for name in names]
        DocBin(docs=docs).to_disk(tmp_path / f"{part}.spacy")
    (tmp_path / "people.txt").write_text("\n".join("ABCDEFGHIJ"), encoding="utf8")
    files = ("--train", tmp_path / "train.spacy", "--dev", tmp_path / "dev.spacy")
    _, said = made(tmp_path, "--lang", "es", "--pipeline", "ner", *files, "--list", f"people={tmp_path / 'people.txt'}")
    assert "it has 100% of the PER entities of train.spacy, and 0% of those of dev.spacy" in said


def test_tables_are_checked_before_anything_is_written(tmp_path):
    cities = tmp_path / "cities.txt"
    cities.write_text("Oviedo\n", encoding="utf8")
    for args, code in [
        (entities("--clusters", cities), "M803"),
        (entities("--clusters", tmp_path / "none"), "M801"),
        (entities("--list", cities), "M745"),
        (entities("--list", f"my cities={cities}"), "M745"),
        ((*entities()[:3], "tagger", *entities()[4:], "--list", f"a={cities}"), "M744"),
    ]:
        result = invoke(tmp_path / "made.cfg", *args)
        assert result.exit_code == 1
        assert code in result.stderr
        assert not (tmp_path / "made.cfg").exists()


def test_broken_trees_are_skipped_where_they_are(tmp_path):
    good, broken = TREES / "dev.conllu", tmp_path / "broken.conllu"
    cycle = "".join(f"{i}\ta\ta\tX\tX\t_\t{3 - i}\tdep\t_\t_\n" for i in (1, 2))
    broken.write_text(good.read_text(encoding="utf8") + cycle + "\n", encoding="utf8")
    for files, expected in (((good, broken), ["error", "skip"]), ((broken, good), ["skip", "skip"])):
        config, _ = made(tmp_path, "--lang", "nl", "--pipeline", "parser", "--train", files[0], "--dev", files[1])
        assert [config["corpora"][part]["broken"] for part in ("train", "dev")] == expected


def test_a_parser_of_a_treebank_without_tags(tmp_path):
    paths = []
    for part in ("train", "dev"):
        rows = [row.split("\t") for row in (TREES / f"{part}.conllu").read_text(encoding="utf8").split("\n")[:800]]
        paths.append(tmp_path / f"{part}.conllu")
        rows = [[*row[:3], "_", "_", *row[5:]] if len(row) == 10 else row for row in rows]
        paths[-1].write_text("\n".join(map("\t".join, rows)).rpartition("\n\n")[0] + "\n\n", encoding="utf8")
    config, said = made(tmp_path, "--lang", "nl", "--pipeline", "parser", "--train", paths[0], "--dev", paths[1])
    assert "no tags, neither in XPOS nor in UPOS" in said
    assert config["components"]["parser"]["model"]["templates"]["tag"] is None
    train(tmp_path / "made.cfg", tmp_path / "out", overrides={**FEW, "training.batcher.passes": [2]})
    assert spacy.load(tmp_path / "out" / "model-best").meta["performance"]["dep_uas"] > 0.3
