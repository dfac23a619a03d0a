"""Entity spans as sequences of IOB2 or BILUO tags: the labels, which of them may follow each other, encoding and decoding."""

from collections.abc import Sequence

import numpy as np

from spacy_mtl.models.chain.decode import Held
from spacy_mtl.models.segments import Segments
from spacy_mtl.structures.chain.build import Constraints

#: Tag prefixes by scheme: begin, inside and, in BILUO, last token and entity of a single token.
PREFIXES = {"iob2": "BI", "biluo": "BILU"}
# values of spaCy's ENT_IOB
MISSING, INSIDE, OUTSIDE, BEGIN = 0, 1, 2, 3


def tag_labels(types: Sequence[str], scheme: str) -> tuple[str, ...]:
    """O, then every prefix with every entity type."""
    return ("O", *(f"{prefix}-{kind}" for kind in types for prefix in PREFIXES[scheme]))


def tag_constraints(labels: Sequence[str], scheme: str) -> Constraints:
    """Constraints that allow only well-formed tag sequences."""
    prefix = np.array([label[0] for label in labels])
    kind = np.unique([label[1:] for label in labels], return_inverse=True)[1]
    begins, inside = np.isin(prefix, list("OBU")), np.isin(prefix, list("BI"))
    same = kind[:, None] == kind
    if scheme == "iob2":
        return Constraints(begins, np.ones(len(labels), bool), begins | same)
    return Constraints(begins, ~inside, (inside[:, None] != begins) & (~inside[:, None] | same))


def tag_segments(labels: Sequence[str], scheme: str) -> Segments:
    """Which tags are of which entity type, and which go on with an entity, as :func:`decode_tags` reads them."""
    width = len(PREFIXES[scheme])
    number = np.arange(len(labels)) - 1
    kinds = np.where(number >= 0, number // width, -1)
    prefix = np.where(number >= 0, number % width, -1)
    inside, closed = (prefix == 1) | (prefix == 2), (prefix == 2) | (prefix == 3)
    if scheme == "iob2":
        inside, closed = prefix == 1, np.zeros(len(labels), bool)
    return Segments(kinds, (kinds[:, None] == kinds) & inside & ~closed[:, None])


def encode_tags(
    iob: np.ndarray, kinds: np.ndarray, starts: np.ndarray, types: dict[int, int], scheme: str
) -> np.ndarray:
    """Label numbers int32[N], -1 where annotation is missing.

    iob, kinds: ENT_IOB and ENT_TYPE of N tokens. starts: sentence borders; an entity that crosses a border is split there. types: hash of an entity
    type -> its number; tokens of other types count as missing.
    """
    n = iob.size
    code = np.full(n, -1, np.int64)
    for kind, number in types.items():
        code[kinds == np.uint64(kind)] = number
    entity = ((iob == BEGIN) | (iob == INSIDE)) & (code >= 0)
    first = np.zeros(n + 1, bool)
    first[starts] = True
    after = np.concatenate([[False], entity[:-1] & (code[:-1] == code[1:])]) if n else entity
    inside = entity & (iob == INSIDE) & after & ~first[:-1]
    prefix = inside.astype(np.int64)  # B, I
    if scheme == "biluo":
        goes_on = np.concatenate([inside[1:], [False]]) if n else inside
        prefix = np.where(inside, np.where(goes_on, 1, 2), np.where(goes_on, 0, 3))  # B, I, L, U
    labels = np.where(entity, 1 + len(PREFIXES[scheme]) * code + prefix, np.where(iob == OUTSIDE, 0, -1))
    return labels.astype(np.int32)


def hold_tags(numbers: np.ndarray, labels: Sequence[str]) -> Held:
    """Hold tokens to their tags, and the token after an entity of IOB2 to tags that do not continue it. numbers: int[N], -1 where nothing is held."""
    labels_at = np.arange(len(labels)) == numbers[:, None]
    labels_at |= numbers[:, None] < 0
    if not any(label.startswith("L-") for label in labels):
        inside = {label[2:]: number for number, label in enumerate(labels) if label.startswith("I-")}
        ends = np.flatnonzero((numbers[:-1] > 0) & (numbers[1:] < 0))
        labels_at[ends + 1, [inside[labels[number][2:]] for number in numbers[ends].tolist()]] = False
    at = np.flatnonzero(~labels_at.all(axis=1))
    return Held(at, labels_at[at])


def decode_tags(
    labels: np.ndarray, starts: np.ndarray, types: Sequence[int], scheme: str
) -> tuple[np.ndarray, np.ndarray]:
    """ENT_IOB and ENT_TYPE (uint64[N]) from label numbers int32[N]; an inside tag with nothing to continue begins an entity, as in conlleval.

    types: hashes of the entity types, by number.
    """
    width = len(PREFIXES[scheme])
    number = np.where(labels > 0, (labels - 1) // width, -1)
    prefix = (labels - 1) % width
    first = np.zeros(labels.size + 1, bool)
    first[starts] = True
    continues = (labels > 0) & np.isin(prefix, (1, 2) if scheme == "biluo" else (1,)) & ~first[:-1]
    if labels.size:
        closed = np.isin(prefix, (2, 3)) if scheme == "biluo" else np.zeros(labels.size, bool)
        continues[1:] &= (number[1:] == number[:-1]) & ~closed[:-1]
    iob = np.where(labels > 0, np.where(continues, INSIDE, BEGIN), OUTSIDE).astype(np.uint64)
    kinds = np.concatenate([np.asarray(types, np.uint64), np.zeros(1, np.uint64)])[number]
    return iob, kinds
