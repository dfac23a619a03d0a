"""USUAL_TAG: what a word mostly is in the training corpus, for templates that look ahead of the tags that are being found."""

from collections.abc import Mapping

USUAL_TAG = "USUAL_TAG"


class UsualTags:
    """The attribute, of the word form alone. tags: of frequent words; all others are told by their last two characters."""

    def __init__(self, tags: Mapping[str, str]):
        self.tags = tags

    def __call__(self, text: str) -> str:
        # no tag begins with a line break, so that endings are never taken for tags
        return self.tags.get(text) or "\n" + text[-2:]
