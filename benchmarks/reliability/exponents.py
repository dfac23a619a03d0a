"""Time against size: slopes of log CPU seconds over log size, fitted over growing sizes."""

import math
import time
from collections.abc import Callable, Iterator
from functools import cache
from statistics import median
from typing import Any

import numpy as np

from benchmarks.common.measure import forget_peak, peak_megabytes, resident_megabytes, run_child
from benchmarks.common.rows import Row

from .plan import ROOT, Plan

#: Largest slope, in a full run and in a quick one, whose times are short and so uncertain.
MOST, MOST_QUICK = 1.1, 1.3
#: Case -> sizes of a quick run, how many times they are doubled further in a full one, the largest slope if it is another.
CASES: dict[str, tuple[tuple[int, ...], int, float | None]] = {
    "characters of a document, tokenizer": ((16_000, 32_000, 64_000, 128_000), 3, None),
    "characters of a document, segmenter": ((8000, 16_000, 32_000, 64_000), 2, None),
    "words of a document, tagger and ner": ((4000, 8000, 16_000, 32_000), 3, None),
    "documents, tokenizer": ((1000, 2000, 4000, 8000), 3, None),
    "documents, tagger and ner": ((500, 1000, 2000, 4000), 3, None),
    "characters of one word, tokenizer": ((16_000, 32_000, 64_000, 128_000), 3, None),
    "characters of one word, tagger and ner": ((64_000, 128_000, 256_000, 512_000), 3, None),
    "words of the user dictionary": ((4000, 8000, 16_000, 32_000), 3, None),
    "characters of a template": ((4000, 8000, 16_000, 32_000), 3, None),
    "templates": ((40, 80, 160, 320), 1, None),
    "labels, training": ((40, 80, 160, 320), 2, None),
    "labels, prediction": ((40, 80, 160, 320), 2, None),
    # the parser's is documented: between the second power (arcs and their features) and the third (the search for the best tree)
    "words of a sentence, parser": ((100, 200, 400, 800), 1, 3.2),
    # constituents': the third power of the words; longer sentences get none
    "words of a sentence, constituents": ((25, 50, 100, 200), 1, 3.2),
}
REPEATS = 3


def run(plan: Plan) -> Iterator[Row]:
    for case, (sizes, more, most) in CASES.items():
        if plan.wants(case):
            sizes = (*sizes, *(sizes[-1] << k for k in range(1, 1 + more))) if plan.full else sizes
            found = run_child(f"{__name__}:measure", case=case, sizes=list(sizes))
            slope, limit = fit(sizes, found["seconds"]), most or (MOST if plan.full else MOST_QUICK)
            failures = [f"exponent {slope:.2f} above {limit:g}: {found['seconds']}"] if slope > limit else []
            largest = f", {found['megabytes'][-1]:.0f} MB more" if "megabytes" in found else ""
            note = f"exponent {slope:.2f} from {sizes[0]:,} ({found['seconds'][0]:.3f} s) to {sizes[-1]:,} ({found['seconds'][-1]:.3f} s{largest})"
            yield plan.row(
                "exponents", case, len(sizes), failures, exponent=slope, sizes=list(sizes),
                cpu=found["seconds"], megabytes=found.get("megabytes"), note=note,
            )  # fmt: skip


