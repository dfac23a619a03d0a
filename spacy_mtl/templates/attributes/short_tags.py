"""TAG_PREFIXn: the first n characters of the tag, a coarse tag where fine tags begin with it (``NC`` of ``NCNPU==I``)."""

import re
from collections.abc import Callable

from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc

_NAME = re.compile(r"TAG_PREFIX([1-9]\d*)\Z")


def short_tag(attr: str) -> Callable[[Doc], list[int]] | None:
    """The function behind ``attr``: one string id a token, 0 where there is no tag; None if the attribute has another name."""
    found = _NAME.match(attr)
    return ShortTag(int(found.group(1))) if found else None


class ShortTag:
    """Calling it with a Doc reads the tags' beginnings; each different tag is looked at once."""

    def __init__(self, size: int):
        self.size = size
        self._known: dict[int, int] = {0: 0}

    def __call__(self, doc: Doc) -> list[int]:
        tags = doc.to_array(["TAG"]).tolist()
        known = self._known
        for tag in set(tags).difference(known):
            known[tag] = hash_string(doc.vocab.strings[tag][: self.size])
        return [known[tag] for tag in tags]
