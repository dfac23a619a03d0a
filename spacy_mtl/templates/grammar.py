"""The template language: that of CRF++, with named attributes instead of numbered columns.

A template is a name and, after a colon, observations joined by ``/``::

    U03:%x[-1,LOWER]/%x[0,TAG]     scores a label by the previous form and this token's tag
    B                              scores a pair of labels
    B01:%x[0,ORTH]                 scores a pair of labels by this token's form

Templates of dependency trees look at an arc from a head ``h`` to a modifier ``m``; U templates score arcs, B templates labels of arcs::

    U07:%h[0,TAG]/%m[0,LOWER]/%m[1,TAG]   the head's tag, the modifier's form and the tag after it; the root has a value of its own
    U21:%h[0,TAG]/%b[TAG]/%m[0,TAG]       one observation for every distinct tag between the two
    U22:%h[0,TAG]/%m[0,TAG]/%d            direction and binned distance too; with %d[3], only arcs whose distance is in the bin of 3
    B07:%m[0,TAG]/%c[LOWER]               one observation for every distinct dependent of m, when labels are found for a given tree
    U30:%s[0,TAG]/%m[0,TAG]               scores a pair of adjacent modifiers of a head: ``s`` is the one next to ``m`` on the head's side
    U40:%g[0,TAG]/%h[0,TAG]/%m[0,TAG]     scores a chain of two arcs: ``g`` is the head of ``h``, the grandparent of ``m``

Templates of constituency trees look at a span of words from ``i`` to ``j``; U templates score its symbols, B templates the rules that split it
before the word ``k``::

    U05:%i[-1,TAG]/%i[0,TAG]/%j[1,TAG]    the tags before, at the beginning of, and after the span
    U09:%j[0,LOWER]/%d                    the last word, and the number of words in bins
    B02:%k[-1,TAG]/%k[0,TAG]              the tags on both sides of the split; B alone scores rules whatever the words
"""

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NoReturn

from spacy_mtl.errors import Errors
from spacy_mtl.settings import MOST, is_whole, shown

from .scanner import Scanner

MAX_OFFSET = 100
#: Largest number of observations in a template: all that it observes at a position is kept together, in a model from a stranger too.
MOST_OBSERVATIONS = 64

_NAME = re.compile(r"[UBV][\w-]*")
_INTEGER = re.compile(r"([+-]?)0*([0-9]+)")
_ATTRIBUTE = re.compile(r"[^\W\d][\w.-]*")
_FIELD = re.compile(r"[^\s,/%\[\]]*")  # text in place of an offset or attribute
_PLACE = re.compile(r"%[xhmsgbcdijkvt](?![\w-])")
_CONSTANT = re.compile(r"[^%]*[^%\s]")
_WORD = re.compile(r"\S+")

#: The smallest distance between head and modifier in each bin; the bins are 1, 2, 3, 4, 5, 6 to 10, and 11 or more.
DISTANCE_BINS = (1, 2, 3, 4, 5, 6, 11)


#: The places of real-valued rows: of word vectors, and of ``doc.tensor``.
DENSE = ("v", "t")


@dataclass(frozen=True)
class Observation:
    """The attribute ``attr`` of the token ``offset`` positions away from ``place``.

    place: ``x``, the token itself; in templates of arcs ``h``, the head, ``m``, the modifier, ``s``, the sibling, or ``g``, the grandparent;
    ``b``, each token between (offset 0); ``c``, each dependent of the modifier; ``d``, direction and distance (without attribute; offset is the
    only bin that counts, 0 for all). In templates of spans ``i``, the first word, ``j``, the last word, ``k``, the first word of the second half,
    and ``d``, the number of words. In dense templates, without attribute: ``v``, the word vector of a token, or ``t``, its row of ``doc.tensor``.
    """

    offset: int
    attr: str
    place: str = "x"

    def __str__(self) -> str:
        if self.place == "d":
            return f"%d[{self.offset}]" if self.offset else "%d"
        if self.place in DENSE:
            return f"%{self.place}[{self.offset}]"
        return f"%{self.place}[{self.attr}]" if self.place in "bc" else f"%{self.place}[{self.offset},{self.attr}]"


@dataclass(frozen=True)
class Template:
    """A named conjunction of observations: one block of the weight vector."""

    name: str
    observations: tuple[Observation, ...] = ()

    @property
    def is_edge(self) -> bool:
        """Whether it scores pairs of neighbouring labels (``B``) rather than single labels (``U``)."""
        return self.name.startswith("B")

    @property
    def is_dense(self) -> bool:
        """Whether it is a block of real numbers (``V``), the vector of a token, which scores single labels."""
        return self.name.startswith("V")

    @property
    def pattern(self) -> str:
        """The observations as written after the name; empty if there are none."""
        return "/".join(map(str, self.observations))

    @property
    def text(self) -> str:
        """The template as written: ``parse_template(t.text) == t``."""
        return f"{self.name}:{self.pattern}" if self.observations else self.name


