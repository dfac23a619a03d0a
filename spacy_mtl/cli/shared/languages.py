"""Languages of configs."""

from spacy_mtl.errors import Errors


def check_language(lang: str) -> None:
    """Refuse a language that spaCy does not know. Raises ValueError (M515). A language of the user's own must be registered before (``--code``)."""
    from spacy.util import get_lang_class

    if "${" in lang:
        return
    try:
        get_lang_class(lang)
    except ImportError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(Errors.M515.format(lang=lang, reason=reason)) from None
