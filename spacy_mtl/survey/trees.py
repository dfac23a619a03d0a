"""Look at a file of dependency trees: crossing arcs, morphology, tags, sentences without a tree."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from unicodedata import category

import numpy as np

from spacy_mtl.corpora.conllu_read import MISSING, TreeSentence, read_conllu
from spacy_mtl.corpora.settings import check_file
from spacy_mtl.roots import crossing

from .found import Survey, most_common


def survey_trees(path: Path, encoding: str = "utf8") -> Survey:
    """What is in a file of trees, CoNLL-U or CoNLL-X. Raises ValueError: what the reader refuses (M501, M502, M504, M513, M550, M551, M559)."""
    check_file(path)
    found = Survey(path, "trees")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sentences = list(read_conllu(path, "auto", encoding, "skip"))
    broken = [str(warning.message).partition("] ")[2] for warning in caught if "[M560]" in str(warning.message)]
    found.sentences = len(sentences)
    found.words = sum(len(sentence.words) for sentence in sentences)
    found.longest = max((len(sentence.words) for sentence in sentences), default=0)
    if broken:
        found.broken = int(broken[0].split()[0])
        found.reader["broken"] = "skip"
        found.warnings.append(f"{broken[0]} They are skipped")
    _look_at_tokens(found, sentences)
    _look_at_tags(found, sentences)
    _look_at_trees(found, sentences)
    return found


def _look_at_tokens(found: Survey, sentences: list[TreeSentence]) -> None:
    found.multiword = sum(sentence.multiword for sentence in sentences)
    if found.multiword:
        found.lines.append(f"{found.multiword:,} tokens are several words (multiword tokens)")
    found.joined = sum(map(_joined, sentences)) / max(found.words, 1)
    found.forms.update(word for sentence in sentences for word in sentence.words)


def _joined(sentence: TreeSentence) -> int:
    """Words that follow another one letter to letter."""
    pairs = zip(pairwise(sentence.words), sentence.spaces, strict=False)
    return sum(not space and _is_letter(before[-1]) and _is_letter(after[0]) for (before, after), space in pairs)


def _is_letter(character: str) -> bool:
    """Whether a character is a letter, or a mark on one."""
    return character.isalpha() or category(character)[0] == "M"


def _look_at_tags(found: Survey, sentences: list[TreeSentence]) -> None:
    used = sentences[0].layout.columns if sentences else frozenset()
    column = "xpos" if "xpos" in used else "upos"
    pos_of: dict[str, Counter[str]] = defaultdict(Counter)
    features: Counter[bool] = Counter()
    has_upos = has_lemmas = False
    readings: set[tuple[str, str, str]] = set()
    for sentence in sentences:
        tags = getattr(sentence, column)
        has_upos, has_lemmas = has_upos or _is_used(sentence.upos), has_lemmas or _is_used(sentence.lemma)
        for tag, upos, feats in zip(tags, sentence.upos, sentence.feats, strict=True):
            found.tags[tag] += tag not in MISSING
            if upos not in MISSING:
                pos_of[tag][upos] += 1
            found.case += "Case=" in feats
            features["=" in feats] += 1
            readings.add((upos, feats, tag))
    found.tags = +found.tags
    found.pos_of, found.readings = dict(pos_of), len(readings)
    found.analyses = len({(upos, feats) for upos, feats, _ in readings})
    words = max(found.words, 1)
    found.case, found.features = found.case / words, features[True] / words
    found.upos, found.lemmas = has_upos, has_lemmas
    found.coarse = column == "xpos" and has_upos
    tags = f"TAG from {column}: {len(found.tags):,} tags: {most_common(found.tags)}"
    found.lines.append(tags if found.tags else "no tags, neither in XPOS nor in UPOS")
    found.lines.append(
        f"morphology: {found.features:.0%} of words have features, {found.case:.0%} a case"
        if found.features
        else "no morphology"
    )


def _is_used(column: Sequence[str]) -> bool:
    """Whether a column says anything of a sentence."""
    return any(text not in MISSING for text in column)


def _look_at_trees(found: Survey, sentences: list[TreeSentence]) -> None:
    arcs = crossed = several = in_crossed = 0
    for sentence in sentences:
        if sentence.heads is not None:
            crosses = int(np.count_nonzero(crossing(sentence.heads)))
            found.trees += 1
            arcs += len(sentence.heads)
            found.arcs += int(np.count_nonzero(sentence.heads))
            crossed += crosses
            in_crossed += crosses > 0
            several += int(np.count_nonzero(sentence.heads == 0)) > 1
    found.crossing = crossed / max(arcs, 1)
    share = f"{found.crossing:.1%} of arcs cross another, in {in_crossed / max(found.trees, 1):.1%} of sentences"
    roots = f"; {several:,} sentences have several roots" if several else ""
    found.lines.append(f"{found.trees:,} trees; {share}{roots}")
    if found.trees < found.sentences:
        found.warnings.append(f"{found.sentences - found.trees:,} sentences have no tree and are not learnt from")