def _observation(scan: Scanner) -> Observation:
    """Read one observation: ``%x[offset,ATTRIBUTE]`` (or ``h``, ``m``, ``s``, ``g``), ``%b[ATTRIBUTE]``, ``%c[ATTRIBUTE]``, ``%d`` or ``%d[bin]``."""
    macro = scan.match(_PLACE)
    if not macro:
        _refuse_non_macro(scan)
    place = macro[1]
    if place == "d" and not scan.sees("["):
        return Observation(0, "", place)
    if not scan.take("["):
        scan.fail(Errors.M103, expected=f"'[' after '{macro}'")
    if place == "d":
        return Observation(_bin(scan), "", place)
    if place in DENSE:
        return _dense_observation(scan, place)
    offset = 0
    if place not in "bc":
        offset = _offset(scan)
        if not scan.take(","):
            if scan.ended or scan.sees("]"):
                scan.fail(Errors.M106)
            scan.fail(Errors.M103, expected="',' after the offset")
    attr = _attribute(scan)
    if not scan.take("]"):
        scan.fail(Errors.M103, expected="']' after the attribute")
    return Observation(offset, attr, place)


def _dense_observation(scan: Scanner, place: str) -> Observation:
    """Read the rest of a real-valued row, such as ``-1]`` of ``%v[-1]``."""
    offset = _offset(scan)
    if not scan.take("]"):
        scan.fail(Errors.M103, expected="']' after the offset")
    return Observation(offset, "", place)


def _bin(scan: Scanner) -> int:
    """Read the rest of a distance, such as ``3]`` of ``%d[3]``."""
    at = scan.at
    found = scan.match(_FIELD)
    if found not in map(str, DISTANCE_BINS):
        scan.fail(Errors.M128, at, found=found, bins=", ".join(map(str, DISTANCE_BINS)))
    if not scan.take("]"):
        scan.fail(Errors.M103, expected="']' after the distance")
    return int(found)


def _refuse_non_macro(scan: Scanner) -> NoReturn:
    at = scan.at
    constant = scan.match(_CONSTANT)
    if constant:
        scan.fail(Errors.M108, at, found=constant)
    scan.fail(Errors.M103, at, expected="'%x[offset,ATTRIBUTE]'", found=scan.match(_WORD))


def _offset(scan: Scanner) -> int:
    at = scan.at
    found = scan.match(_FIELD)
    integer = _INTEGER.fullmatch(found)
    if integer is None:
        scan.fail(Errors.M104, at, found=found)
    sign, digits = integer.groups()
    if len(digits) > len(str(MAX_OFFSET)) or int(digits) > MAX_OFFSET:
        scan.fail(Errors.M105, at, found=found, limit=MAX_OFFSET)
    return -int(digits) if sign == "-" else int(digits)


def _attribute(scan: Scanner) -> str:
    at = scan.at
    found = scan.match(_FIELD)
    if not _ATTRIBUTE.fullmatch(found):
        scan.fail(Errors.M106, at, found=found)
    return found


def _observations(scan: Scanner) -> tuple[Observation, ...]:
    """Read observations joined by ``/`` up to the end of the text."""
    observations = [_observation(scan)]
    while not scan.ended:
        at = scan.at
        if scan.take("/"):
            if len(observations) == MOST_OBSERVATIONS:
                scan.fail(Errors.M134, at, limit=MOST_OBSERVATIONS)
            observations.append(_observation(scan))
        elif scan.sees("%"):
            scan.fail(Errors.M103, expected="'/' between two observations")
        elif _PLACE.search(scan.rest):
            scan.fail(Errors.M108, found=_PLACE.split(scan.rest)[0].rstrip())
        else:
            scan.fail(Errors.M109, found=scan.rest)
    return tuple(observations)


def parse_template(text: str, where: str = "") -> Template:
    """Read one template, such as ``U03:%x[-1,LOWER]/%x[0,TAG]``.

    where: the source of the text as messages name it, such as a file and line.
    Raises ValueError (M101-M109, M128, M134), naming the column and what was expected there.
    """
    if len(text) <= _LONG:
        with suppress(ValueError):
            known = _known_template(text)
            return Template(known.name, known.observations)  # one of its own: sets tell repeats by identity
    return _read_template(Scanner(text, where))  # what failed fails again, and says where


#: Longer templates are read again each time, and at most so many shorter ones are known.
_LONG, _KNOWN = 200, 4096


@lru_cache(_KNOWN)
def _known_template(text: str) -> Template:
    """Loading a pipeline reads the same templates several times."""
    return _read_template(Scanner(text, ""))


