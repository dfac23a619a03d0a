"""Languages as spaCy knows them. The tokenizers of some need packages that may not be installed, which only raw text is worth."""

import spacy
from spacy.language import Language
from spacy.util import get_lang_class
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors

_RULES = {"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}


def language_code(lang: str) -> str:
    """The code that configs must have for a language: ``"de"`` for ``"deu"``. Raises ValueError for a language that spaCy does not know (M515).

    A language of the user's own must be registered before (``--code``).
    """
    try:
        return str(get_lang_class(lang).lang)
    except ImportError as error:
        raise ValueError(Errors.M515.format(lang=lang, reason=_reason(error))) from None


def blank(lang: str) -> Language:
    """An empty pipeline of a language, with its tokenizer.

    Raises ValueError for a language that spaCy does not know (M515), and where its tokenizer needs a package that is not installed (M767).
    """
    code = language_code(lang)
    try:
        return spacy.blank(code)
    except ImportError as error:
        raise ValueError(Errors.M767.format(lang=lang, reason=_reason(error))) from None


def vocab_of(lang: str) -> Vocab:
    """The vocab of a language, without its tokenizer, for words that are given. Raises ValueError for one that spaCy does not know (M515)."""
    return spacy.blank(language_code(lang), config=_RULES).vocab


def _reason(error: ImportError) -> str:
    line = next(iter(str(error).splitlines()), "")
    return line.rstrip(".") or type(error).__name__