def fit(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """The slope of the least-squares line through (log size, log seconds)."""
    return float(np.polyfit(np.log(sizes), [math.log(max(value, 1e-9)) for value in seconds], 1)[0])


def measure(case: str, sizes: list[int]) -> dict[str, list[float]]:
    """Median CPU seconds of each size. What a case needs is prepared outside of the time; a small one comes first, so that everything is compiled."""
    what, _, name = case.partition(", ")
    prepare = _PREPARE[what]
    prepare(name, max(1, sizes[0] // 8))()
    if what == "words of a sentence":
        return _with_memory(lambda size: prepare(name, size), sizes)
    return {"seconds": [median(_seconds(prepare(name, size)) for _ in range(REPEATS)) for size in sizes]}


def _with_memory(prepare: Callable[[int], Callable[[], Any]], sizes: list[int]) -> dict[str, list[float]]:
    """Seconds, and megabytes by which the process grows meanwhile."""
    seconds, megabytes = [], []
    for size in sizes:
        action = prepare(size)
        before = resident_megabytes() or 0.0
        forget_peak()
        seconds.append(median(_seconds(action) for _ in range(REPEATS)))
        megabytes.append(max(0.0, (peak_megabytes() or 0.0) - before))
    return {"seconds": seconds, "megabytes": megabytes}


def _seconds(action: Callable[[], Any]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def _characters(name: str, n: int) -> Callable[[], Any]:
    return _annotate(name, [("我们昨天在上海大学学习，" * n)[:n]])


def _words(name: str, n: int) -> Callable[[], Any]:
    from spacy.tokens import Doc

    from .pipelines import make_pipeline

    nlp = make_pipeline(name)
    doc = Doc(nlp.vocab, words=[f"Palabra{k}" for k in range(n)])
    return lambda: nlp(doc)


def _documents(name: str, n: int) -> Callable[[], Any]:
    return _annotate(
        name, [f"我们在{k}大学。" if name == "tokenizer" else f"Ana vio {k} casas en Madrid." for k in range(n)]
    )


def _one_word(name: str, n: int) -> Callable[[], Any]:
    from spacy.tokens import Doc

    from .pipelines import make_pipeline

    if name == "tokenizer":
        return _annotate(name, ["a" * n])
    nlp = make_pipeline(name)
    doc = Doc(nlp.vocab, words=["a" * n])
    return lambda: nlp(doc)


def _annotate(name: str, texts: list[str]) -> Callable[[], Any]:
    """Texts through a pipeline that has seen none; spaCy's own split into characters is not counted."""
    from spacy.tokens import Doc

    from .pipelines import make_pipeline

    nlp = make_pipeline(name)
    nlp.max_length = max(map(len, texts))
    list(nlp.pipe(["我们在。"]))
    if name == "segmenter":
        docs = [Doc(nlp.vocab, words=list(text), spaces=[False] * len(text)) for text in texts]
        return lambda: list(nlp.pipe(docs))
    return lambda: list(nlp.pipe(texts))


def _dictionary(name: str, n: int) -> Callable[[], Any]:
    """So many words are added, then a text is segmented."""
    from .pipelines import make_pipeline

    nlp: Any = make_pipeline("tokenizer")
    words = [chr(0x4E00 + k % 997) + chr(0x5500 + k // 997) + "的" for k in range(n)]

    def add() -> None:
        nlp.tokenizer.user_words.update(words)
        nlp("我们昨天在上海大学学习。")

    return add


def _template_text(name: str, n: int) -> Callable[[], Any]:
    from spacy_mtl.templates.grammar import TemplateSet

    text = f"U{'0' * n}:%x[0,ORTH]"
    return lambda: TemplateSet.from_texts([text])


def _templates(name: str, n: int) -> Callable[[], Any]:
    """Initialization and one pass of the perceptron over some sentences with so many templates."""
    from .training import corpus, make, train

    attributes = ("ORTH", "LOWER", "SHAPE", "SUFFIX1", "SUFFIX2", "SUFFIX3", "PREFIX1", "PREFIX2", "PREFIX3")
    pairs = [(a, b, j) for j in range(-4, 5) for a in attributes for b in attributes]
    texts = [
        f"U{k}:%x[0,{a}]/%x[{j},{b}]" for k, (a, b, j) in enumerate(pairs[81 * 4 :] + pairs[: 81 * 4]) if j or a < b
    ][:n]
    nlp = make("mtl_ner", {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}, texts)
    examples = corpus("mtl_ner", nlp, n=200)
    return lambda: train(nlp, examples, 1)


def _labels(name: str, n: int) -> Callable[[], Any]:
    """Two passes over sentences with so many tags, each as often as the others, and a report; or their tags, by a new model.

    There are as many words for every number of tags.
    """
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example

    from .training import WORDS, train

    nlp = spacy.blank("es")
    patterns = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": WORDS}
    nlp.add_pipe("mtl_tagger", config={"model": {"templates": patterns}})
    words = [[f"w{(13 * s + i) % 1000}" for i in range(20)] for s in range(400)]
    tags = [[f"T{int(word[1:]) % n}" for word in sentence] for sentence in words]
    examples = [
        Example(Doc(nlp.vocab, words=ws), Doc(nlp.vocab, words=ws, tags=ts)) for ws, ts in zip(words, tags, strict=True)
    ]
    pipe: Any = nlp.get_pipe("mtl_tagger")
    if name == "prediction":
        train(nlp, examples, 2)
        docs = [Doc(nlp.vocab, words=ws) for ws in words]
        return lambda: pipe.predict(docs)
    return lambda: (train(nlp, examples, 2), pipe._learner.report())


def _sentence(name: str, n: int) -> Callable[[], Any]:
    from spacy.tokens import Doc

    from .pipelines import make_pipeline

    if name == "constituents":
        return _bracketed(n)
    nlp = make_pipeline(name)
    words = ("De bakker ziet de hond van de buurvrouw in het dorp en " * n).split()[:n]
    doc = Doc(nlp.vocab, words=words, sent_starts=[True] + [False] * (n - 1))
    return lambda: nlp.get_pipe("mtl_parser")(nlp.get_pipe("mtl_tagger")(doc))


def _bracketed(n: int) -> Callable[[], Any]:
    """The training sentences joined by "and", as one of n words. All of it can be parsed: its tags are those of the corpus."""
    from spacy.tokens import Doc

    nlp, sentences = _constituents()
    joined = [pair for sentence in sentences for pair in [*sentence, ("and", "CC")]]
    words, tags = zip(*(joined * (1 + n // len(joined)))[:n], strict=True)
    doc = Doc(nlp.vocab, words=words, tags=tags, sent_starts=[True] + [False] * (n - 1))
    return lambda: nlp.get_pipe("mtl_constituents").predict([doc])


@cache
def _constituents() -> tuple[Any, list[list[tuple[str, str]]]]:
    """A pipeline that has learned the sample of trees, without a limit on words, and the sentences that it has learned from."""
    import spacy

    from spacy_mtl.corpora.bracketed import BracketedCorpus

    nlp = spacy.blank("en")
    nlp.add_pipe(
        "mtl_constituents", config={"trainer": {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}, "max_words": None}
    )
    examples = list(BracketedCorpus(ROOT / "assets/en-constituents/train.mrg")(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(2):
        nlp.update(examples)
    return nlp, [[(token.text, token.tag_) for token in example.reference][:-1] for example in examples]


_PREPARE = {
    "characters of a document": _characters,
    "words of a document": _words,
    "documents": _documents,
    "characters of one word": _one_word,
    "words of the user dictionary": _dictionary,
    "characters of a template": _template_text,
    "templates": _templates,
    "labels": _labels,
    "words of a sentence": _sentence,
}
