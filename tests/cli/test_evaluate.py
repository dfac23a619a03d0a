import json
from dataclasses import replace

import pytest
import spacy
from spacy.cli import app, package
from spacy.training import Example
from typer.testing import CliRunner

from spacy_mtl.cli.evaluate import evaluate, read_trees
from spacy_mtl.cli.shared.options import Format
from spacy_mtl.cli.shared.trained_with import format_of, had_borders
from spacy_mtl.cli.tokenizer import convert_pipeline
from spacy_mtl.corpora.bracketed import BracketedCorpus
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.convert import convert_bracketed, convert_columns
from spacy_mtl.corpora.segmented import SegmentedCorpus
from spacy_mtl.models.chain.model import current_weights, set_weights

from .conftest import ASSETS

DEV = ASSETS / "dev.conll"
WORDS = ASSETS.parent / "zh-words"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "evaluate", *map(str, args)])


def scores_of(*args, output):
    result = invoke(*args, "--output", output)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(output.read_text())


@pytest.fixture
def expected(trained):
    """What spaCy itself finds when the tags are on the documents."""
    nlp = spacy.load(trained)
    return nlp.evaluate(list(ConllCorpus(DEV)(nlp)))


def test_scores_are_those_of_spacy(trained, expected, tmp_path):
    found = scores_of(trained, DEV, output=tmp_path / "new" / "metrics.json")
    assert found.keys() == expected.keys()
    assert found["speed"] > 0
    assert {**found, "speed": 0} == {**expected, "speed": 0}
    assert found["ents_f"] > 0.2


def test_a_converted_corpus_scores_the_same(trained, expected, tmp_path):
    convert_columns(DEV, tmp_path / "dev.spacy", "es")
    found = scores_of(trained, tmp_path / "dev.spacy", output=tmp_path / "metrics.json")
    assert {**found, "speed": 0} == {**expected, "speed": 0}


def test_annotated_tasks(tmp_path):
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]", "U1:%x[0,SHAPE]"]}
    nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    train = list(ConllCorpus(ASSETS / "train.conll", limit=100, given=[])(nlp))
    nlp.initialize(lambda: train)
    nlp.update(train)
    nlp.to_disk(tmp_path / "model")
    docs = [example.reference for example in ConllCorpus(ASSETS / "dev.conll", given=[])(nlp)]
    docs = [doc for doc in docs if [t.text for t in nlp.make_doc(doc.text)] == [t.text for t in doc]]
    tasks = [
        {"text": doc.text, "spans": [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in doc.ents]}
        for doc in docs
    ]
    path = tmp_path / "dev.jsonl"
    path.write_text("\n".join(map(json.dumps, tasks)), encoding="utf8")
    found = scores_of(tmp_path / "model", path, "--format", "tasks", output=tmp_path / "scores.json")
    same = nlp.evaluate([Example(nlp.make_doc(doc.text), doc) for doc in docs])
    assert 0 < found["ents_f"] == pytest.approx(same["ents_f"])
    assert found["ents_per_type"].keys() == same["ents_per_type"].keys()


def test_several_files(trained, tmp_path):
    convert_columns(DEV, tmp_path / "dev.spacy", "es")
    result = invoke(trained, tmp_path / "dev.spacy", DEV, "--limit", 10)
    assert "on 20 documents" in result.stdout


def test_table(trained):
    lines = invoke(trained, DEV).stdout.splitlines()
    assert lines[0] == f"{trained} on 70 documents, 1,263 tokens"
    rows = {line.split()[0]: line.split()[1:] for line in lines[2:]}
    assert rows["entities"][3] == "117"
    assert sum(int(rows[label][3]) for label in ("LOC", "MISC", "ORG", "PER")) == 117
    assert lines[-1].startswith("tokenization 100.00, ")
    assert lines[-1].endswith(" words/s")


def test_gold_without_entities_has_no_scores(trained, tmp_path):
    path = tmp_path / "plain.conll"
    path.write_text("Llueve VERB\nhoy ADV\n", encoding="utf8")
    result = invoke(trained, path, "--columns", "ORTH,TAG")
    assert [line.split() for line in result.stdout.splitlines() if line.startswith("entities")] == [
        ["entities", "-", "-", "-", "0"]
    ]


