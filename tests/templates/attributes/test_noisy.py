import time

import pytest

from spacy_mtl.templates.attributes.noisy import bare, short_shape, token_kind
from spacy_mtl.templates.presets import ner


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("url", ["http://t.co/a", "www.a.b", "bit.ly/x", "example.com", "HTTPS://A.B"]),
        ("email", ["a@b.org", "a.b@c.d"]),
        ("mention", ["@ann", "@a_1"]),
        ("hashtag", ["#tag", "#2day"]),
        ("emoticon", [":)", ":-D", ";P", "<3", ":'(", "^_^"]),
        ("emoji", ["😀", "😀😀", "❤️"]),
        ("time", ["10:30", "8pm", "9:30am"]),
        ("number", ["3", "1,000.5", "$5", "20%", "1st", "5k"]),
        ("repeated", ["sooo", "Yesss"]),
        ("", ["word", "Ann", ".", "#", "@", "good", "a.b", ""]),
        ("long", ["a" * 300]),
    ],
)
def test_kinds(kind, words):
    assert {word: token_kind(word) for word in words} == dict.fromkeys(words, kind)


def test_bare_words():
    assert [bare(word) for word in ("#Coool", "@Ann", "Yesss", "good", "##", "...")] == [
        "col",
        "ann",
        "yes",
        "good",
        "",
        ".",
    ]


def test_short_shapes():
    words = ("McDonald", "iPhone5", "NASA", "word", "#tag", "e-mail", "")
    assert [short_shape(word) for word in words] == ["XxXx", "xXxd", "X", "x", "#x", "x-x", ""]


@pytest.mark.parametrize("word", ["a" * 199, "a." * 99, "1" * 199, "#" * 199, "aab" * 60, "x@" * 99])
def test_no_word_takes_long(word):
    begin = time.process_time()
    for _ in range(20):
        token_kind(word)
    assert time.process_time() - begin < 1


def test_they_are_templates_of_a_preset():
    plain, noisy = ner(tag=False), ner(tag=False, noisy=True)
    assert len(noisy.node) == len(plain.node) + 15
    assert set(noisy.attributes) - set(plain.attributes) == {"TOKEN_KIND", "BARE", "SHORT_SHAPE"}