def _read_template(scan: Scanner) -> Template:
    text = scan.text
    name = scan.match(_NAME)
    if not name:
        at = scan.at
        scan.fail(Errors.M101, at, found=scan.match(_WORD))
    if not scan.ended and not scan.take(":"):
        scan.fail(Errors.M102, name=name)
    if not scan.ended or (":" in text and name.startswith("B")):
        at, template = scan.at, Template(name, _observations(scan))
        if any((obs.place in DENSE) != template.is_dense for obs in template.observations) or (
            template.is_dense and len(template.observations) > 1
        ):
            scan.fail(Errors.M135, at, found=text[at:].strip())
        return template
    if not name.startswith("B"):
        scan.fail(Errors.M107, name=name)
    return Template(name)


def parse_templates(lines: Iterable[str], where: str = "") -> list[Template]:
    """Read one template per line; blank lines and lines that begin with ``#`` are skipped. A str is split into lines.

    Raises ValueError as `parse_template` does, with the line number, and for a repeated name (M120) or no template at all (M121).
    """
    templates: dict[str, Template] = {}
    lines = lines.splitlines() if isinstance(lines, str) else lines
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{where}, line {number}" if where else f"line {number}"
        template = parse_template(line, place)
        if template.name in templates:
            raise ValueError(Errors.M120.format(name=template.name, place=f"at {place}"))
        templates[template.name] = template
    if not templates:
        raise ValueError(Errors.M121.format(place=where or "the template set"))
    return list(templates.values())


def _check_count(setting: str, value: int) -> None:
    """Refuse a cut-off that is no whole number (M122), or too large (M133). Raises ValueError."""
    if not is_whole(value, 1, float("inf")):
        raise ValueError(Errors.M122.format(setting=setting, value=shown(value)))
    if value > MOST:
        raise ValueError(Errors.M133.format(setting=setting, expected=f"at most {MOST}", value=shown(value)))


@dataclass(frozen=True)
class TemplateSet:
    """Templates with distinct names. min_count: how often an observation must occur in training to get weights. label_min_count: the same for
    templates that score the labels of arcs, where it is larger; None for ``min_count``.

    fallbacks: pairs of an attribute and what templates read in its place where a corpus does not have it (:mod:`.fallbacks`): another attribute, or
    None to leave these templates out.

    Raises ValueError for no template, a repeated name, two templates of one kind that observe the same thing (M126), a template that cannot be
    written as text, or a count below 1.
    """

    templates: tuple[Template, ...]
    min_count: int = 1
    fallbacks: tuple[tuple[str, str | None], ...] = ()
    label_min_count: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "templates", tuple(self.templates))
        if not self.templates:
            raise ValueError(Errors.M121.format(place="the template set"))
        _check_count("min_count", self.min_count)
        if self.label_min_count is not None:
            _check_count("label_min_count", self.label_min_count)
        name, times = Counter(template.name for template in self.templates).most_common(1)[0]
        if times > 1:
            raise ValueError(Errors.M120.format(name=name, place="in the template set"))
        self._refuse_repeats()
        for template in self.templates:  # a set is saved as text, so templates built in code must be readable again
            parse_template(template.text, f"template '{template.name}'")

    def _refuse_repeats(self) -> None:
        """Refuse two templates that observe the same thing, since their features would have the same keys (see `program.compile_program`)."""
        seen: dict[tuple[bool, tuple[Observation, ...]], Template] = {}
        for template in self.templates:
            first = seen.setdefault((template.is_edge, template.observations), template)
            if first is not template:
                pattern = template.pattern or "the label pair alone"
                raise ValueError(Errors.M126.format(first=first.name, second=template.name, pattern=pattern))

    @classmethod
    def from_texts(
        cls, texts: Iterable[str], min_count: int = 1, where: str = "", label_min_count: int | None = None
    ) -> "TemplateSet":
        """Make a set of the templates that `parse_templates` reads from ``texts``; raises as it does."""
        return cls(tuple(parse_templates(texts, where)), min_count, label_min_count=label_min_count)

    def texts(self) -> list[str]:
        """The templates as written: ``TemplateSet.from_texts(s.texts(), s.min_count) == s``."""
        return [template.text for template in self.templates]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The distinct attributes that the templates read, in order of first use."""
        read = (obs.attr for template in self.templates for obs in template.observations)
        return tuple(dict.fromkeys(filter(None, read)))

    @property
    def node(self) -> tuple[Template, ...]:
        """The ``U`` templates, which score single labels."""
        return tuple(template for template in self.templates if not template.is_edge and not template.is_dense)

    @cached_property  # asked for with each document
    def dense(self) -> tuple[Template, ...]:
        """The ``V`` templates, blocks of real numbers that score single labels."""
        return tuple(template for template in self.templates if template.is_dense)

    @property
    def edge(self) -> tuple[Template, ...]:
        """The ``B`` templates, which score pairs of labels."""
        return tuple(template for template in self.templates if template.is_edge)

    def without(self, attr: str) -> "TemplateSet":
        """The set without the templates that read ``attr``."""
        return replace(self, templates=tuple(t for t in self.templates if all(o.attr != attr for o in t.observations)))