def test_tags_left_out_are_noticed(trained, tmp_path):
    result = invoke(trained, DEV, "--given", "")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M111]")
    convert_columns(DEV, tmp_path / "dev.spacy", "es", given=[])
    assert invoke(trained, tmp_path / "dev.spacy").stderr.startswith("[M111]")
    assert invoke(trained, tmp_path / "dev.spacy", "--given", "TAG").exit_code == 0


def test_templates_without_weight_need_no_tags(trained, tmp_path):
    nlp = spacy.load(trained)
    weights = current_weights(nlp.get_pipe("ner").model)
    cut = replace(
        weights, templates=tuple(replace(row, rows=0) if "TAG" in row.text else row for row in weights.templates)
    )
    set_weights(nlp.get_pipe("ner").model, cut, nlp.get_pipe("ner").model.attrs["constraints"])
    examples = list(ConllCorpus(DEV, given=[])(nlp))
    assert evaluate(nlp, examples)["token_acc"] == 1.0


def test_an_earlier_component_may_provide_the_tags(trained, tmp_path):
    nlp = spacy.load(trained)
    nlp.add_pipe("tagger_of_a_test", first=True)
    nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model", DEV, "--given", "")
    assert (result.exit_code, result.stderr) == (0, "")


@spacy.Language.component("tagger_of_a_test")
def tag_everything(doc):
    for token in doc:
        token.tag_ = "NOUN"
    return doc


def check_refused(result, code):
    assert result.exit_code == 1
    assert result.stderr.startswith(f"[{code}]")
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_bad_input_is_one_message_and_a_failure(trained, tmp_path):
    damaged = tmp_path / "damaged.spacy"
    damaged.write_bytes(b"no corpus")
    empty = tmp_path / "empty.spacy"
    empty.write_bytes(spacy.tokens.DocBin().to_bytes())
    check_refused(invoke(tmp_path / "nowhere", DEV), "M701")
    check_refused(invoke(trained, tmp_path / "nowhere"), "M501")
    check_refused(invoke(trained, tmp_path / "nowhere.spacy"), "M501")
    check_refused(invoke(trained, damaged), "M705")
    check_refused(invoke(trained, empty), "M706")
    check_refused(invoke(trained, damaged, "--given", "SHAPE"), "M714")
    check_refused(invoke(trained, DEV, "--columns", "ORTH,TAG,POS,ENT"), "M503")
    check_refused(invoke(trained, DEV, "--output", trained / "meta.json" / "x.json"), "M704")


@pytest.mark.parametrize("binary", [False, True])
def test_what_a_pipeline_predicts_is_no_input(tmp_path, binary):
    """Gold tags on the documents would make a tagger look perfect; asked for, they are there."""
    nlp = spacy.blank("es")
    nlp.add_pipe(
        "mtl_tagger",
        config={"model": {"templates": {"patterns": ["U0:%x[0,SUFFIX2]"], "@mtl_templates": "spacy_mtl.patterns.v1"}}},
    )
    examples = list(ConllCorpus(ASSETS / "train.conll", given=[], limit=20)(nlp))
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.to_disk(tmp_path / "model")
    data = DEV
    if binary:
        data = tmp_path / "dev.spacy"
        convert_columns(DEV, data, "es")
    assert 0.3 < scores_of(tmp_path / "model", data, output=tmp_path / "a.json")["tag_acc"] < 0.9
    result = invoke(tmp_path / "model", data, "--given", "TAG", "--output", tmp_path / "b.json")
    assert (result.exit_code, result.stderr[:6], len(result.stderr.splitlines())) == (0, "[M730]", 1)
    assert json.loads((tmp_path / "b.json").read_text())["tag_acc"] == 1.0


# --- segmented texts ---


