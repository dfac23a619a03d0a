"""Languages of configs."""


def check_language(lang: str) -> str:
    """The code of a language as spaCy has it, which a config must have; a variable stays as it is. Raises ValueError (M515)."""
    from spacy_mtl.languages import language_code

    return lang if "${" in lang else language_code(lang)
