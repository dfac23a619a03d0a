"""``spacy mtl init-ud`` with treebanks that are not as usual: what it prints can be run as it is, to the end, or it says at once why not."""

import shlex
from pathlib import Path

import pytest
import spacy
from spacy.cli import app
from spacy.cli.train import train
from spacy.util import load_config, load_model
from typer.testing import CliRunner

from spacy_mtl.cli.treebanks import ud_configs
from spacy_mtl.cli.validate import make_pipeline, read_examples
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.learning.counted import known_words

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"
QUICK = {"training.max_epochs": 1, "training.logger.progress_bar": False}


def part(tmp_path, name, n, change=str, encoding="utf8"):
    """The first sentences of a part of the treebank, as they are after a change of its text."""
    sentences = (TREES / f"{name}.conllu").read_text(encoding="utf8").split("\n\n")[:n]
    path = tmp_path / f"my-{name}.conllu"
    path.write_text(change("\n\n".join(sentences) + "\n\n"), encoding=encoding)
    return path


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", *map(str, args)])


def run_all(said):
    """Run the commands that ``init-ud`` prints, in order, with few passes. Returns what they say, and the pipeline."""
    commands = [shlex.split(line)[3:] for line in said.splitlines() if line.startswith("  python -m spacy ")]
    assert [command[0] for command in commands] == ["train", "mtl", "train", "mtl", "train"]
    outputs = []
    for name, *args in commands:
        if name == "train":
            train(Path(args[0]), Path(args[2]), overrides=QUICK)
        else:
            done = invoke(*args, *(("--passes", 2) if args[0] == "jackknife" else ()))
            assert done.exit_code == 0, done.output
            outputs.append(done.output)
    return outputs, load_model(Path(commands[-1][3]) / "model-best")


def broken(text):
    """The text, with heads of its last sentence that form a cycle."""
    *sentences, last = text.rstrip("\n").split("\n\n")
    rows = [row.split("\t") for row in last.split("\n")]
    words = [row for row in rows if len(row) == 10]
    words[0][6], words[1][6] = "2", "1"
    return "\n\n".join([*sentences, "\n".join("\t".join(row) for row in rows) + "\n\n"])


@pytest.mark.filterwarnings("ignore:.*M56[07]")
@pytest.mark.parametrize("where", ["train", "dev"])
def test_a_broken_tree_is_skipped_by_every_step(tmp_path, where):
    paths = [part(tmp_path, name, 40, broken if name == where else str) for name in ("train", "dev")]
    done = invoke("init-ud", *paths, tmp_path / "ud", "--lang", "nl")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "They are skipped." in done.stdout
    run_all(done.stdout)


def test_a_treebank_of_another_encoding(tmp_path):
    """What jackknife writes is UTF-8, whatever the treebank is."""

    def accented(text):
        return text.replace("de\t", "dé\t").replace("# text", "# was")

    paths = [part(tmp_path, name, 40, accented, "latin-1") for name in ("train", "dev")]
    done = invoke("init-ud", *paths, tmp_path / "ud", "--lang", "nl", "--encoding", "latin-1")
    assert (done.exit_code, done.stderr) == (0, "")
    encodings = {"senter": ("latin-1",) * 2, "ud-tags": ("latin-1",) * 2, "ud": ("utf8", "latin-1", "latin-1")}
    for name, expected in encodings.items():
        config = load_config(tmp_path / "ud" / f"{name}.cfg", interpolate=True)
        blocks = [*config["corpora"].values(), *config["initialize"]["tokenizer"].values()]
        assert tuple(block["encoding"] for block in blocks) == expected
    _, nlp = run_all(done.stdout)
    assert "dé" in nlp.vocab.strings
    assert "dÃ©" not in nlp.vocab.strings


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (9, "the bias stays 0, since the training corpus is a single document, of which there are no folds; saved to"),
        (11, "The training corpus has 2 documents, so that there are no more folds"),
        (20, "The training corpus has 2 documents, so that there are no more folds"),
    ],
)
def test_a_treebank_of_few_sentences(tmp_path, n, said):
    """Documents of ten sentences are fewer than the folds that the bias is to be chosen by; one of a single sentence has no border to learn."""
    paths = [part(tmp_path, name, n) for name in ("train", "dev")]
    done = invoke("init-ud", *paths, tmp_path / "ud", "--lang", "nl")
    (bias, _), nlp = run_all(done.stdout)
    assert said in bias
    assert nlp("De hond slaapt .").has_annotation("DEP")


