"""``spacy mtl validate``: what a config would make of a corpus."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.cli import app
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from typer.testing import CliRunner

from spacy_mtl.components.protocol.dry_run import dry_run
from spacy_mtl.corpora.conll import ConllCorpus

ROOT = Path(__file__).parents[2]
DEV = ROOT / "assets" / "es-entities" / "dev.conll"


@Language.component("validate_tensors", assigns=["doc.tensor"])
def set_tensors(doc):
    doc.tensor = np.ones((len(doc), 3), "f")
    return doc


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "validate", *map(str, args)])


def told(result):
    return result.stderr.splitlines()


@pytest.fixture(scope="module")
def recognizer():
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,ORTH]", "U1:%x[0,SHAPE]", "B"]}
    nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    return nlp


def test_what_it_says():
    result = invoke(DEV, "--config", ROOT / "configs" / "ner.cfg", "--all")
    assert (result.exit_code, told(result)) == (0, [])
    lines = result.stdout.splitlines()
    assert lines[0] == f"{DEV}: 70 documents, 70 sentences, 1,263 words"
    assert lines[1] == "ner: 17 labels; 1,263 positions"
    assert lines[2] == "  learns LOC, MISC, ORG, PER"
    assert lines[3].endswith(" MB beside the documents")
    counts = {line.split()[1]: int(line.split()[0].replace(",", "")) for line in lines[4:] if line[:4] == "    "}
    words = {line.split()[0] for line in DEV.read_text(encoding="utf8").splitlines() if line}
    assert counts["U00"] == len(words)


def test_gold_that_cannot_be_used_is_counted(recognizer):
    doc = Doc(recognizer.vocab, ["Ana", "lee", "hoy"])
    gold = Doc(recognizer.vocab, ["Ana", "lee", "hoy"], ents=["B-PER", "O", ""])
    found = dry_run(recognizer.get_pipe("mtl_ner"), recognizer, [Example(doc, gold)])
    assert (found.positions, found.unknown) == (3, 1)
    assert found.observations == {"U0": 3, "U1": 2, "B": found.observations["B"]}
    assert recognizer.get_pipe("mtl_ner").report is None


def test_tokens_that_are_not_those_of_the_corpus_are_told(tmp_path):
    """The first document is cut as the tokenizer cuts it, the second has a token more, and the third one less."""
    vocab = spacy.blank("es").vocab
    texts = [["Ana", "lee"], ["Ana", "le", "e"], ["en Lima", "lee"]]
    docs = [
        Doc(vocab, words, spaces=[w != "le" for w in words], ents=["B-PER", *["O"] * (len(words) - 1)])
        for words in texts
    ]
    DocBin(docs=docs).to_disk(tmp_path / "a.spacy")
    files = ["--train", tmp_path / "a.spacy", "--dev", tmp_path / "a.spacy"]
    CliRunner().invoke(
        app, ["mtl", "init-config", *map(str, [tmp_path / "a.cfg", "--lang", "es", "--pipeline", "ner", *files])]
    )
    result = invoke(tmp_path / "a.spacy", "--config", tmp_path / "a.cfg")
    assert (result.exit_code, told(result)) == (0, [])
    assert result.stdout.splitlines()[1] == (
        "  ! 3 tokens of the pipeline are not those of the corpus, and what is annotated there is not learnt, such as 'lee' in 'Ana lee'"
    )


def test_memory_is_estimated_within_a_factor_of_three(recognizer):
    nlp = recognizer
    examples = list(ConllCorpus(ROOT / "assets" / "es-entities" / "train.conll", given=[])(nlp))
    nlp.add_pipe("mtl_ner", name="rich")
    estimate = dry_run(nlp.get_pipe("rich"), nlp, examples).megabytes
    pipe = nlp.get_pipe("rich")
    tracemalloc.start()
    pipe.initialize(lambda: examples, nlp=nlp)
    for _ in range(2):
        pipe.update(examples)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    assert estimate / 3 < peak < estimate * 3, (estimate, peak)


@pytest.mark.parametrize(
    ("config", "corpus", "positions"),
    [("segmenter", "zh-words/dev.txt", 714), ("parser", "nl-trees/dev.conllu", 303)],
)
def test_characters_and_trees(config, corpus, positions):
    result = invoke(ROOT / "assets" / corpus, "--config", ROOT / "configs" / f"{config}.cfg")
    assert (result.exit_code, told(result)) == (0, [])
    line = next(line for line in result.stdout.splitlines() if line.startswith(f"{config}: "))
    assert f" labels; {positions} positions" in line


def test_an_unknown_language_is_one_message(tmp_path):
    path = tmp_path / "config.cfg"
    path.write_text((ROOT / "configs" / "ner.cfg").read_text().replace('lang = "es"', 'lang = "qq"'))
    result = invoke(DEV, "--config", path)
    assert (result.exit_code, result.stderr[:6]) == (1, "[M515]")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ((DEV, "--config", "nowhere.cfg"), "[M709]"),
        (("nowhere.conll", "--config", ROOT / "configs" / "ner.cfg"), "[M501]"),
        ((ROOT / "assets/nl-trees/dev.conllu", "--config", ROOT / "configs" / "ner.cfg"), "[M518]"),
    ],
)
def test_bad_input_is_one_message(args, code):
    result = invoke(*args)
    assert (result.exit_code, result.stderr[:6]) == (1, code)
    assert len(result.stderr.splitlines()) == 1


def test_a_text_where_the_config_reads_binary_files_is_one_message(tmp_path, recwarn):
    path = tmp_path / "config.cfg"
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner")
    nlp.config["corpora"]["train"] = {"@readers": "spacy.Corpus.v1", "path": "train.spacy"}
    nlp.config.to_disk(path)
    result = invoke(DEV, "--config", path)
    assert result.exit_code == 1
    assert told(result) == [
        f"[M773] '{DEV}' cannot be read as the config says: spacy.Corpus.v1 reads .spacy files alone. Give a file in the format of the config."
    ]
    assert not recwarn


def test_what_components_before_set_need_not_be_in_the_corpus():
    """Training would have it of them, as it is: no template is refused for it."""
    nlp, words = spacy.blank("es"), ["Ana", "vive", "en", "Lima"]
    nlp.add_pipe("mtl_tagger")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,TAG]", "V0:%t[0]"]}
    nlp.add_pipe("validate_tensors", first=True)
    nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    gold = Doc(nlp.vocab, words, tags=["N", "V", "P", "N"], ents=["B-PER", "O", "O", "B-LOC"])
    examples = [Example(Doc(nlp.vocab, words), gold)] * 2
    dry_run(nlp.get_pipe("mtl_tagger"), nlp, examples)
    found = dry_run(nlp.get_pipe("mtl_ner"), nlp, examples)
    assert (found.positions, found.unknown) == (8, 0)
    assert found.observations["V0"] == 3


def test_a_component_before_that_fails_untrained_is_told():
    nlp, words = spacy.blank("es"), ["Ana", "vive"]
    nlp.add_pipe("tagger")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,TAG]"]}
    nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    gold = Doc(nlp.vocab, words, tags=["N", "V"], ents=["B-PER", "O"])
    with pytest.raises(ValueError, match=r"^\[M724\] 'mtl_ner' reads what a component before it is to set"):
        dry_run(nlp.get_pipe("mtl_ner"), nlp, [Example(Doc(nlp.vocab, words), gold)])
