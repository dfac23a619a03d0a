"""Texts that nobody writes: one for each seed, from every plane of Unicode, near to each other, empty, long, or all one character."""

import random
from collections.abc import Callable, Iterator
from functools import cache

from .plan import ROOT

SPACES = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff\u00ad\u034f\u061c\u115f\u180e\ufe0f\U000e0001\U000e0061\U000e0100"
SCRIPTS = (
    "abcXYZ", "áéñçß", "абвЯ", "αβγΩ", "אבג", "عربي", "हिन्दी", "ไทย", "我们在学校今天", "ひらカタ", "한국어", "０１２ＡＢ", "𝔄𝕏𝟙",
    "😀👨\u200d👩\u200d👧🏽🇪🇸",
    "0123456789", ".,;:!?¡¿«»“”'\"()-–—…", "。，、！？：；（）《》", "$€%#@&*+=/\\|<>{}[]~^`_",
)  # fmt: skip
CORPORA = ("es-entities/test.conll", "zh-words/test.txt", "nl-trees/test.conllu")
#: Code points that the texts of hostile.md had: as numbers they are lengths of words.
SMALL = [chr(n) for n in range(1, 32)]


def text(seed: int) -> str:
    """The text of a seed. One in five seeds shares most of its text with its neighbours."""
    near = random.Random(seed // 16 if seed % 5 == 0 else seed)
    made = near.choice(_KINDS)(near)
    if seed % 5 == 0 and made:
        own = random.Random(seed)
        at = own.randrange(len(made))
        made = made[:at] + _character(own) + made[at + own.randrange(2) :]
    return made


def every_character(step: int = 1, length: int = 100) -> Iterator[str]:
    """Texts of this length in which every character of Unicode occurs, assigned or not; or every ``step``-th."""
    codes = [code for code in range(0, 0x110000, step) if not 0xD800 <= code < 0xE000]
    for k in range(0, len(codes), length):
        yield "".join(map(chr, codes[k : k + length]))


@cache
def sentences() -> list[str]:
    """Of the corpora that come with the package, as plain text."""
    found = []
    for name in CORPORA:
        lines = (ROOT / "assets" / name).read_text(encoding="utf8").splitlines()
        if name.endswith(".conll"):
            blocks = "\n".join(line.partition(" ")[0].partition("\t")[0] for line in lines).split("\n\n")
            found += [block.replace("\n", " ") for block in blocks]
        elif name.endswith(".conllu"):
            found += [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
        else:
            found += [line.replace(" ", "") for line in lines]
    return found


def _character(r: random.Random) -> str:
    """From any plane, assigned or not, without halves of surrogate pairs."""
    while True:
        plane = r.choice((0, 0, 0, 1, 1, 2, *range(17)))
        code = (plane << 16) + r.randrange(0x10000)
        if not 0xD800 <= code < 0xE000:
            return chr(code)


def _planes(r: random.Random) -> str:
    return "".join(_character(r) for _ in range(r.randrange(1, 25)))


def _controls(r: random.Random) -> str:
    return "".join(
        r.choice((chr(r.randrange(32)), chr(r.randrange(0x7F, 0xA0)), r.choice(INVISIBLE), r.choice("ab我。 ")))
        for _ in range(r.randrange(1, 20))
    )


def _marks(r: random.Random) -> str:
    """Letters under heaps of accents, and accents on nothing."""
    marks = [chr(0x300 + r.randrange(0x70)) for _ in range(r.randrange(1, 12))]
    return "".join(
        r.choice(("a", "我", "", " ", "\x02")) + "".join(marks[: r.randrange(12)]) for _ in range(r.randrange(1, 8))
    )


def _mixed(r: random.Random) -> str:
    return "".join(r.choice(r.choice(SCRIPTS)) + r.choice(("", "", " ")) for _ in range(r.randrange(1, 40)))


def _words(r: random.Random) -> str:
    return " ".join(
        "".join(r.choice(r.choice(SCRIPTS)) for _ in range(r.randrange(1, 9))) for _ in range(r.randrange(1, 12))
    )


def _spaces(r: random.Random) -> str:
    return "".join(r.choice(SPACES) for _ in range(r.randrange(0, 12)))


def _repeated(r: random.Random) -> str:
    return r.choice((_character(r), r.choice(r.choice(SCRIPTS)), _mixed(r)[:4], "\u0301", "的")) * r.randrange(1, 60)


def _long_word(r: random.Random) -> str:
    """One word of hundreds or thousands of characters, now and then."""
    length = 10 ** r.randrange(1, 4) if r.random() < 0.05 else r.randrange(20, 80)
    return "".join(r.choice("abcdefgh") for _ in range(length)) if r.random() < 0.5 else r.choice("a我") * length


def _lengths(r: random.Random) -> str:
    """Words that begin with the character whose number is their length, and others that differ from them in little."""
    return "".join(r.choice(SMALL) + _cjk(r, r.randrange(4)) for _ in range(r.randrange(1, 5))) + r.choice(
        ("", "，", "。")
    )


def _cjk(r: random.Random, n: int) -> str:
    return "".join(chr(0x4E00 + r.randrange(0x5200)) for _ in range(n))


def _corpus(r: random.Random) -> str:
    return r.choice(sentences())


def _spoilt(r: random.Random) -> str:
    """A sentence with a few characters put in, left out or replaced."""
    made = list(r.choice(sentences()))
    for _ in range(r.randrange(1, 5)):
        at = r.randrange(len(made) + 1)
        made[at : at + r.randrange(2)] = [
            r.choice((_character(r), r.choice(SMALL), r.choice(INVISIBLE), r.choice(SPACES), ""))
        ]
    return "".join(made)


def _empty(r: random.Random) -> str:
    return ""


_KINDS: tuple[Callable[[random.Random], str], ...] = (
    _planes, _planes, _controls, _marks, _mixed, _words, _words, _spaces, _repeated, _long_word, _lengths, _lengths, _corpus, _spoilt, _spoilt, _empty
)  # fmt: skip
