import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import spacy
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.corpora.conllu import ConlluCorpus

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    """A tagger and a parser of which the tagger is first, so that given tags are replaced."""
    nlp = spacy.blank("nl")
    nlp.add_pipe("sentencizer")
    trainer = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}
    for name in ("tagger", "parser"):
        nlp.add_pipe(f"mtl_{name}", name=name, config={"trainer": trainer})
    examples = list(ConlluCorpus(TREES / "train.conllu", limit=40)(nlp))
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    path = tmp_path_factory.mktemp("trained") / "model"
    nlp.to_disk(path)
    return path


def invoke(command, *args):
    return CliRunner().invoke(app, ["mtl", command, *map(str, args)])


def columns(path, *numbers):
    lines = [line.split("\t") for line in path.read_text(encoding="utf8").splitlines() if line[:1].isdecimal()]
    return [[row[n - 1] for row in lines] for n in numbers]


def test_gold_tokens_and_raw_text(parser, tmp_path):
    """What is annotated from gold tokens has all words and sentences; from raw text, what tokenizer and sentencizer make of it."""
    gold, out, scores = TREES / "dev.conllu", tmp_path / "new" / "out.conllu", tmp_path / "scores.json"
    result = invoke("annotate", parser, gold, out)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "34 documents, 34 sentences, 303 words" in result.stdout
    assert columns(out, 1, 2, 3, 6, 10) == columns(gold, 1, 2, 3, 6, 10)
    assert columns(out, 7, 8) != columns(gold, 7, 8)
    assert invoke("evaluate-ud", gold, out, "--output", scores).exit_code == 0
    found = json.loads(scores.read_text(encoding="utf8"))
    assert found["Tokens"]["f1"] == found["Sentences"]["f1"] == found["Lemmas"]["f1"] == 1
    assert 0.3 < found["LAS"]["f1"] <= found["UAS"]["f1"] < 1

    lines = gold.read_text(encoding="utf8").splitlines()
    raw = tmp_path / "raw.txt"
    raw.write_text("\n".join(line[9:] for line in lines if line.startswith("# text = ")), encoding="utf8")
    result = invoke("annotate", parser, raw, out, "--documents", "line")
    assert (result.exit_code, result.stderr) == (0, "")
    assert invoke("evaluate-ud", gold, out, "--output", scores).exit_code == 0
    found = json.loads(scores.read_text(encoding="utf8"))
    assert 0.8 < found["Tokens"]["f1"] <= 1
    assert 0.2 < found["LAS"]["f1"] < 1


def test_several_files_of_all_kinds(parser, tmp_path):
    binary = tmp_path / "a.spacy"
    assert (
        invoke("convert", TREES / "dev.conllu", binary, "--lang", "nl", "--format", "conllu", "--limit", 2).exit_code
        == 0
    )
    text = tmp_path / "a.txt"
    text.write_text("Hij slaapt. Zij ook.", encoding="utf8")
    result = invoke("annotate", parser, text, binary, text, tmp_path / "out.conllu")
    assert "4 documents, 6 sentences" in result.stdout
    result = invoke("annotate", parser, text, text, tmp_path / "out.conllu", "--format", "text", "--documents", "file")
    assert "2 documents, 4 sentences, 12 words" in result.stdout


