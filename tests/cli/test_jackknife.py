"""``mtl jackknife``: a treebank whose columns are predicted by pipelines that have not seen its sentences."""

from pathlib import Path

import pytest
import spacy
from spacy.cli import app
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_mtl.corpora.conllu_read import read_conllu
from spacy_mtl.training.jackknife import jackknife

ROOT = Path(__file__).parents[2]
FORMS = {"a": "A", "b": "B", "c": "C"}


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", *map(str, args)])


def treebank(path, sentences):
    """One word after another under the first. sentences: of forms."""
    lines = []
    for words in sentences:
        for i, word in enumerate(words, 1):
            lines.append(
                f"{i}\t{word}\t{word}\tX\t{FORMS[word]}\t_\t{int(i > 1)}\t{'x' if i > 1 else 'root'}\t_\tKeep=It"
            )
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf8")
    return path


@pytest.fixture
def config(tmp_path):
    config = load_config(ROOT / "configs" / "lemmatizer.cfg")
    config["nlp"]["pipeline"] = ["tagger"]
    config["components"] = {"tagger": {"factory": "mtl_tagger"}}
    config["corpora"]["train"]["given"] = []
    config["corpora"]["train"]["keep"] = True
    config.to_disk(tmp_path / "tags.cfg")
    return tmp_path / "tags.cfg"


def test_each_sentence_has_tags_of_pipelines_that_have_not_seen_it(config, tmp_path):
    """A word that occurs in one fold alone cannot get its tag; the others do, and all else stays."""
    path = treebank(tmp_path / "gold.conllu", [["a", "b"], ["b", "a"], ["a", "b"], ["c", "c", "c"]])
    done = invoke("jackknife", config, path, tmp_path / "out.conllu", "--folds", 4, "--passes", 6)
    assert done.exit_code == 0, done.output
    gold, found = list(read_conllu(path)), list(read_conllu(tmp_path / "out.conllu"))
    assert [sentence.words for sentence in found] == [sentence.words for sentence in gold]
    assert [sentence.heads.tolist() for sentence in found] == [sentence.heads.tolist() for sentence in gold]
    assert [sentence.labels for sentence in found] == [sentence.labels for sentence in gold]
    assert [sentence.xpos for sentence in found[:3]] == [sentence.xpos for sentence in gold[:3]]
    assert "C" not in found[3].xpos
    assert {sentence.lemma for sentence in found} == {sentence.lemma for sentence in gold}
    assert (tmp_path / "out.conllu").read_text().count("Keep=It") == 9


@pytest.mark.parametrize("given", [["TAG"], None], ids=["TAG", "all, which is the default"])
def test_what_the_pipeline_predicts_is_not_taken_from_gold(config, tmp_path, given):
    """Columns that are given in training, but predicted, are hidden from the sentences that are annotated; others stay."""
    path = treebank(tmp_path / "gold.conllu", [["a", "b"], ["b", "a"], ["a", "b"], ["c", "c", "c"]])
    outputs = []
    for columns in ([], given):
        made = load_config(config)
        made["corpora"]["train"]["given"], made["corpora"]["dev"]["given"] = columns, []
        if columns is None:
            del made["corpora"]["train"]["given"]
        made.to_disk(tmp_path / "given.cfg")
        done = invoke("jackknife", tmp_path / "given.cfg", path, tmp_path / "out.conllu", "--folds", 4, "--passes", 6)
        assert done.exit_code == 0, done.output
        outputs.append(list(read_conllu(tmp_path / "out.conllu")))
    hidden, shown = outputs
    assert "C" not in shown[3].xpos
    assert [sentence.xpos for sentence in shown] == [sentence.xpos for sentence in hidden]
    assert {sentence.lemma for sentence in shown} == {sentence.lemma for sentence in hidden}


def test_folds_are_consecutive_and_cover_the_corpus(config):
    """What is held out is not trained on, for numbers that folds do not divide."""
    seen = []

    class Remembers:
        def __init__(self):
            self.nlp = spacy.blank("xx")
            self.config = {"training": {"annotating_components": ["it"]}}

        def initialize(self, get_examples):
            seen.append([example.reference.text for example in get_examples()])

        def update(self, examples, annotates):
            assert annotates == ["it"]
            assert [example.reference.text for example in examples] == seen[-1]

        def pipe(self, docs):
            return docs

    def read(nlp):
        docs = [nlp.nlp.make_doc(name) for name in "abcdefg"]
        return [spacy.training.Example(doc, doc.copy()) for doc in docs]

    steps = []
    found = list(jackknife(Remembers, read, 3, 2, ["TAG"], [], lambda: steps.append(1)))
    assert [doc.text for doc in found] == list("abcdefg")
    assert ["".join(fold) for fold in seen] == ["cdefg", "abefg", "abcd"]
    assert len(steps) == 9


@pytest.mark.parametrize(
    ("output", "folds", "component", "code"),
    [
        ("out.txt", 2, "mtl_tagger", "M732"),
        ("out.conllu", 2, "sentencizer", "M733"),
        ("out.conllu", 5, "mtl_tagger", "M734"),
        ("gold.conllu", 2, "mtl_tagger", "M741"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(config, tmp_path, output, folds, component, code):
    made = load_config(config)
    made["components"] = {"tagger": {"factory": component}}
    made.to_disk(config)
    path = treebank(tmp_path / "gold.conllu", [["a", "b"]] * 4)
    before = path.read_bytes()
    done = invoke("jackknife", config, path, tmp_path / output, "--folds", folds)
    assert done.exit_code == 1
    assert code in done.output
    assert path.read_bytes() == before
    assert path == tmp_path / output or not (tmp_path / output).exists()
