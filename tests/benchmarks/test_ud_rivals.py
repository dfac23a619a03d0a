"""Rivals on treebanks: what they are given, and what is understood of their messages. Their trainings are not run here."""

import sys

import pytest
from spacy.parts_of_speech import IDS

from benchmarks.common.measure import run_child
from benchmarks.ud.danish import FEATURES, PARTS_OF_SPEECH, danish_part
from benchmarks.ud.raw_text import raw_text, trees_alone
from benchmarks.ud.rivals import _note
from benchmarks.ud.spacy_rival import with_known_parts
from spacy_mtl.treebanks.universal import FEATURES as FEATURES_OF_UD

WORD = "{}\t{}\t_\tNOUN\t_\t_\t{}\tdep\t_\t{}"


def sentence(*words, comments=()):
    """CoNLL-U of (form, head, misc) each."""
    lines = [WORD.format(i, form, head, misc) for i, (form, head, misc) in enumerate(words, 1)]
    return "\n".join([*comments, *lines])


def write(tmp_path, *sentences):
    path = tmp_path / "some.conllu"
    path.write_text("\n\n".join(sentences) + "\n\n", encoding="utf8")
    return path


def test_raw_text_keeps_paragraphs_and_spaces(tmp_path):
    first = sentence(("Oh", 0, "SpaceAfter=No"), ("!", 1, "_"), comments=["# newdoc id = 1", "# text = Oh!"])
    second = sentence(("Yes", 0, "_"), ("yes", 1, "_"), comments=["# text = Yes yes"])
    third = sentence(("No", 0, "_"), comments=["# newpar", "# text = No"])
    assert raw_text(write(tmp_path, first, second, third)) == "Oh! Yes yes\n\nNo\n"


def test_a_treebank_without_text_has_none(tmp_path):
    assert raw_text(write(tmp_path, sentence(("Oh", 0, "_")))) is None


def test_text_that_is_not_that_of_the_tokens_is_refused(tmp_path):
    path = write(tmp_path, sentence(("Oh", 0, "_"), comments=["# text = Ah"]))
    with pytest.raises(ValueError, match="is not that of its tokens"):
        raw_text(path)


def test_sentences_that_run_in_a_circle_are_left_out(tmp_path):
    good, circle = sentence(("a", 0, "_"), ("b", 1, "_")), sentence(("a", 2, "_"), ("b", 1, "_"), comments=["# c"])
    assert trees_alone(write(tmp_path, circle, good)) == f"{good}\n\n"


def test_danish_gets_universal_parts_of_speech_and_a_dev_part(tmp_path):
    line = "{}\tcifre\tciffer\tNC\tNCNPU==I\tnumber=plur|gender=common/neuter|reflexive=yes/no|case=unmarked|id={}\t0\tROOT\t_\t_\n\n"
    (tmp_path / "ddt").mkdir()
    for name, sentences in {"train": 20, "test": 3}.items():
        text = "".join(line.format(1, 40 + i) for i in range(sentences))
        (tmp_path / "ddt" / f"{name}.conll").write_text(text, encoding="utf8")
    parts = {name: danish_part(tmp_path, name).read_text(encoding="utf8") for name in ("train", "dev", "test")}
    wanted = "1\tcifre\tciffer\tNOUN\tNCNPU==I\tGender=Com,Neut|Number=Plur\t0\troot\t_\t_\n\n"
    assert parts == {"train": 18 * wanted, "dev": 2 * wanted, "test": 3 * wanted}
    assert set(PARTS_OF_SPEECH.values()) <= set(IDS)
    assert {feature.partition("=")[0].partition("[")[0] for feature in FEATURES.values()} <= FEATURES_OF_UD


@pytest.mark.parametrize(
    ("step", "line", "point"),
    [
        ("parser", "Iteration 2: training logprob -6.5e+03, heldout UAS 54.50%, LAS 40.49%", {"uas": 54.5, "las": 40.49}),
        ("tagger", "Iteration 3: done, accuracy 96.55%, heldout accuracy 61.87%t/73.25%l/57.23%b", {"tags": 61.87, "lemmas": 73.25}),
        (
            "tokenizer",
            "Epoch 1, logprob: -1.1e+05, training acc: 93.13%, heldout tokens: 100.00%P/100.00%R/99.00%, sentences: 1.00%P/2.00%R/3.00%",
            {"sentences": 3.0},
        ),
    ],
)  # fmt: skip
def test_what_udpipe_says_of_each_iteration_is_noted(step, line, point):
    points = []
    heard = _note(step, points)
    heard(line + "\n", 1.5)
    heard("Something else\n", 2.0)
    [found] = points
    assert found.pop("iteration") == int(line.split()[1].strip(":,"))
    assert found == {"step": step, "cpu": 1.5, **point}


def speak(n):
    """What a child does: it works and says so."""
    for k in range(n):
        sum(range(2_000_000))
        print(k, file=sys.stderr, flush=True)
    return {"n": n}


def test_a_child_is_heard_while_it_works():
    heard = []
    done = run_child(f"{__name__}:speak", lambda line, cpu: heard.append((line, cpu)), n=3)
    assert done == {"n": 3}
    assert [line for line, _ in heard if line.strip().isdigit()] == ["0\n", "1\n", "2\n"]
    times = [cpu for line, cpu in heard if line.strip().isdigit()]
    assert times == sorted(times)


def test_parts_of_speech_that_spacy_does_not_know_are_x():
    text = sentence(("Oh", 0, "_"), ("yes", 1, "_"), comments=["# text = Oh yes"])
    assert with_known_parts(text) == text
    assert with_known_parts(text.replace("NOUN", "DT", 1)) == text.replace("NOUN", "X", 1)
    assert with_known_parts(text.replace("NOUN", "_")) == text.replace("NOUN", "_")