def test_a_pipeline_without_borders_says_so(tmp_path):
    spacy.blank("nl").to_disk(tmp_path / "model")
    text = tmp_path / "a.txt"
    text.write_text("Hij slaapt. Zij ook.", encoding="utf8")
    result = invoke("annotate", tmp_path / "model", text, tmp_path / "out.conllu")
    assert "1 document, 1 sentence" in result.stdout
    assert result.stderr.startswith("[M743]")
    assert invoke("annotate", tmp_path / "model", TREES / "dev.conllu", tmp_path / "out.conllu").stderr == ""
    assert (tmp_path / "out.conllu").read_bytes() == (TREES / "dev.conllu").read_bytes()


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["none.txt", "out.conllu"], "M501"),
        (["a.txt", "a.txt"], "M741"),
        (["a.txt", "out.conllu", "--format", "conll"], "M742"),
        (["a.txt", "out.conllu", "--documents", "chapter"], "M742"),
        (["a.txt", "out.conllu", "--format", "conllu"], "M550"),
        (["a.txt", "out.conllu", "--format", "spacy"], "M705"),
        (["a.txt", "out.conllu", "--encoding", "utf9"], "M513"),
        (["a.txt", "a.txt/out.conllu"], "M704"),
        (["a.txt", "b.jsonl", "out.conllu"], "M753"),
        (["b.PARQUET", "out.conllu", "--format", "text"], "M753"),
        (["b.txt.gz", "out.conllu", "--format", "conllu"], "M754"),
        (["b.json", "out.conllu"], "M755"),
    ],
)
def test_bad_input_is_one_message_and_no_file(tmp_path, args, code):
    nlp = spacy.blank("nl")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    names = {"a.txt", *(arg for arg in args if arg[0] == "b")}
    for name in names:
        (tmp_path / name).write_text("Hij slaapt.", encoding="utf8")
    result = invoke(
        "annotate", tmp_path / "model", *[arg if arg[0] == "-" or "." not in arg else tmp_path / arg for arg in args]
    )
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"[{code}]")
    assert len(result.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "model"])
    assert "[M701]" in invoke("annotate", tmp_path / "a.txt", tmp_path / "a.txt", tmp_path / "out.conllu").stderr


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ((TREES / "dev.conllu").read_text(encoding="utf8"), "looks like a treebank, not like text"),
        ("Ana\tB-PER\nlee\tO\n\n" * 5, "Give the .spacy file that 'spacy mtl convert' makes of it, or --format text"),
        ("O lee\nB-PER Ana\n" * 5, "looks like columns of words and tags"),
        ("Ana\tNP\nlee\tVB\n\n" * 5, "looks like columns of words and tags"),
        ("Ana\tNP\nlee\tVB\n" * 5, ""),
        ("\tElla lee.\n\n" * 10, ""),
        ("E-Mail: ana@b.es\n" * 10, ""),
        ("O gato dorme.\n" * 10, ""),
        ("Ana lee NP\n" * 10, ""),
        ("Ana lee\nEva va\n" * 5, ""),
        ("Ana\tlee\n" * 9, ""),
    ],
)
def test_tokens_with_tags_are_not_taken_for_text(tmp_path, text, hint):
    nlp = spacy.blank("nl")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    path, out = tmp_path / "my.dev", tmp_path / "out.conllu"
    path.write_text(text, encoding="utf8")
    result = invoke("annotate", tmp_path / "model", path, out)
    assert (result.exit_code, out.exists()) == ((1, False) if hint else (0, True))
    assert hint in result.stderr
    assert len(result.stderr.splitlines()) == bool(hint)
    assert invoke("annotate", tmp_path / "model", path, out, "--format", "text").exit_code == 0


def test_an_interrupt_leaves_what_was_there(tmp_path, monkeypatch):
    spacy.blank("nl").to_disk(tmp_path / "model")
    out = tmp_path / "out.conllu"
    out.write_text("old", encoding="utf8")

    def interrupted(*_):
        yield "# one sentence"
        raise KeyboardInterrupt

    monkeypatch.setattr("spacy_mtl.treebanks.annotate.doc_to_conllu", interrupted)
    assert invoke("annotate", tmp_path / "model", TREES / "dev.conllu", out).exit_code != 0
    assert out.read_text(encoding="utf8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "out.conllu"]


def is_gone(group):
    """Whether no process of a group is left after a while."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_no_process_outlives_a_command_that_was_killed(tmp_path, method):
    nlp = spacy.blank("xx")
    nlp.batch_size = 1
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "a.txt").write_text("Hij slaapt.\n\n" * 50_000, encoding="utf8")
    program = (
        f"import multiprocessing as m; m.set_start_method({method!r}); from spacy.cli import setup_cli; setup_cli()"
    )
    command = [sys.executable, "-c", program, "mtl", "annotate", tmp_path / "model", tmp_path / "a.txt"]
    process = subprocess.Popen([*command, tmp_path / "out.conllu", "--n-process", "3"], start_new_session=True)
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    more = 4 if method == "spawn" else 3  # multiprocessing has a process of its own where it spawns others
    while len(started.read_text().split()) < more:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    gone = is_gone(process.pid)
    if not gone:
        os.killpg(process.pid, signal.SIGKILL)
    assert gone


@pytest.mark.parametrize("interrupted", [True, False])
def test_several_processes_end_with_the_command(tmp_path, interrupted):
    """When it is interrupted, and when an input is at fault: none of them waits for another."""
    spacy.blank("xx").to_disk(tmp_path / "model")
    (tmp_path / "a.txt").write_text("Hij slaapt. " * 20 + "\n\n", encoding="utf8")
    (tmp_path / "a.txt").write_text((tmp_path / "a.txt").read_text() * 20_000, encoding="utf8")
    (tmp_path / "bad.conllu").write_text("1\tx\n", encoding="utf8")
    files = [tmp_path / "a.txt"] if interrupted else [TREES / "train.conllu", tmp_path / "bad.conllu"]
    command = [
        sys.executable,
        "-m",
        "spacy",
        "mtl",
        "annotate",
        tmp_path / "model",
        *files,
        tmp_path / "new" / "out",
        "--n-process",
        "2",
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        start_new_session=True,
    )
    if interrupted:
        deadline = time.monotonic() + 60
        while not any(path.stat().st_size for path in tmp_path.glob("new/.out*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == (130 if interrupted else 1)
    assert interrupted or "[M550] Line 1" in told.decode()
    assert list((tmp_path / "new").iterdir()) == []
    assert is_gone(process.pid)
