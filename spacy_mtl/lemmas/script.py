"""Edit scripts: what turns a form into its lemma, around the longest part that both have in common.

``Häuser`` becomes ``Haus`` by the casing ``title`` and, in lower case, ``hä`` becoming ``ha`` and ``er`` being dropped. A script is an exact
statement: it applies to a form that begins and ends as it says, and then gives one lemma; the script of a form and its lemma gives this lemma again.
"""

import json
from typing import NamedTuple

from spacy_mtl.stored.fault import StoredValueError

#: Casings in order of preference: the form is edited in lower case, and the result stays so, gets a capital first or capitals throughout; or the
#: form is edited as it stands.
CASINGS = ("lower", "title", "upper", "same")
#: Longer forms and lemmas have no script: finding one takes time proportional to the product of their lengths.
LONGEST = 100


class EditScript(NamedTuple):
    """casing: one of CASINGS. prefix, suffix: what the form begins and ends with; new_prefix, new_suffix: what takes their place."""

    casing: str
    prefix: str
    new_prefix: str
    suffix: str
    new_suffix: str

    def applies(self, form: str) -> bool:
        """Whether the form begins and ends as the script says, without the two overlapping, is not too long, and something is left of it."""
        base = self._base(form)
        least = len(self.prefix) + len(self.suffix) + (not self.new_prefix and not self.new_suffix)
        return (
            len(form) <= LONGEST and len(base) >= least and base.startswith(self.prefix) and base.endswith(self.suffix)
        )

    def apply(self, form: str) -> str:
        """The lemma of a form that the script applies to."""
        base = self._base(form)
        kept = base[len(self.prefix) : len(base) - len(self.suffix)]
        return cased(self.casing, self.new_prefix + kept + self.new_suffix)

    def _base(self, form: str) -> str:
        return form if self.casing == "same" else form.lower()

    @property
    def text(self) -> str:
        """The script as a label: ``parse_script(s.text) == s``."""
        return json.dumps(self, ensure_ascii=False)


def cased(casing: str, text: str) -> str:
    """A lower-case text in a casing; "same" and "lower" leave it as it is."""
    if casing == "title":
        return text[:1].upper() + text[1:]
    return text.upper() if casing == "upper" else text


def script_of(form: str, lemma: str) -> EditScript | None:
    """The script with the fewest characters to remove and add, in the first casing that allows it; None for an empty or very long form or lemma."""
    if not form or not lemma or max(len(form), len(lemma)) > LONGEST:
        return None
    best: tuple[int, EditScript] | None = None
    for casing in CASINGS:
        base, wanted = (form, lemma) if casing == "same" else (form.lower(), lemma.lower())
        if cased(casing, wanted) != lemma:
            continue
        at, begin, size = longest_common(base, wanted)
        parts = base[:at], wanted[:begin], base[at + size :], wanted[begin + size :]
        edits = sum(map(len, parts))
        # a character may be two in lower case, and no label has such long parts
        if max(map(len, parts)) <= LONGEST and (best is None or edits < best[0]):
            best = edits, EditScript(casing, *parts)
    return best[1] if best else None


def longest_common(first: str, second: str) -> tuple[int, int, int]:
    """Where the longest part that two texts have in common begins in each, and its length; the one that begins earliest of equally long ones.

    Without any, both texts as a whole differ after an empty part at their beginnings.
    """
    found = 0, 0, 0
    before = [0] * (len(second) + 1)
    for i, char in enumerate(first, 1):
        now = [0] * (len(second) + 1)
        for j, other in enumerate(second, 1):
            if char == other:
                now[j] = before[j - 1] + 1
                if now[j] > found[2]:
                    found = i - now[j], j - now[j], now[j]
        before = now
    return found


def parse_script(text: str) -> EditScript:
    """A script from its label. Raises StoredValueError for any other text."""
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        parts = None
    fits = isinstance(parts, list) and len(parts) == len(EditScript._fields) and all(isinstance(p, str) for p in parts)
    if not fits or parts[0] not in CASINGS or max(map(len, parts)) > LONGEST or EditScript(*parts).text != text:
        raise StoredValueError("a label is not an edit script")
    return EditScript(*parts)
