"""Our templates over the characters of a text, evaluated in Python: strings, as python-crfsuite takes them."""

from collections.abc import Callable, Sequence

from spacy.util import registry

from spacy_mtl.templates.grammar import TemplateSet

#: Attribute of the template grammar -> its value for each character of a text.
ATTRIBUTES: dict[str, Callable[[str], Sequence[str]]] = {"ORTH": str}


def template_set(name: str) -> TemplateSet:
    """A registered set of the package: tp1.v1, tp2.v1, seg.v1."""
    return registry.resolve({"templates": {"@mtl_templates": f"spacy_mtl.{name}"}})["templates"]


class TextFeatures:
    """A list of strings for every character, a template at a time and not a character at a time, which is the quicker way to write it."""

    def __init__(self, templates: str):
        patterns = template_set(templates).node
        self.patterns = [(template.name, [(o.offset, o.attr) for o in template.observations]) for template in patterns]
        self.reach = max(abs(offset) for _, observations in self.patterns for offset, _ in observations)
        self.attributes = sorted({attr for _, observations in self.patterns for _, attr in observations})

    def __call__(self, text: str) -> list[Sequence[str]]:
        before = [f"_B-{i}" for i in range(self.reach, 0, -1)]
        after = [f"_B+{i}" for i in range(1, self.reach + 1)]
        padded = {name: [*before, *ATTRIBUTES[name](text), *after] for name in self.attributes}
        return list(zip(*(self._column(*pattern, padded, len(text)) for pattern in self.patterns), strict=True))

    def _column(
        self, name: str, observed: list[tuple[int, str]], padded: dict[str, list[str]], n: int
    ) -> Sequence[str]:
        values = [padded[attr][self.reach + offset : self.reach + offset + n] for offset, attr in observed]
        if len(values) == 1:
            return [f"{name}={value}" for value in values[0]]
        return [f"{name}={'/'.join(group)}" for group in zip(*values, strict=True)]
