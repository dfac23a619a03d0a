"""The characters of documents as positions of chains, and the decisions about them, for explanations."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.explaining.chain import Positions
from spacy_mtl.explaining.chain_decisions import ExplainedChain
from spacy_mtl.explaining.decision import Decision
from spacy_mtl.segmentation.boundaries import begin_tags
from spacy_mtl.segmentation.characters import CharacterTable, doc_text


def character_positions(table: CharacterTable, docs: Sequence[Doc], keep_runs: bool, tags: str) -> Positions:
    """The characters of documents; their places are counted in the text of each. keep_runs, tags: settings of the segmenter."""
    texts = [doc_text(doc) for doc in docs]
    chars, whole = table.read(texts), "".join(texts)
    at = chars.at - chars.texts[np.searchsorted(chars.texts, chars.at, side="right") - 1]
    joined = table.joined(chars) if keep_runs else np.zeros(at.size, np.bool_)
    return Positions(
        table.given(chars), chars.starts, np.searchsorted(chars.at, chars.texts), [whole[k] for k in chars.at.tolist()],
        [(k, k + 1) for k in at.tolist()], table.vocab.strings, forbidden=(joined, begin_tags(tags)),
    )  # fmt: skip


def border_decisions(chain: ExplainedChain, text: str, tags: str) -> list[Decision]:
    """Whether there is a border between two characters of a text. Each decision shows both."""
    begins = begin_tags(tags)
    found = chain.label_decisions(
        "border", begins[:, None] == begins, lambda _, tag: "border" if begins[tag] else "no border", first=1
    )
    return [replace(each, text=f"{text[each.start - 1]}|{each.text}") for each in found]
