"""A made-up language with dependency trees, Docs and pipelines of it, for tests of the parser."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.roots import ROOT, doc_heads

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"
FIRST_ORDER = [
    "U0:%h[0,TAG]/%m[0,TAG]",
    "U1:%h[0,TAG]/%m[0,TAG]/%d",
    "U2:%h[0,TAG]/%b[TAG]/%m[0,TAG]",
    "U3:%h[0,LOWER]/%m[0,TAG]",
    "U4:%h[0,TAG]/%m[-1,TAG]/%m[0,TAG]/%m[1,TAG]",
]
SIBLINGS = ["U5:%s[0,TAG]/%m[0,TAG]", "U6:%h[0,TAG]/%s[0,TAG]/%m[0,TAG]"]
GRANDPARENTS = ["U7:%g[0,TAG]/%m[0,TAG]", "U8:%g[0,TAG]/%h[0,TAG]/%m[0,LOWER]/%d"]
LABELS = ["B0:%h[0,TAG]/%m[0,TAG]", "B1:%h[0,TAG]/%m[0,TAG]/%d", "B2:%m[0,LOWER]"]
WORDS = {
    "DET": ["a", "the"],
    "ADJ": ["big", "old", "red"],
    "NOUN": ["cat", "dog", "bird", "tree"],
    "VERB": ["sees", "likes", "hears"],
    "ADP": ["in", "by"],
    "ADV": ["now", "here"],
    "PUNCT": ["."],
    "REL": ["tall"],
}


@dataclass
class Sentence:
    """heads from 1, 0 for roots."""

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def add(self, rng, tag: str, label: str) -> int:
        """A word; returns its number."""
        self.words.append(str(rng.choice(WORDS[tag])))
        self.tags.append(tag)
        self.heads.append(0)
        self.labels.append(label)
        return len(self.words)

    def noun_phrase(self, rng, label: str) -> int:
        """[DET] [ADJ] NOUN [ADP NOUN]; returns its head."""
        left = [self.add(rng, tag, role) for tag, role in (("DET", "det"), ("ADJ", "amod")) if rng.random() < 0.6]
        noun = self.add(rng, "NOUN", label)
        for word in left:
            self.heads[word - 1] = noun
        if rng.random() < 0.3:
            marker, inner = self.add(rng, "ADP", "case"), self.add(rng, "NOUN", "nmod")
            self.heads[marker - 1], self.heads[inner - 1] = inner, noun
        return noun

    def clause(self, rng, crossing: bool) -> int:
        """Subject, verb, [object], [adverb]; crossing: at the end a word that belongs to the subject. Returns the verb."""
        subject = self.noun_phrase(rng, "nsubj")
        verb = self.add(rng, "VERB", ROOT)
        others = [subject]
        if rng.random() < 0.7:
            others.append(self.noun_phrase(rng, "obj"))
        if rng.random() < 0.4:
            others.append(self.add(rng, "ADV", "advmod"))
        for word in others:
            self.heads[word - 1] = verb
        if crossing:
            self.heads[self.add(rng, "REL", "acl") - 1] = subject
        return verb


def treebank(n: int, seed: int = 0, crossing: float = 0.0, double: float = 0.0) -> list[Sentence]:
    """Sentences: of each kind a share, those with a crossing arc, and those of two clauses, each with a root."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        sentence = Sentence()
        verb = sentence.clause(rng, rng.random() < crossing)
        if rng.random() < double:
            verb = sentence.clause(rng, False)
        sentence.heads[sentence.add(rng, "PUNCT", "punct") - 1] = verb
        found.append(sentence)
    return found


def bare_doc(nlp, sentences, borders: bool = True, tags: bool = True) -> Doc:
    """What the parser gets to see."""
    words = [word for sentence in sentences for word in sentence.words]
    starts = [k == 0 for sentence in sentences for k in range(len(sentence.words))]
    return Doc(
        nlp.vocab, words=words,
        tags=[tag for sentence in sentences for tag in sentence.tags] if tags else None,
        sent_starts=starts if borders else None,
    )  # fmt: skip


def gold_doc(nlp, sentences) -> Doc:
    """A Doc with trees: further roots of a sentence hang on its first."""
    heads, labels, offset = [], [], 0
    for sentence in sentences:
        first = sentence.heads.index(0)
        heads += [offset + (head - 1 if head else first) for head in sentence.heads]
        labels += [label if head else ROOT for label, head in zip(sentence.labels, sentence.heads, strict=True)]
        offset += len(sentence.words)
    words = [word for sentence in sentences for word in sentence.words]
    tags = [tag for sentence in sentences for tag in sentence.tags]
    return Doc(nlp.vocab, words=words, tags=tags, heads=heads, deps=labels)


def examples(nlp, sentences, group: int = 3) -> list[Example]:
    """``group`` sentences a document."""
    groups = [sentences[k : k + group] for k in range(0, len(sentences), group)]
    return [Example(bare_doc(nlp, some), gold_doc(nlp, some)) for some in groups]


def make_parser(patterns=None, megabytes=None, trainer=None, nlp=None, name="mtl_parser", **config):
    """A blank pipeline with a parser."""
    nlp = nlp or spacy.blank("en")
    patterns = [*FIRST_ORDER, *LABELS] if patterns is None else patterns
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": list(patterns)}
    trainer = trainer or {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.5, "C": 1.0}
    nlp.add_pipe(
        "mtl_parser",
        name=name,
        config={"model": {"templates": templates, "megabytes": megabytes}, "trainer": trainer, **config},
    )
    return nlp


def train(nlp, shown, passes: int = 8):
    nlp.initialize(lambda: shown)
    for _ in range(passes):
        nlp.update(shown)
    return nlp


def parse(nlp, shown) -> list[Doc]:
    """The predicted sides of examples, parsed anew."""
    docs = [example.predicted.copy() for example in shown]
    return list(nlp.pipe(docs))


def trees_of(docs) -> list:
    """Heads from 1 (0 for roots), labels and first words of the sentences."""
    found = []
    for doc in docs:
        trees = doc_heads(doc)
        found.append((trees.heads.tolist(), [token.dep_ for token in doc], trees.starts.tolist()))
    return found


def scores(nlp, shown) -> dict:
    return nlp.evaluate([Example(example.predicted.copy(), example.reference) for example in shown])
