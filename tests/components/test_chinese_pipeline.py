"""Words, tags and entities of Chinese text in one pipeline, as configs/chinese.cfg has it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.cli.train import train
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.corpora.conll import ConllCorpus

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "assets" / "zh-words"
TEXTS = ["去年夏天，我们在桂林住了五天。", "", "李老师今天早上没来。", "GPS 和 Wi-Fi 都很重要。"]


def read(nlp, split="train", limit=80):
    return list(ConllCorpus(CORPUS / f"{split}.conll", given=[], limit=limit)(nlp))


def annotation(doc):
    """All that the three components set."""
    tokens = [(token.text, token.whitespace_, token.tag_, token.pos_) for token in doc]
    return tokens, [(ent.text, ent.label_) for ent in doc.ents]


def start_training(folder, **overrides):
    """``spacy train`` with the config of the project on a few of its sentences."""
    settings = {"paths.train": str(CORPUS / "train.conll"), "paths.dev": str(CORPUS / "dev.conll")}
    settings |= {"corpora.train.limit": 80, "corpora.dev.limit": 10, "training.max_epochs": 5}
    train(ROOT / "configs" / "chinese.cfg", folder, overrides=settings | overrides)
    return folder / "model-last"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return start_training(tmp_path_factory.mktemp("chinese"))


def run(*args, cwd):
    """What Python prints."""
    command = [sys.executable, "-X", "utf8", *args]
    done = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def nlp(model):
    return spacy.load(model)


def test_every_component_has_learned(nlp):
    """Scores of what it was trained on, from raw text: the words that the tagger and ner get are the segmenter's."""
    raw = [Example(nlp.make_doc(example.text), example.reference) for example in read(nlp)]
    assert all(len(example.predicted) > len(example.reference) for example in raw)  # characters
    scores = nlp.evaluate(raw)
    assert scores["token_f"] > 0.97
    assert scores["tag_acc"] > 0.95
    assert scores["ents_f"] > 0.8


def test_words_of_the_corpus_are_not_taken_over(nlp):
    """The dev scores of training are those from raw text, though the corpus reader puts the gold words on the documents."""
    for example in read(nlp, "dev", 10):
        (words,) = nlp.pipe([example.predicted.copy()])
        assert annotation(words) == annotation(nlp(example.text))


def test_gold_words_are_what_tagger_and_ner_learn_from(nlp):
    fresh = spacy.util.load_model_from_config(nlp.config)
    examples = read(fresh, limit=20)
    fresh.initialize(lambda: examples)
    fresh.update(examples)
    n_words = sum(len(example.reference) for example in examples)
    n_characters = sum(len(example.text) for example in examples)
    sizes = {name: pipe._learner.training.problem.arrays.gold.size for name, pipe in fresh.pipeline}
    assert sizes == {"segmenter": n_characters, "tagger": n_words, "ner": n_words}


def test_words_of_the_segmenter_can_be_what_they_learn_from(tmp_path):
    """Named as annotating, it gives its words to the others, which begin anew as long as these words change."""
    settings = {"training.annotating_components": ["segmenter"], "corpora.train.limit": 25, "training.max_epochs": 14}
    nlp = spacy.load(start_training(tmp_path, **settings))
    scores = nlp.evaluate(read(nlp, limit=25))
    assert scores["token_f"] > 0.97
    assert scores["tag_acc"] > 0.93


def test_what_does_not_align_with_the_words_of_the_segmenter_is_not_learned(nlp):
    reference = Doc(nlp.vocab, ["李", "老师", "去", "北京"], [False] * 4, tags=["PROPN", "NOUN", "VERB", "PROPN"])
    reference.ents = [spacy.tokens.Span(reference, 0, 1, "PER"), spacy.tokens.Span(reference, 3, 4, "LOC")]
    example = Example(Doc(nlp.vocab, ["李老", "师", "去", "北", "京"], [False] * 5), reference)
    tagger, ner = nlp.get_pipe("tagger"), nlp.get_pipe("ner")
    tags = [tagger.labels[y] if y >= 0 else None for y in tagger.gold_labels(example, [0, 5])]
    assert tags == [None, "NOUN", "VERB", "PROPN", "PROPN"]
    spans = [ner.chain_labels[y] if y >= 0 else None for y in ner.gold_labels(example, [0, 5])]
    assert spans == [None, "O", "O", "B-LOC", "L-LOC"]


def test_several_processes(nlp):
    expected = [annotation(doc) for doc in nlp.pipe(TEXTS)]
    assert [annotation(doc) for doc in nlp.pipe(TEXTS, n_process=2, batch_size=1)] == expected
    assert [annotation(nlp(text)) for text in TEXTS] == expected
    assert ("去年 夏天".replace(" ", ""), "TIME") in expected[0][1]


def test_saved_and_loaded(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    expected = [annotation(nlp(text)) for text in TEXTS]
    assert [annotation(doc) for doc in spacy.load(tmp_path).pipe(TEXTS)] == expected
    again = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert [annotation(doc) for doc in again.pipe(TEXTS)] == expected


def test_packaged_and_installed_elsewhere(model, nlp, tmp_path):
    """As a package on the path of another process, started elsewhere, with nothing but the package's own files."""
    packages, site = tmp_path / "packages", tmp_path / "site"
    packages.mkdir()
    run("-m", "spacy", "package", model, packages, "--build", "none", cwd=tmp_path)
    (built,) = packages.iterdir()
    name = built.name.rpartition("-")[0]
    assert "spacy-mtl" in (built / "meta.json").read_text(encoding="utf8")  # it is among the requirements
    shutil.copytree(built / name, site / name)
    shutil.copy(built / "meta.json", site / name)  # as its setup.py does
    information = site / f"{built.name}.dist-info" / "METADATA"  # what an installer leaves for Python to find
    information.parent.mkdir()
    information.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.0\n")
    script = (
        f"import spacy; nlp = spacy.load({name!r}); doc = nlp({TEXTS[0]!r}); "
        "print([(t.text, t.tag_) for t in doc], [(e.text, e.label_) for e in doc.ents])"
    )
    found = run("-c", script, cwd=site)
    doc = nlp(TEXTS[0])
    assert found == f"{[(t.text, t.tag_) for t in doc]} {[(e.text, e.label_) for e in doc.ents]}"
