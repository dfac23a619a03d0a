"""Chains over several factors of the same positions as one chain model, with the labels of all factors one after another."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spacy_mtl.distinct import distinct
from spacy_mtl.models.dense import DenseBlock
from spacy_mtl.models.few_left import FewLeft
from spacy_mtl.templates.grammar import Template, parse_template

from .export import ROW_BYTES
from .weights import ChainWeights, TemplateRow, quantize, strongest


def of_factor(weights: ChainWeights, begin: int, end: int) -> ChainWeights:
    """The weights of the labels ``begin:end``, without label pairs that read observations."""
    part = slice(begin, end)
    return replace(
        weights,
        labels=weights.labels[part],
        codes=weights.codes[:, part],
        dense_codes=weights.dense_codes[:, part],
        dense_constants=weights.dense_constants[:, part],
        pair_keys=np.empty(0, np.uint64),
        pair_codes=np.empty((0, (end - begin) ** 2), np.int8),
        pair_scales=np.empty(0, np.float32),
        step=weights.step[part, part],
    )


def joined_factors(parts: Sequence[ChainWeights], megabytes: float | None, few: FewLeft | None = None) -> ChainWeights:
    """The model of all factors. parts: of one factor each, over the same templates, none of which reads observations for label pairs.

    megabytes, few: as of :func:`.export_chain`; of the observations of all factors, the strongest are kept, and all dense blocks.
    """
    labels = tuple(label for part in parts for label in part.labels)
    keys = distinct(np.concatenate([part.keys for part in parts]))
    rows, step = np.zeros((keys.size, len(labels)), np.float32), np.zeros((len(labels), len(labels)), np.float32)
    begin = 0
    for part in parts:
        own = slice(begin, begin + len(part.labels))
        rows[np.searchsorted(keys, part.keys), own] = part.node_rows()
        step[own, own] = part.step
        begin = own.stop
    dense = _joined_dense(parts)
    taken = sum(block.stored_bytes for block in dense)
    budget = None if megabytes is None else max(0, int(megabytes * 1e6) - taken)
    kept = strongest([np.abs(rows).max(axis=1, initial=0)], [ROW_BYTES + len(labels)], budget)[0]
    if megabytes is not None:
        (few or FewLeft()).check(megabytes, kept.size, keys.size, taken)
    codes, scales = quantize(rows[kept])
    share = kept.size / max(keys.size, 1)
    no_pairs = np.empty(0, np.uint64), np.empty((0, len(labels) ** 2), np.int8), np.empty(0, np.float32)
    joined = ChainWeights(labels, _report(parts, share), keys[kept], codes, scales, *no_pairs, step)
    return joined.with_dense(dense)


def _joined_dense(parts: Sequence[ChainWeights]) -> list[DenseBlock]:
    """The dense blocks that are live in any factor, with weights of 0 for the others' labels."""
    found: dict[Template, tuple[np.ndarray, np.ndarray]] = {}
    n_labels, begin = sum(len(part.labels) for part in parts), 0
    for part in parts:
        own = slice(begin, begin + len(part.labels))
        for template, weights, constant in part.dense_blocks():
            nothing = np.zeros((len(weights), n_labels), np.float32), np.zeros(n_labels, np.float32)
            matrix, constants = found.setdefault(template, nothing)
            matrix[:, own], constants[own] = weights, constant
        begin = own.stop
    order = [parse_template(row.text) for row in parts[0].templates]
    return [DenseBlock(template, *found[template]) for template in order if template in found]


def _report(parts: Sequence[ChainWeights], share: float) -> tuple[TemplateRow, ...]:
    """The mean weight of each template, the norm of its weights in all factors, and about how many of its observations are kept."""
    found = []
    for rows in zip(*(part.templates for part in parts), strict=True):
        most = max(row.rows for row in rows)
        norm = float(np.sqrt(sum(row.norm**2 for row in rows)))
        weight = sum(row.weight for row in rows) / len(rows)
        found.append(TemplateRow(rows[0].text, weight, norm, max(1, round(share * most)) if most else 0))
    return tuple(found)
