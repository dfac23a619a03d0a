"""Patterns over morphology: what a head governs, and in which features head and modifier agree."""

from spacy_mtl.templates.grammar import Observation

Pattern = tuple[Observation, ...]
#: Features in which words agree with their heads in many languages.
AGREEING = ("Case", "Number", "Gender", "Person")
#: Features that a head decides, and that decide what a word may govern.
GOVERNED = ("Case", "VerbForm")


def _at(place: str, attr: str) -> Observation:
    return Observation(0, attr, place)


def attributes(morph: str) -> list[str]:
    """The attributes that the patterns read: all features together, and single ones."""
    return [morph, *(f"{morph}_{name}" for name in dict.fromkeys([*AGREEING, *GOVERNED]))]


def agreement_patterns(morph: str, coarse: str) -> list[Pattern]:
    """The same feature of head and modifier, with and without their parts of speech."""
    both = [(_at("h", f"{morph}_{name}"), _at("m", f"{morph}_{name}")) for name in AGREEING]
    return [*both, *((*pair, _at("h", coarse), _at("m", coarse)) for pair in both)]


def government_patterns(form: str, morph: str, coarse: str) -> list[Pattern]:
    """A feature of the modifier with the head's form or part of speech, and a feature of the head with those of the modifier."""
    found: list[Pattern] = []
    for name in GOVERNED:
        feature = f"{morph}_{name}"
        of_modifier, of_head = _at("m", feature), _at("h", feature)
        found += [(_at("h", form), of_modifier), (_at("h", coarse), of_modifier, _at("m", coarse))]
        found += [(of_head, _at("m", form)), (of_head, _at("h", coarse), _at("m", coarse))]
    return found


def sibling_patterns(morph: str, coarse: str) -> list[Pattern]:
    """The cases of two adjacent modifiers, with the head's part of speech."""
    case, h = f"{morph}_Case", _at("h", coarse)
    return [
        (h, _at("s", case), _at("m", case)),
        (h, _at("s", coarse), _at("m", case)),
        (h, _at("s", case), _at("m", coarse)),
    ]


def grandparent_patterns(morph: str, coarse: str) -> list[Pattern]:
    """The modifier's case, with the parts of speech above it: whose modifier a noun is, that of its head or of the one above."""
    case = f"{morph}_Case"
    return [(_at("g", coarse), _at("h", coarse), _at("m", case)), (_at("g", coarse), _at("h", case), _at("m", case))]


def dependent_patterns(morph: str, coarse: str) -> list[Pattern]:
    """For labels: the modifier's case with its dependents' cases and parts of speech."""
    h, m = _at("h", coarse), _at("m", f"{morph}_Case")
    return [(h, m, Observation(0, attr, "c")) for attr in (f"{morph}_Case", coarse)]
