"""What Universal Dependencies names for all languages: features, and relations by kind of word."""

FEATURES = frozenset(
    (
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr"),
        *("Gender", "Animacy", "Number", "Case", "Definite", "Degree"),
        *("VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite"),
    )
)
#: Relations of content words, without subtypes.
CONTENT = frozenset(
    (
        *(
            "nsubj",
            "obj",
            "iobj",
            "csubj",
            "ccomp",
            "xcomp",
            "obl",
            "vocative",
            "expl",
            "dislocated",
            "advcl",
            "advmod",
            "discourse",
        ),
        *(
            "nmod",
            "appos",
            "nummod",
            "acl",
            "amod",
            "conj",
            "fixed",
            "flat",
            "compound",
            "list",
            "parataxis",
            "orphan",
            "goeswith",
        ),
        *("reparandum", "root", "dep"),
    )
)
#: Relations of function words, without subtypes. What is in neither set (``punct``) is left out of CLAS, MLAS and BLEX.
FUNCTION = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))


def universal_features(feats: str) -> str:
    """The features of column 6 that are named for all languages, in alphabetical order: ``"Case=Nom|Clitic=Yes"`` -> ``"Case=Nom"``."""
    return "|".join(sorted(feature for feature in feats.split("|") if feature.partition("=")[0] in FEATURES))


def relation(label: str) -> str:
    """A relation without its subtype: ``"acl:relcl"`` -> ``"acl"``."""
    return label.partition(":")[0]
