"""TAG_PREFIXn: the first n characters of the tag, for tag sets whose fine tags begin with a coarse one (``NC`` of ``NCNPU==I``)."""

import re
from collections.abc import Callable

from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc

_NAME = re.compile(r"TAG_PREFIX([1-9]\d*)\Z")


def short_tag(attr: str) -> Callable[[Doc], list[int]] | None:
    """The function behind ``attr``, which returns one string id per token, 0 without a tag; None if ``attr`` is not TAG_PREFIXn."""
    found = _NAME.match(attr)
    return ShortTag(int(found.group(1))) if found else None


class ShortTag:
    """A function from a Doc to the first characters of its tags; each distinct tag is computed once."""

    def __init__(self, size: int):
        self.size = size
        self._known: dict[int, int] = {0: 0}

    def __call__(self, doc: Doc) -> list[int]:
        tags = doc.to_array(["TAG"]).tolist()
        known = self._known
        for tag in set(tags).difference(known):
            known[tag] = hash_string(doc.vocab.strings[tag][: self.size])
        return [known[tag] for tag in tags]