@pytest.fixture(scope="module")
def segmenter(tmp_path_factory):
    nlp = spacy.blank("zh")
    nlp.add_pipe("mtl_segmenter", config={"folds": 2, "known": 1})
    examples = list(SegmentedCorpus(WORDS / "train.txt", limit=60)(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    path = tmp_path_factory.mktemp("segmenter") / "model"
    nlp.to_disk(path)
    return path


def test_segmented_texts(segmenter, tmp_path):
    args = (segmenter, WORDS / "dev.txt", "--format", "segmented")
    found = scores_of(*args, "--lexicon", WORDS / "train.txt", output=tmp_path / "metrics.json")
    nlp = spacy.load(segmenter)
    expected = nlp.evaluate(list(SegmentedCorpus(WORDS / "dev.txt")(nlp)))
    assert {key: found[key] for key in expected if key != "speed"} == {
        key: value for key, value in expected.items() if key != "speed"
    }
    assert found["seg_f"] == pytest.approx(found["token_f"])
    assert found["seg_r_iv"] > found["seg_r_oov"] > 0
    assert found["seg_oov"] == pytest.approx(0.059, abs=5e-4)
    assert "seg_f" not in scores_of(*args, output=tmp_path / "plain.json")


def test_table_of_words(segmenter):
    lines = invoke(
        segmenter, WORDS / "dev.txt", "--format", "segmented", "--lexicon", WORDS / "train.txt"
    ).stdout.splitlines()
    assert lines[0].endswith("on 40 documents, 489 tokens")
    assert lines[2].split()[0] == "words"
    assert lines[2].split()[-1] == "489"
    assert "recall of unknown words" in lines[-1]


def test_words_of_column_files_are_found_anew(segmenter, tmp_path):
    """A segmenter gets their raw text, whatever words stand there."""
    columns = scores_of(segmenter, WORDS / "dev.conll", output=tmp_path / "columns.json")
    text = scores_of(segmenter, WORDS / "dev.txt", "--format", "segmented", output=tmp_path / "text.json")
    assert columns["token_f"] == text["token_f"] < 1


def test_a_segmenter_as_tokenizer_is_scored(segmenter, tmp_path):
    convert_pipeline(segmenter, tmp_path / "tokenizer")
    args = (WORDS / "dev.txt", "--format", "segmented")
    found = scores_of(tmp_path / "tokenizer", *args, output=tmp_path / "a.json")
    assert found["token_f"] == scores_of(segmenter, *args, output=tmp_path / "b.json")["token_f"]


def test_bad_segmented_texts(segmenter, tmp_path):
    (tmp_path / "empty.txt").write_text("\n")
    check_refused(invoke(segmenter, tmp_path / "empty.txt", "--format", "segmented"), "M520")
    check_refused(invoke(segmenter, tmp_path / "none.txt", "--format", "segmented"), "M501")
    args = ("--format", "segmented", "--lexicon", tmp_path / "none.txt")
    check_refused(invoke(segmenter, WORDS / "dev.txt", *args), "M501")


TREES = ASSETS.parent / "nl-trees"


@spacy.Language.component("heads_of_a_test", assigns=["token.tag", "token.dep", "token.head"])
def chain(doc):
    for token in doc[1:]:
        token.head, token.dep_, token.tag_ = doc[token.i - 1], "dep", "X"
    doc[0].dep_ = "ROOT"
    return doc


def test_trees_are_read_without_what_the_pipeline_predicts():
    nlp = spacy.blank("nl")
    nlp.add_pipe("heads_of_a_test")
    files = [str(TREES / "dev.conllu"), str(TREES / "test.conllu")]
    examples = read_trees(nlp, files, {"group": 2})
    assert len(examples) == 34
    assert {token.pos_ for token in examples[0].predicted} > {"NOUN", "VERB"}
    assert not any(example.predicted.has_annotation(name) for example in examples for name in ("TAG", "DEP"))
    examples = read_trees(nlp, files[:1], {}, ["TAG"])
    assert [token.tag_ for token in examples[1].predicted] == [token.tag_ for token in examples[1].reference]


def test_trees(tmp_path):
    nlp = spacy.blank("nl")
    nlp.add_pipe("heads_of_a_test")
    nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model", TREES / "dev.conllu", "--format", "conllu", "--limit", 5)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "on 5 documents" in result.stdout
    check_refused(invoke(tmp_path / "model", TREES / "README.md", "--format", "conllu"), "M550")


# --- what a pipeline was trained with ---


@pytest.fixture(scope="module")
def with_config(trained, tmp_path_factory):
    """The pipeline with a config that says how its corpus was read, as ``spacy train`` leaves it."""

    def make(name, reader, **settings):
        nlp = spacy.load(trained)
        config = nlp.config.copy()
        config["corpora"] = {"mine": {"@readers": reader, "path": "dev.conll", **settings}}
        config["training"]["dev_corpus"] = "corpora.mine"
        nlp.config = config
        path = tmp_path_factory.mktemp("with_config") / name
        nlp.to_disk(path)
        return path

    return make


def test_files_are_read_as_in_training(with_config, tmp_path):
    settings = {"columns": ["ORTH", "_", "ENT"], "given": [], "group": 5}
    model = with_config("groups", "spacy_mtl.ConllCorpus.v1", **settings)
    result = invoke(model, DEV)
    assert result.stderr.startswith("[M111]")  # no tags: they are not among the columns
    assert "Read as in training: columns ORTH _ ENT, given none, group 5 (options change this)" in result.stdout
    result = invoke(model, DEV, "--columns", "ORTH,TAG,ENT", "--given", "TAG")
    assert "Read as in training: group 5 (options" in result.stdout
    assert "on 14 documents" in result.stdout
    result = invoke(model, DEV, "--columns", "ORTH,TAG,ENT", "--given", "TAG", "--group", 1)
    assert "Read as in training" not in result.stdout
    assert "on 70 documents" in result.stdout


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # spaCy's package command leaves files open
@pytest.mark.filterwarnings("ignore:.*W0")
def test_what_a_pipeline_was_trained_with_travels_with_it(with_config, tmp_path):
    """In its bytes, in a package, and in a pipeline that takes over its config."""
    nlp = spacy.load(with_config("groups", "spacy_mtl.ConllCorpus.v1", group=5))
    again = spacy.blank("es")
    again.add_pipe("mtl_ner", name="ner")
    again.from_bytes(nlp.to_bytes()).to_disk(tmp_path / "bytes")
    spacy.blank("es").from_config(nlp.config).from_bytes(nlp.to_bytes()).to_disk(tmp_path / "config")
    package(tmp_path / "bytes", tmp_path, name="groups", version="1.0", create_sdist=False)
    packed = tmp_path / "es_groups-1.0" / "es_groups" / "es_groups-1.0"
    for path in (tmp_path / "bytes", tmp_path / "config", packed):
        result = invoke(path, DEV)
        assert "Read as in training: group 5 (options change this)" in result.stdout
        assert "on 14 documents" in result.stdout


def test_a_pipeline_trained_in_python_may_say_how_its_corpus_was_read(trained, tmp_path):
    nlp = spacy.load(trained)
    nlp.to_disk(tmp_path / "silent")
    assert "Read as in training" not in invoke(tmp_path / "silent", DEV).stdout
    config = nlp.config
    config["corpora"] = {"dev": {"@readers": "spacy_mtl.ConllCorpus.v1", "path": "dev.conll", "group": 5}}
    nlp.config = config
    nlp.to_disk(tmp_path / "telling")
    assert "Read as in training: group 5" in invoke(tmp_path / "telling", DEV).stdout


@pytest.mark.parametrize("options", [("--format", "columns"), ("--scheme", "auto")])
def test_a_config_of_another_format_says_nothing_of_column_files(with_config, options):
    model = with_config("trees", "spacy_mtl.ConlluCorpus.v1", group=3)
    result = invoke(model, DEV, *options)
    assert "Read as in training" not in result.stdout
    assert "on 70 documents" in result.stdout


def test_trees_are_read_as_in_training(with_config):
    model = with_config("trees", "spacy_mtl.ConlluCorpus.v1", group=3, given=["TAG"])
    result = invoke(model, TREES / "dev.conllu")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Read as in training: format conllu, given TAG, group 3 (options change this)" in result.stdout
    said = invoke(model, TREES / "dev.conllu", "--format", "conllu").stdout
    assert "Read as in training: given TAG, group 3 (options change this)" in said
    assert said.splitlines()[1:-1] == result.stdout.splitlines()[1:-1]
    assert invoke(model, DEV, "--format", "conllu").stderr.startswith("[M550]")


def test_binary_files_are_read_whatever_the_format_in_training(with_config, tmp_path):
    convert_columns(DEV, tmp_path / "dev.spacy", "es")
    model = with_config("trees", "spacy_mtl.ConlluCorpus.v1", group=3)
    assert "on 70 documents" in invoke(model, tmp_path / "dev.spacy").stdout
    both = invoke(model, TREES / "dev.conllu", tmp_path / "dev.spacy", "--limit", 10)
    assert (both.exit_code, both.stderr) == (0, "")
    assert "format conllu" in both.stdout
    assert "on 20 documents" in both.stdout
    named = invoke(model, tmp_path / "dev.spacy", "--format", "conllu")
    assert "on 70 documents" in named.stdout


@pytest.mark.parametrize(("reader", "name"), [("Tasks", "tasks"), ("Conllu", "conllu"), ("Bracketed", "bracketed")])
def test_files_that_are_plainly_of_another_format_are_read_as_such(with_config, tmp_path, reader, name):
    convert_columns(DEV, tmp_path / "dev.spacy", "es")
    model = with_config(name, f"spacy_mtl.{reader}Corpus.v1")
    for data in ([DEV], [DEV, tmp_path / "dev.spacy"]):
        result = invoke(model, *data)
        assert (result.exit_code, result.stderr) == (0, "")
        assert f"Not read as in training: format columns in place of {name} (--format changes this)" in result.stdout
        assert "Read as in training" not in result.stdout
        assert f"on {70 * len(data)} documents" in result.stdout


def test_faults_of_files_are_told_as_of_the_format_in_training(with_config, tmp_path):
    """A file with a slip is none of another format."""
    conll = tmp_path / "dev.conll"
    conll.write_text((TREES / "dev.conllu").read_text(encoding="utf8") + "1\tSobra\n\n", encoding="utf8")
    result = invoke(with_config("trees", "spacy_mtl.ConlluCorpus.v1"), conll)
    assert result.stderr.startswith("[M550]")
    assert "format conllu" in result.stdout
    tasks = tmp_path / "tasks.txt"
    tasks.write_text('{"text": "Llueve"\n\n{"text": "Llueve"\n', encoding="utf8")
    assert invoke(with_config("tasks", "spacy_mtl.TasksCorpus.v1"), tasks).stderr.startswith("[M573]")


@pytest.mark.parametrize(
    ("reader", "name", "found"),
    [
        ("spacy_mtl.SegmentedCorpus.v1", "zh-words/dev.txt", Format.segmented),
        ("spacy_mtl.BracketedCorpus.v1", "en-constituents/dev.mrg", Format.bracketed),
        ("spacy_mtl.TasksCorpus.v1", "tasks.jsonl", Format.tasks),
        ("spacy_mtl.ConllCorpus.v1", "dev.conll", Format.columns),
        ("spacy.Corpus.v1", "dev.conll", Format.columns),
    ],
)
def test_the_format_is_that_of_the_training(reader, name, found):
    nlp = spacy.blank("xx")
    config = nlp.config.copy()
    config["corpora"] = {"dev": {"@readers": reader, "path": "a"}}
    nlp.config = config
    assert format_of(nlp, [name], None, {}) is found
    assert format_of(nlp, [name], Format.tasks, {}) is Format.tasks
    assert format_of(nlp, [name], None, {"columns": ["ORTH"]}) is Format.columns


def test_sentence_borders_of_binary_files(with_config, trained, tmp_path):
    convert_columns(DEV, tmp_path / "dev.spacy", "es", group=7)
    said = "Given with the .spacy documents: {}. 'spacy evaluate' gives the text alone"
    both = said.format("their words, TAG, sentence borders")
    assert both in invoke(trained, tmp_path / "dev.spacy").stdout
    single = with_config("single", "spacy_mtl.ConllCorpus.v1", group=1)
    assert said.format("their words, TAG") in invoke(single, tmp_path / "dev.spacy").stdout
    assert both in invoke(single, tmp_path / "dev.spacy", "--borders").stdout
    groups = with_config("groups", "spacy_mtl.ConllCorpus.v1", group=7)
    assert both in invoke(groups, tmp_path / "dev.spacy").stdout
    assert said.format("their words, TAG") in invoke(groups, tmp_path / "dev.spacy", "--no-borders").stdout


@pytest.mark.filterwarnings("ignore:.*W030")
def test_a_pipeline_of_spacys_reader_scores_as_spacy_evaluate(tmp_path):
    """The same scores from both commands, for a pipeline that needs nothing but text."""
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,SUFFIX2]", "U1:%x[-1,LOWER]", "B"]}
    nlp.add_pipe("mtl_ner", name="ner", config={"model": {"templates": templates}})
    examples = list(ConllCorpus(ASSETS / "train.conll", limit=60, given=[])(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(4):
        nlp.update(examples)
    config = nlp.config.copy()
    config["corpora"] = {"dev": {"@readers": "spacy.Corpus.v1", "path": "dev.spacy"}}
    nlp.config = config
    nlp.to_disk(tmp_path / "model")
    convert_columns(DEV, tmp_path / "dev.spacy", "es", group=7)
    found = scores_of(tmp_path / "model", tmp_path / "dev.spacy", output=tmp_path / "ours.json")
    args = ["evaluate", str(tmp_path / "model"), str(tmp_path / "dev.spacy"), "--output", str(tmp_path / "spacys.json")]
    assert CliRunner().invoke(app, args).exit_code == 0
    theirs = json.loads((tmp_path / "spacys.json").read_text())
    figures = [key for key in theirs if isinstance(theirs[key], float) and key != "speed"]
    assert [found[key] for key in figures] == pytest.approx([theirs[key] for key in figures], abs=1e-9)
    assert found["ents_f"] > 0
    spacy.tokens.DocBin(docs=[nlp.make_doc("Bogotá")]).to_disk(tmp_path / "word.spacy")
    assert "Given with" not in invoke(tmp_path / "model", tmp_path / "word.spacy").stdout, "one word has no borders"


def test_bracketed_trees_and_what_is_made_of_them(tmp_path):
    """Files and ``.spacy`` corpora get the same scores, and words as input with the tags of the file."""
    trees = TREES.parent / "en-constituents"
    nlp = spacy.blank("en")
    nlp.add_pipe("mtl_constituents", config={"trainer": {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}})
    examples = list(BracketedCorpus(trees / "train.mrg")(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    nlp.to_disk(tmp_path / "model")
    convert_bracketed(trees / "test.mrg", tmp_path / "test.spacy", "en")
    found = []
    for number, (path, *options) in enumerate(
        [
            (trees / "test.mrg", "--format", "bracketed"),
            (tmp_path / "test.spacy",),
            (tmp_path / "test.spacy", "--borders"),
        ]
    ):
        result = invoke(tmp_path / "model", path, *options, "--output", tmp_path / f"{number}.json")
        assert (result.exit_code, result.stderr) == (0, "")
        assert "constituents" in result.stdout
        assert "sentences without a wrong constituent" in result.stdout
        scores = json.loads((tmp_path / f"{number}.json").read_text())
        found.append({key: value for key, value in scores.items() if key.startswith("constituents")})
    assert found[0]["constituents_f"] > 0.7
    assert found[1] == found[0]
    assert found[2] == found[0]
    check_refused(invoke(tmp_path / "model", TREES / "README.md", "--format", "bracketed"), "M570")


@pytest.mark.parametrize(("settings", "had"), [({}, True), ({"borders": True}, True), ({"borders": False}, False)])
def test_borders_of_binary_files_are_those_of_the_trees_in_training(settings, had):
    """Else a pipeline that finds them would be given them, and be scored on what it was given."""
    nlp = spacy.blank("nl")
    config = nlp.config.copy()
    config["corpora"] = {"dev": {"@readers": "spacy_mtl.ConlluCorpus.v1", "path": "dev.conllu", **settings}}
    nlp.config = config
    assert had_borders(nlp) is had


def test_a_limit_below_0_is_refused_for_every_format(trained, tmp_path):
    convert_columns(DEV, tmp_path / "dev.spacy", "es", group=7)
    for path in (DEV, tmp_path / "dev.spacy"):
        check_refused(invoke(trained, path, "--limit", -1), "M514")
