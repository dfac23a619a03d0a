"""The costliest errors: wrong decisions that a component is most sure of, in context, with what speaks for them."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.confidence.pipe import ConfidentPipe
from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.explaining.decision import Contribution, Decision

from .pairs import NOTHING, Arcs, Compared, Piece, Spans, Task, Tokens
from .pictures import divided, marked, tree, window

#: Errors that are shown, documents that are explained for them, and the longest of these in characters.
SHOWN, EXPLAINED, LONGEST = 8, 16, 3000
#: Documents whose losses are computed to choose among, and contributions that are shown of each error.
LOOKED_AT, CONTRIBUTIONS = 2000, 8


@dataclass(frozen=True)
class CostlyError:
    """A wrong decision. document: its number in the corpus, from 1. predicted, gold: what each says. difference: by how much its analysis wins.

    pictures: titles, and the text or tree as predicted and as in gold.
    """

    document: int
    text: str
    predicted: str
    gold: str
    runner_up: str
    difference: float
    contributions: tuple[Contribution, ...]
    pictures: tuple[tuple[str, Markup], ...]


@dataclass(frozen=True)
class Case:
    """A document with errors. inputs: as the component gets it. example: predicted and gold."""

    number: int
    inputs: Doc
    example: Example
    compared: Compared


def costliest(pipe: ConfidentPipe, task: Task, cases: Sequence[Case]) -> tuple[list[CostlyError], int]:
    """The errors with the largest score differences, in the documents whose gold loses by most. Returns how many documents were explained, too."""
    wrong = [case for case in cases if case.compared.errors]
    short = [case for case in wrong if len(case.inputs.text) <= LONGEST]  # the work grows with the square of the length
    chosen = worst_first(pipe, short[:LOOKED_AT])[:EXPLAINED]
    found = [(case, each) for case in chosen for each in _wrong_decisions(pipe, task, case)]
    found.sort(key=lambda pair: -pair[1].difference)
    kept = [pair for pair in found if math.isfinite(pair[1].difference)][:SHOWN]
    return [_error(task, case, each, k) for k, (case, each) in enumerate(kept)], len(chosen)


def worst_first(pipe: ConfidentPipe, cases: Sequence[Case]) -> list[Case]:
    """Those first in which gold of a sentence or a word has the largest loss; in the given order where no loss can be computed."""
    if not cases:
        return []
    considered = pipe.considered([case.inputs for case in cases], held=False)
    examples = [Example(case.inputs, case.example.reference) for case in cases]
    gold = [pipe.told_gold(*each) for each in zip(examples, considered.borders, strict=True)]
    kind = considered.kinds[0]
    calibration = pipe.calibrations.get(kind)
    losses = considered.losses(kind, gold, calibration.temperature if calibration else 1.0)
    documents = np.searchsorted(considered.doc_starts, considered.loss_places(kind), side="right") - 1
    worst = np.full(len(cases), -np.inf)
    np.maximum.at(worst, documents, np.nan_to_num(losses, nan=-np.inf, posinf=0.0))
    return [cases[k] for k in np.argsort(-worst, kind="stable").tolist()]


def _wrong_decisions(pipe: ConfidentPipe, task: Task, case: Case) -> list[Decision]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        decisions = list(pipe.explain(case.inputs).decisions)
        if isinstance(pipe, MTLEntityRecognizer):
            decisions += _missed(pipe, task, case)
    return [each for each in decisions if _is_wrong(task, case, each)]


def _missed(pipe: MTLEntityRecognizer, task: Task, case: Case) -> list[Decision]:
    """For each missed entity, the decision that its first token is outside."""
    assert isinstance(task, Spans)
    predicted = task.find(case.example.predicted)
    starts = {
        p.start for p in task.gold(case.example) if not any(q.start < p.end and q.end > p.start for q in predicted)
    }
    if not starts:
        return []
    found = pipe.token_decisions(case.inputs)
    return [each for each in found if case.inputs[each.start].idx in starts and each.winner == "O"]


def _characters(task: Task, case: Case, decision: Decision) -> tuple[int, int]:
    if decision.kind == "border":
        return decision.start, decision.end
    doc = case.inputs
    last = doc[decision.end - 1]
    return doc[decision.start].idx, last.idx + len(last)


def _is_wrong(task: Task, case: Case, decision: Decision) -> bool:
    start, end = _characters(task, case, decision)
    if isinstance(task, Spans):
        return _span_is_wrong(task, case, decision, start, end)
    if decision.kind == "lemma" and decision.winner != case.example.predicted[decision.start].lemma_:
        return False  # a known word, whose lemma is looked up
    return (start, end) in case.compared.wrong and _arc_is_wrong(task, case, decision)


def _span_is_wrong(task: Spans, case: Case, decision: Decision, start: int, end: int) -> bool:
    if decision.kind == "tag":
        return True  # a missed entity
    gold, predicted = task.gold(case.example), task.find(case.example.predicted)
    if decision.kind in ("border", "sentence"):
        begins = start in {piece.start for piece in predicted}
        followed = decision.kind == "sentence" or (decision.winner == "border") == begins
        return followed and begins != (start in {piece.start for piece in gold})
    return (start, end) in case.compared.wrong and Piece(start, end, decision.winner) not in gold


def _arc_is_wrong(task: Task, case: Case, decision: Decision) -> bool:
    """Of the two decisions about a word of a tree, the one that is wrong: its arc, or if that is right its label."""
    if decision.kind not in ("arc", "label"):
        return True
    heads, _ = case.example.get_aligned_parse(projectivize=False)
    head_is_wrong = heads[decision.start] != case.example.predicted[decision.start].head.i
    return head_is_wrong == (decision.kind == "arc")


def _error(task: Task, case: Case, decision: Decision, number: int) -> CostlyError:
    start, end = _characters(task, case, decision)
    gold = task.gold_at(case.example, start, end)
    text = decision.text
    if decision.kind in ("border", "sentence"):
        gold = {"border": "no border", "no border": "border", "start": "inside", "inside": "start"}[decision.winner]
    return CostlyError(
        case.number, text, decision.winner, gold, decision.runner_up or NOTHING, decision.difference,
        decision.strongest(CONTRIBUTIONS), tuple(_pictures(task, case, decision, (start, end), gold, number)),
    )  # fmt: skip


def _pictures(
    task: Task, case: Case, decision: Decision, at: tuple[int, int], gold: str, number: int
) -> list[tuple[str, Markup]]:
    example, text = case.example, case.example.predicted.text
    shown = window(text, *at)
    if isinstance(task, Arcs):
        return _trees(example, decision.start, number)
    if isinstance(task, Tokens):
        return [("predicted", marked(text, [Piece(*at, f"{decision.winner}, gold: {gold}")], shown))]
    assert isinstance(task, Spans)
    both = [("predicted", task.find(example.predicted)), ("gold", task.gold(example))]
    if task.what in ("word", "sentence"):
        return [(title, divided(text, pieces, shown, at[0])) for title, pieces in both]
    if task.what == "constituent":
        both = [
            (title, [p for p in pieces if p.start < at[1] and p.end > at[0] and _crosses(p, at)])
            for title, pieces in both
        ]
    return [(title, marked(text, pieces, shown)) for title, pieces in both]


def _crosses(piece: Piece, at: tuple[int, int]) -> bool:
    """Whether a constituent is the one at a place, or competes with it."""
    return (piece.start, piece.end) == at or not (
        (piece.start <= at[0] and piece.end >= at[1]) or (piece.start >= at[0] and piece.end <= at[1])
    )


def _trees(example: Example, word: int, number: int) -> list[tuple[str, Markup]]:
    doc = example.predicted
    heads, labels = example.get_aligned_parse(projectivize=False)
    gold = [-1 if head is None else head for head in heads]
    predicted = [token.head.i for token in doc], [token.dep_ for token in doc]
    return [
        ("predicted", tree(doc, *predicted, word, 2 * number)),
        ("gold", tree(doc, gold, [label or "" for label in labels], word, 2 * number + 1)),
    ]
