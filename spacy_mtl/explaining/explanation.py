"""Explanations of a document: all decisions of a component, as JSON and as HTML."""

from dataclasses import dataclass
from typing import Any

from .decision import Decision
from .html import SHOWN, explanation_html

#: Contributions to a decision that are printed.
MOST = 5


@dataclass(frozen=True)
class Explanation:
    """All decisions of a component about one document. text: of the document."""

    component: str
    text: str
    decisions: tuple[Decision, ...]

    def __str__(self) -> str:
        """The decisions, each with the features that say most about it."""
        lines = [self.title]
        for decision in self.decisions:
            lines.append(str(decision))
            lines += [
                f"  {each.value:+.4f}  {each.template}  {each.feature}  {each.part}"
                for each in decision.strongest(MOST)
            ]
        return "\n".join(lines)

    @property
    def title(self) -> str:
        """The component, and how many decisions there are."""
        return f"{self.component}: {len(self)} decision{'' if len(self) == 1 else 's'}"

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

    def html(self, most: int | None = SHOWN) -> str:
        """A list of the decisions, each of which opens to its strongest contributions, ``most`` of them; None for all."""
        return explanation_html(self.component, self.text, self.decisions, most)

    def _repr_html_(self) -> str:
        return self.html()