@pytest.mark.parametrize("named", ["train.conllu", "x/../train.conllu"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_part_that_a_step_would_write_over_is_refused(tmp_path, named, which):
    (tmp_path / "x").mkdir()
    paths = [part(tmp_path, "train", 20), part(tmp_path, "dev", 20)]
    paths[which] = paths[which].rename(tmp_path / "train.conllu").parent / named
    before = sorted(tmp_path.iterdir())
    done = invoke("init-ud", *paths, tmp_path, "--lang", "nl")
    assert done.exit_code == 1
    assert done.stderr.startswith(f"[M953] '{paths[which]}' would be written over by what is made in '{tmp_path}'.")
    assert sorted(tmp_path.iterdir()) == before


def single_words(text):
    """The first word of each sentence, as a root."""
    rows = [row.split("\t") for row in text.split("\n") if row.startswith("1\t")]
    return "".join("\t".join([*row[:6], "0", "root", *row[8:]]) + "\n\n" for row in rows)


def test_sentences_of_one_word_have_no_arcs(tmp_path):
    paths = [part(tmp_path, name, 30, single_words) for name in ("train", "dev")]
    files = ("--train", paths[0], "--dev", paths[1])
    for args in (
        ("init-ud", *paths, tmp_path / "ud"),
        ("init-config", tmp_path / "ud.cfg", "--pipeline", "parser", *files),
    ):
        done = invoke(*args, "--lang", "nl")
        assert done.exit_code == 1
        assert "[M728]" in done.stderr
        assert "has no arcs to learn from, since every word of its trees is a root." in done.stderr
    assert not list(tmp_path.glob("ud*"))


def joined(text):
    rows = [row.split("\t") for row in text.split("\n") if not row.startswith("# text")]
    return "\n".join("\t".join([*row[:-1], "SpaceAfter=No"] if len(row) == 10 else row) for row in rows)


def test_words_without_spaces_are_found_by_a_segmenter(tmp_path):
    """Chinese has settings of its own for every tokenizer."""
    paths = [part(tmp_path, name, 200, joined) for name in ("train", "dev")]
    done = invoke("init-ud", *paths, tmp_path / "ud", "--lang", "zh")
    assert "% of words follow another one letter to letter, so the tokenizer is a segmenter" in done.stdout
    tokenizer = load_config(tmp_path / "ud" / "ud.cfg")["nlp"]["tokenizer"]
    nlp = spacy.blank("zh", config={"nlp": {"tokenizer": tokenizer}})
    nlp.initialize(lambda: ConlluCorpus(paths[0], keep=True)(nlp))
    (dev,) = (example.reference for example in ConlluCorpus(paths[0], limit=1)(nlp))
    assert [token.text for token in nlp.make_doc(dev.text)] == [token.text for token in dev]
    usual = invoke("init-ud", TREES / "train.conllu", TREES / "dev.conllu", tmp_path, "--lang", "nl")
    assert "letter to letter" not in usual.stdout
    assert "Segmenter" not in (tmp_path / "ud.cfg").read_text(encoding="utf8")


def with_tags(text, tag):
    """The text with language-specific tags, made of part of speech and form."""
    rows = [row.split("\t") for row in text.split("\n")]
    return "\n".join("\t".join([*row[:4], tag(row[3], row[1]), *row[5:]] if len(row) == 10 else row) for row in rows)


def test_tags_that_analyses_determine_are_learnt_by_the_morphologizer(tmp_path, monkeypatch):
    monkeypatch.setattr(ud_configs, "MANY_TAGS", 5)

    def tag(pos, form):
        return f"{pos[0].lower()}|{len(pos)}"

    paths = [part(tmp_path, name, 60, lambda text: with_tags(text, tag)) for name in ("train", "dev")]
    done = invoke("init-ud", *paths, tmp_path / "ud", "--lang", "nl")
    assert "tags, so 'morphologizer' learns these, too." in done.stdout
    _, nlp = run_all(done.stdout)
    assert nlp.pipe_names == ["senter", "morphologizer", "lemmatizer", "parser"]
    doc = nlp("De hond slaapt .")
    assert [token.tag_ for token in doc] == [tag(token.pos_, token.text) for token in doc]
    out = tmp_path / "out.conllu"
    assert invoke("annotate", tmp_path / "ud" / "all" / "model-best", paths[1], out).exit_code == 0
    words = [row.split("\t") for row in out.read_text(encoding="utf8").split("\n") if row[:1].isdigit()]
    assert {row[4] for row in words} == {tag(row[3], row[1]) for row in words}


def test_tags_that_say_more_than_analyses_have_a_tagger(tmp_path, monkeypatch):
    monkeypatch.setattr(ud_configs, "MANY_TAGS", 5)
    paths = [
        part(tmp_path, name, 60, lambda text: with_tags(text, lambda pos, form: pos + form[-1]))
        for name in ("train", "dev")
    ]
    said = invoke("init-ud", *paths, tmp_path / "ud", "--lang", "nl").stdout
    assert "nearly determine" not in said
    assert load_config(tmp_path / "ud" / "ud-tags.cfg")["nlp"]["pipeline"] == ["tagger", "morphologizer"]


def test_known_words_are_as_many_as_a_model_has_room_for(tmp_path, monkeypatch):
    paths = [part(tmp_path, name, 60) for name in ("train", "dev")]
    files = ("--train", paths[0], "--dev", paths[1])
    commands = {
        "ud-tags": ("init-ud", *paths, tmp_path),
        "own": ("init-config", tmp_path / "own.cfg", "--pipeline", "morphologizer", *files),
    }
    for cells, least in ((1 << 27, 1), (300, 10), (3000, 3)):
        monkeypatch.setattr(known_words, "MOST_CELLS", cells)
        for name, command in commands.items():
            done = invoke(*command, "--lang", "nl")
            assert ("a model has room for" in done.stdout) is (least > 1)
            config = tmp_path / f"{name}.cfg"
            assert load_config(config)["components"]["morphologizer"]["known_words"] == least
            nlp = make_pipeline(config)
            nlp.initialize(lambda nlp=nlp, config=config: read_examples(nlp, config, paths[0]))
        if least > 1:
            plain = make_pipeline(config, changes={"components.morphologizer.known_words": 1})
            with pytest.raises(ValueError, match=r"^\[M451\]"):
                plain.initialize(lambda nlp=plain, config=config: read_examples(nlp, config, paths[0]))
