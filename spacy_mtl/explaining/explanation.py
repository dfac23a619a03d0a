"""Explanations of a document: all decisions of a component, as JSON and as HTML."""

from dataclasses import dataclass
from typing import Any

from .decision import Decision
from .html import explanation_html


@dataclass(frozen=True)
class Explanation:
    """All decisions of a component about one document. text: of the document."""

    component: str
    text: str
    decisions: tuple[Decision, ...]

    def __len__(self) -> int:
        return len(self.decisions)

    def __getitem__(self, at: int) -> Decision:
        return self.decisions[at]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "component": self.component,
            "text": self.text,
            "decisions": [decision.to_dict() for decision in self.decisions],
        }

    def closest(self, n: int | None = None) -> tuple[Decision, ...]:
        """The n decisions with the smallest differences, which are most likely to be wrong; None for all."""
        return tuple(sorted(self.decisions, key=lambda each: each.difference)[:n])

    def _repr_html_(self) -> str:
        return explanation_html(self.component, self.text, self.decisions)
