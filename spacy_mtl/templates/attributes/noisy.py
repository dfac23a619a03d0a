"""Attributes of words as people type them: hashtags, mentions, addresses, emoji, letters that are repeated, odd casing."""

import re
import unicodedata

_PATTERNS = (
    ("email", re.compile(r"[^@\s]+@[^@\s]+\.\w+")),
    ("url", re.compile(r"(https?://|www\.)\S+|\S+\.(com|org|net|co|ly|me|tv|gov|edu)(/\S*)?", re.I)),
    ("mention", re.compile(r"@\w+")),
    ("hashtag", re.compile(r"#\w+")),
    ("emoticon", re.compile(r"[<>]?[:;=8xX][-o*']?[)\](\[dDpP/\\|}{@3]+|<3+|[\^><oOtT]_+[\^><oOtT]")),
    ("time", re.compile(r"\d{1,2}[:.h]\d{2}([ap]m)?|\d{1,2}[ap]m", re.I)),
    ("number", re.compile(r"[-+$£€#]?\d[\d.,]*(%|k|m|th|st|nd|rd)?", re.I)),
    ("repeated", re.compile(r"\w*([^\W\d])\1{2,}\w*")),
)
_RUN = re.compile(r"(.)\1{2,}")


def token_kind(text: str) -> str:
    """What a word is besides a word: url, email, mention, hashtag, emoticon, time, number, repeated, emoji, long, or "" for none of these."""
    if len(text) > 200:  # no word is that long, and patterns take time
        return "long"
    for kind, pattern in _PATTERNS:
        if pattern.fullmatch(text):
            return kind
    symbols = sum(unicodedata.category(char) in ("So", "Sk") for char in text)
    return "emoji" if symbols and 2 * symbols >= len(text) else ""


def bare(text: str) -> str:
    """The word in lower case, without # or @ in front; of letters that stand three or more times in a row one is left: ``"#Coool"`` -> ``"col"``."""
    return _RUN.sub(r"\1", text.lower().lstrip("#@"))


def short_shape(text: str) -> str:
    """The shape without repetitions, and without the length of words: ``"McDonald"`` -> ``"XxXx"``, ``"iPhone5"`` -> ``"xXxd"``."""
    shape: list[str] = []
    for char in text[:200]:
        kind = "X" if char.isupper() else "x" if char.isalpha() else "d" if char.isdigit() else char
        if not shape or shape[-1] != kind:
            shape.append(kind)
    return "".join(shape[:12])
