"""Gather what a report says of one component."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.choosing.refit import words_per_second
from spacy_mtl.components.confidence.pipe import ConfidentPipe
from spacy_mtl.insight.names import NODE, PAIR
from spacy_mtl.insight.seen import name_features
from spacy_mtl.insight.weights import Weight, state_features

from .costliest import LONGEST, Case, costliest
from .counts import confusion_matrix, label_rows, most_confused
from .curve import learning_curve
from .data import ComponentReport, Errors, TemplateLine
from .pairs import Task, task_of
from .reliability import Reliability, reliabilities

#: Documents that features are named by, labels whose features are shown, and features of each.
NAMED_BY, MOST_LABELS, FEATURES = 2000, 40, 12
#: Told what is being done.
Tell = Callable[[str], None]


class Gathering:
    """A component of a pipeline, the documents as it gets them, and with their numbers in the corpus, from 1, and gold.

    What is compared with gold is what this component makes of them, whatever later ones do. train: its training corpus, where that is at hand.
    """

    def __init__(
        self,
        nlp: Language,
        name: str,
        inputs: Sequence[Doc],
        numbered: Sequence[tuple[int, Example]],
        train: list[Example] | None,
        tell: Tell,
    ):
        pipe = nlp.get_pipe(name)
        assert isinstance(pipe, ConfidentPipe)
        self.nlp, self.name, self.pipe, self.tell = nlp, name, pipe, tell
        self.inputs, self.train = inputs, train
        outputs = pipe.pipe([doc.copy() for doc in inputs])
        self.examples = [Example(doc, each.reference) for doc, (_, each) in zip(outputs, numbered, strict=True)]
        self.task: Task = task_of(pipe)
        self.missing: list[str] = []
        #: Whether templates read vectors, whose numbers have no names.
        self._has_vectors = bool(np.size(getattr(pipe.explained_weights(), "dense_codes", ())))
        self.cases = [
            Case(number, doc, example, self.task.compare(example))
            for (number, _), doc, example in zip(numbered, inputs, self.examples, strict=True)
            if pipe.is_annotated(example.reference)
        ]
        if not self.cases:
            self.missing.append(
                "The corpus has no gold annotation for this component, so it has no scores and no errors."
            )

    def report(self, curve: Sequence[Example] | None) -> ComponentReport:
        """All of it. curve: what a learning curve is scored on; None for no curve."""
        compared = [case.compared for case in self.cases]
        matrix = confusion_matrix(compared) if self.task.matrix and self.cases else None
        templates, evaluations, passes = self._templates()
        return ComponentReport(
            name=self.name,
            factory=str(self.nlp.get_pipe_config(self.name).get("factory")),
            what=self.task.what,
            note=self.task.note,
            settings=_settings(self.nlp.config.interpolate()["components"][self.name].get("trainer", {})),
            scores=self._scores(),
            evaluations=evaluations,
            passes=passes,
            templates=templates,
            labels=label_rows(compared) if self.cases else [],
            matrix=matrix if matrix is not None and len(matrix.columns) > 1 else None,
            confused=most_confused(compared),
            reliability=self._reliability(),
            errors=self._errors(),
            features=self._features(),
            megabytes=len(self.pipe.to_bytes(exclude=["vocab"])) / 1e6,
            speed=words_per_second(self.pipe, self.inputs),
            curve=self._curve(curve),
            missing=self.missing,
        )

    def _scores(self) -> list[tuple[str, float]]:
        """The scores that spaCy shows of such a component, of what it makes itself; none without gold."""
        if not self.cases:
            return []
        usual = self.nlp.get_pipe_meta(self.name).default_score_weights or {}
        scores = self.pipe.score(self.examples)
        return [(key, scores[key]) for key in usual if isinstance(scores.get(key), float | int)]

    def _templates(self) -> tuple[list[TemplateLine], Sequence[Any], Sequence[int]]:
        """The templates, the heaviest first, evaluations during training, and the passes of the paths."""
        rows = self.pipe.template_weights()
        total = math.fsum(row["weight"] for row in rows) or 1.0
        norms = math.fsum(row["norm"] for row in rows) or 1.0
        try:
            history = self.pipe.history
        except ValueError as fault:
            self.missing.append(f"The history of the training cannot be shown. {fault}")
            history = None
        number = {name: j for j, name in enumerate(history.names)} if history else {}
        dropped = history.dropped() if history else {}
        if history is not None and not history.passes:
            self.missing.append("The model has no history of its training.")
        lines = [
            TemplateLine(
                row["name"], row["pattern"], row["weight"] / total, row["norm"] / norms, row["rows"],
                tuple(float(share[number[row["name"]]]) for share in history.shares) if history and row["name"] in number else (),
                dropped.get(row["name"]),
            )
            for row in rows
        ]  # fmt: skip
        lines.sort(key=lambda line: -line.share)
        return lines, history.evaluations if history else (), history.passes if history else ()

    def _reliability(self) -> list[Reliability]:
        if not self.cases:
            return []
        self.tell(f"{self.name}: how sure it is")
        found = reliabilities(self.pipe, [Example(case.inputs, case.example.reference) for case in self.cases])
        if not found:
            self.missing.append("There are too few decisions, or no sums over all analyses, to say how sure it is.")
        return found

    def _errors(self) -> Errors:
        wrong = sum(case.compared.errors > 0 for case in self.cases)
        if not wrong:
            return Errors()
        if self._has_vectors:
            return Errors(documents=wrong)
        self.tell(f"{self.name}: its costliest errors")
        shown, explained = costliest(self.pipe, self.task, self.cases)
        if not explained:
            self.missing.append(
                f"All documents with errors have more than {LONGEST:,} characters, so none is explained."
            )
        return Errors(shown, wrong, explained)

    def _features(self) -> list[tuple[str, Sequence[Weight]]]:
        """The features of each label with the largest weights, of those that can be named."""
        if self._has_vectors:
            self.missing.append("Its templates read vectors, so errors are not explained, and features not named.")
            return []
        self.tell(f"{self.name}: its features")
        corpus = self.train or [
            Example(case, each.reference) for case, each in zip(self.inputs, self.examples, strict=True)
        ]
        if self.train is None:
            self.missing.append(
                "The training corpus is not at hand, so only features of the given documents have names."
            )
        names = name_features(self.nlp, self.name, corpus[:NAMED_BY])
        found: list[tuple[str, Sequence[Weight]]] = []
        for side in (NODE, PAIR):
            for label, weights in state_features(self.pipe, names, 20 * FEATURES, side).items():
                known = [each for each in weights if not each.feature.startswith("#")][:FEATURES]
                if known:
                    found.append((label or "arcs", known))
        found.sort(key=lambda item: -abs(item[1][0].value))
        return found[:MOST_LABELS]

    def _curve(self, dev: Sequence[Example] | None) -> Sequence[Any]:
        if dev is None:
            return ()
        if not self.train:
            self.missing.append("There is no learning curve, since the training corpus is not at hand.")
            return ()
        return learning_curve(
            self.nlp, self.name, self.train, list(dev), lambda n: self.tell(f"{self.name}: training on {n:,} documents")
        )


def _settings(trainer: dict[str, Any]) -> str:
    """A trainer with its settings on one line."""
    name = str(trainer.get("@mtl_trainers", "")).removeprefix("spacy_mtl.")
    told = ", ".join(f"{key} = {value}" for key, value in trainer.items() if not key.startswith("@"))
    return f"{name} ({told})" if told else name
