"""The user's dictionary as law: whether texts are cut into its words, and what a large one costs."""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, pairwise
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy

from benchmarks.common.measure import median
from spacy_mtl.components.tokenizer import SegmenterTokenizer, with_tokenizer

from .data import FILES, Data, Sentence, texts
from .features import normal
from .ours import DEFAULTS, train
from .reading import Segmenter, characters_per_second, words_of_doc

#: Words added one at a time, each followed by a short text.
ADDED = 500
#: Lengths of made-up words.
LENGTHS = (2, 3, 4)


def make_words(corpora: str, n: int) -> list[str]:
    """So many words: those of two characters and more in the training texts, and then words made up of their characters, by their frequency."""
    known: Counter[str] = Counter()
    for name in FILES:
        known.update(word for words in Data(corpora, name).train() for word in words)
    words = [word for word in known if 1 < len(word) <= 8][:n]
    chars: Counter[str] = Counter()
    for word, count in known.items():
        chars.update(dict.fromkeys(word, count))
    letters = np.array([char for char in chars if "一" <= char <= "鿿"])
    share = np.array([chars[char] for char in letters], float)
    random, found = np.random.default_rng(0), dict.fromkeys(words)
    while len(found) < n:
        drawn = random.choice(letters, (n, max(LENGTHS)), p=share / share.sum())
        lengths = random.choice(LENGTHS, n)
        for row, length in zip(drawn, lengths, strict=True):
            found["".join(row[:length])] = None
            if len(found) == n:
                break
    return list(found)


def occurrences(text: str, words: set[str], longest: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each occurrence of a word, by plain look-up."""
    for a in range(len(text)):
        for b in range(a + 1, min(len(text), a + longest) + 1):
            if text[a:b] in words:
                yield a, b


def kept_share(gold: list[Sentence], cut: list[Sentence], words: set[str]) -> dict[str, Any]:
    """Of the occurrences that no other overlaps but those inside them: how many there are, and the share that is cut as given, in percent.

    Left out are those inside runs of letters or digits, which are never parted.
    """
    words = {"".join(map(normal, word)) for word in words}  # full width and half width are the same
    longest, total, kept, conflicts = max(map(len, words)), 0, 0, 0
    for text, found in zip(texts(gold), cut, strict=True):
        borders = [0, *accumulate(map(len, found))]
        spans = set(pairwise(borders))
        places = list(occurrences("".join(map(normal, text)), words, longest))
        for a, b in places:
            others = [(c, d) for c, d in places if c < b and a < d and (c, d) != (a, b)]
            if any(c <= a and b <= d for c, d in others) or not all("一" <= char <= "鿿" for char in text[a:b]):
                continue
            if any(not a <= c <= d <= b for c, d in others):
                conflicts += 1
                continue
            total += 1
            kept += (a, b) in spans
    return {"occurrences": total, "kept": 100 * kept / max(1, total), "in_conflict": conflicts}


def as_segmenter(tokenizer: SegmenterTokenizer) -> Segmenter:
    return Segmenter(lambda inputs: tokenizer.pipe(inputs), words_of_doc)


def additions(tokenizer: SegmenterTokenizer, words: list[str]) -> dict[str, float]:
    """Milliseconds from adding a word to a text of five characters cut with it."""
    spent = []
    for word in words:
        begin = time.perf_counter()
        tokenizer.user_words.add(word)
        tokenizer("他" + word + "。")
        spent.append(1000 * (time.perf_counter() - begin))
    return {"addition_ms": median(spent), "addition_ms_most": max(spent)}


def run(data: dict, n_words: int, repeats: int) -> dict[str, Any]:
    """A row: a tokenizer with a million words, as law, as hints, and one without, in turns over the test text."""
    the_data, ours = Data(**data), DEFAULTS["seg.v1"]
    with TemporaryDirectory() as folder:
        train(data, {**vars(ours)}, 1, save_to=folder)
        nlp = spacy.load(folder)
        tokenizers = {name: with_tokenizer(nlp).tokenizer for name in ("none", "hint", "law")}
    words, inputs = make_words(the_data.corpora, n_words + ADDED), texts(the_data.test())
    row: dict[str, Any] = {"contestant": "ours", "words": n_words}
    for name in ("hint", "law"):
        begin = time.process_time()
        tokenizers[name].user_words.update(words[:n_words])
        tokenizers[name].user_words.role = name
        tokenizers[name]("第一次")
        row[f"cpu_loading_{name}"] = time.process_time() - begin
    speeds: dict[str, list[float]] = {name: [] for name in tokenizers}
    for turn in range(repeats + 1):
        for name in tokenizers:
            speed = characters_per_second(as_segmenter(tokenizers[name]), inputs)
            if turn:  # the first time all words are new
                speeds[name].append(speed)
    row |= {f"characters_per_second_{name}": median(values) for name, values in speeds.items()}
    for name in ("none", "hint"):
        row[f"law_to_{name}"] = median([a / b for a, b in zip(speeds["law"], speeds[name], strict=True)])
    gold = the_data.test()
    row |= kept_share(gold, list(as_segmenter(tokenizers["law"]).sentences(inputs)), set(words[:n_words]))
    row |= additions(tokenizers["law"], words[n_words:])
    hinted = list(as_segmenter(tokenizers["hint"]).sentences(inputs))
    return row | {"kept_as_hint": kept_share(gold, hinted, set(words[:n_words]))["kept"]}
