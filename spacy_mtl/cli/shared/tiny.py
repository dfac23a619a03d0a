"""A few sentences and pipelines for them: using one compiles what its component needs."""

import time
import warnings
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from spacy_mtl.errors import Errors

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: Words, tags, entities, heads (numbers of words) and labels of arcs. Crossing arcs in the last, for a parser that may predict them.
SENTENCES = (
    ("Ana vive en Santa Fe .", "PN V P PN PN .", "B-PER O O B-LOC I-LOC O", (1, 1, 4, 4, 1, 1), "nsubj ROOT case flat obl punct"),
    ("El perro come pan .", "D N V N .", "O O O O O", (1, 2, 2, 2, 2), "det nsubj ROOT obj punct"),
    ("Come Ana pan hoy ?", "V PN N R .", "O B-PER O O O", (0, 3, 0, 0, 0), "ROOT nsubj obj advmod punct"),
)  # fmt: skip
#: The universal parts of speech of these tags; nouns and verbs have a number, too.
PARTS = {"PN": "PROPN", "V": "VERB", "P": "ADP", "D": "DET", "N": "NOUN", "R": "ADV", ".": "PUNCT"}
#: Components that are trained on words without tags.
UNTAGGED = ("senter", "tagger", "morphologizer")
#: Constituents of a sentence as first word, end and label.
SPANS = ((0, 6, "S"), (0, 1, "NP"), (1, 5, "VP"), (2, 5, "PP"), (3, 5, "NP"))
WORDS = ("他 在 北京 大学 学习 中文 。", "我们 今天 去 北京 。")
#: Settings in which a component compiles other kernels than by default: each is used in turn.
WAYS: dict[str, tuple[dict[str, Any], ...]] = {"parser": ({"projective": True}, {"projective": False})}


def registered_trainer(name: str) -> str:
    """The registered name of a trainer. Raises ValueError (M710) for an unknown one."""
    from spacy_mtl.registry import mtl_trainers

    known = mtl_trainers.get_all()
    for full in (name, f"spacy_mtl.{name}", f"spacy_mtl.{name}.v1"):
        if full in known:
            return full
    raise ValueError(Errors.M710.format(kind="trainer", name=name, known=", ".join(sorted(known))))


def _docs(nlp: "Language", component: str) -> list[tuple["Doc", "Doc"]]:
    """Pairs of an input and its gold annotation."""
    from spacy.tokens import Doc

    if component == "segmenter":
        texts = [(text.replace(" ", ""), text.split()) for text in WORDS]
        return [(nlp.make_doc(raw), Doc(nlp.vocab, words, spaces=[False] * len(words))) for raw, words in texts]
    pairs = []
    if component == "constituents":
        return [_bracketed(nlp)]
    if component == "senter":
        return [_paragraph(nlp)]
    for text, tags, ents, heads, deps in SENTENCES:
        words = text.split()
        starts: list[bool | int | None] = [k == 0 for k in range(len(words))]
        pos = [PARTS[tag] for tag in tags.split()]
        more: dict[str, Any] = {"pos": pos, "morphs": ["Number=Sing" if tag in "VN" else "" for tag in tags.split()]}
        given: dict[str, Any] = {} if component in UNTAGGED else {"tags": tags.split()}
        gold = Doc(
            nlp.vocab, words, tags=tags.split(), lemmas=[word.lower() for word in words], ents=ents.split(),
            heads=list(heads), deps=deps.split(), **more,
        )  # fmt: skip
        pairs.append(
            (Doc(nlp.vocab, words, sent_starts=starts, **given, **(more if component == "lemmatizer" else {})), gold)
        )
    return pairs


def _paragraph(nlp: "Language") -> tuple["Doc", "Doc"]:
    """All sentences as one document, without and with their borders."""
    from spacy.tokens import Doc

    words = [word for text, *_ in SENTENCES for word in text.split()]
    starts: list[bool | int | None] = [k == 0 for text, *_ in SENTENCES for k in range(len(text.split()))]
    return Doc(nlp.vocab, words), Doc(nlp.vocab, words, sent_starts=starts)


def _bracketed(nlp: "Language") -> tuple["Doc", "Doc"]:
    """The first sentence with tags, and with its constituents."""
    from spacy.tokens import Doc, Span

    text, tags, *_ = SENTENCES[0]
    given, gold = (Doc(nlp.vocab, text.split(), tags=tags.split()) for _ in range(2))
    gold.spans["constituents"] = [Span(gold, *span) for span in SPANS]
    return given, gold


def _make(component: str, trainer: str, settings: dict[str, Any]) -> "Language":
    import spacy

    nlp = spacy.blank("zh" if component == "segmenter" else "es")
    nlp.add_pipe(f"mtl_{component}", config={"trainer": {"@mtl_trainers": trainer}, **settings})
    return nlp


def use(component: str, purpose: str, trainer: str) -> str:
    """Train, load and annotate as far as ``purpose`` ("training", "prediction", "both") asks for it; return what that took, in words."""
    from spacy_mtl.compiling.progress import progress

    before, begin = progress.counts(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what so small a corpus lacks
        for settings in WAYS.get(component, ({},)):
            _use(component, purpose, trainer, settings)
    compiled, cached = (now - then for now, then in zip(progress.counts(), before, strict=True))
    return f"{compiled} kernels compiled and {cached} found in the cache, in {time.perf_counter() - begin:.1f} s"


def _use(component: str, purpose: str, trainer: str, settings: dict[str, Any]) -> None:
    import spacy
    from spacy.training import Example

    if purpose == "prediction":
        trainer = "spacy_mtl.Perceptron.v1"  # some model must be made, and this compiles least
    nlp = _make(component, trainer, settings)
    pairs = _docs(nlp, component)
    examples = [Example(*pair) for pair in pairs]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    if purpose != "prediction":
        getattr(nlp.get_pipe(f"mtl_{component}"), "report", None)  # with certificates, as a row of the training log
    if purpose != "training":
        with TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            nlp = spacy.load(folder)
    docs = [Example(*pair).predicted for pair in _docs(nlp, component)]
    list(nlp.pipe(docs))
