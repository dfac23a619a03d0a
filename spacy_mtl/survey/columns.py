"""Look at a column file: what its columns hold, the scheme of its entity tags, its documents."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy.parts_of_speech import IDS as POS_IDS
from spacy.vocab import Vocab

from spacy_mtl.corpora.columns import IGNORED, MISSING
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.lines.comments import DOCSTART, lines_of, may_be_comment
from spacy_mtl.corpora.lines.text import text_lines
from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

from .found import Survey, most_common
from .phrases import phrases_of

_SPAN_TAG = re.compile(r"[BILUES]-\S+")
_MOST_TAGS = 2000
#: Places of characters in words; and the share of single characters from which on words are taken for characters.
_PLACES, _MOST_SINGLE = {"B", "I", "M", "E", "S"}, 0.95
_SAME_AS_WORD = 0.3
#: Numbers of tokens, those of multiword tokens and empty words of CoNLL-U included.
_NUMBER = re.compile(r"\d+([-.]\d+)?")
Rows = list[list[str]]


def survey_columns(
    path: Path, encoding: str = "utf8", columns: Sequence[str] | None = None, *, entities: bool = True
) -> Survey:
    """What is in a column file. columns: names that the user gives; None to find them out.

    entities: whether they are to be learnt. A column of which most tags are those of entities is then one of entities, so that a slip in a tag is
    refused; else it is one only if all are.

    Raises ValueError: M501, M502, M513, M504 for a file without sentences, M561 for lines with different numbers of columns, M568 for
    more names than columns; of names that the user gives, M505, M506 and M518; in tags of entities and parts of speech, M508 and M510.
    """
    check_file(path)
    if columns is not None:
        ConllCorpus(path, columns, given=())  # refuses what it cannot read
    found = Survey(path, "columns")
    separator = _separator(path, encoding)
    if separator:
        found.reader["separator"] = separator
    sentences = list(_sentences(path, encoding, separator, found))
    if not sentences:
        raise ValueError(Errors.M504.format(path=path))
    by_column = list(zip(*(row for rows in sentences for row in rows), strict=False))
    found.sentences, found.words = len(sentences), len(by_column[0])
    found.longest = max(map(len, sentences))
    counts = [Counter(values) for values in by_column]
    if columns is not None and len(columns) > len(counts):
        shown = " ".join(columns)
        raise ValueError(Errors.M568.format(path=path, got=len(counts), expected=len(columns), columns=shown))
    names = (
        _names(by_column, counts, entities)
        if columns is None
        else [*columns, *[IGNORED] * (len(counts) - len(columns))]
    )
    found.columns = names[: len(counts)]
    _look_at(found, counts, sentences)
    if "ORTH" in found.columns:
        for _ in ConllCorpus(path, found.columns, given=(), encoding=encoding, **found.reader).docs(Vocab()):
            pass  # the training would refuse what is refused here
    found.warnings += _of_characters(found, counts)
    if columns is None:
        found.warnings += _left_over(found, counts)
    return found


def _separator(path: Path, encoding: str) -> str | None:
    """A tab where blanks stand inside columns, else None (any run of blanks)."""
    blanks, tabs = set(), set()
    for line in text_lines(path, encoding):
        if line.strip() and not line.startswith(DOCSTART) and not may_be_comment(line):
            blanks.add(len(line.split()))
            tabs.add(len(line.rstrip("\n").split("\t")))
    return "\t" if len(blanks) > 1 and len(tabs) == 1 and tabs != {1} else None


def _sentences(path: Path, encoding: str, separator: str | None, found: Survey) -> Iterator[Rows]:
    rows: Rows = []
    width, open_document = 0, False
    comments: list[str] = []

    def split(line: str) -> list[str]:
        return line.rstrip("\n").split(separator) if line.strip() else []

    for number, _, values, border in lines_of(text_lines(path, encoding), split, said=comments):
        if values and not border:
            width = width or len(values)
            if len(values) != width:
                raise ValueError(Errors.M561.format(path=path, line=number, got=len(values), expected=width))
            found.documents += open_document
            open_document = False
            rows.append(values)
        elif rows:
            yield rows
            rows = []
        open_document |= border
    if rows:
        yield rows
    if comments:
        n = "1 comment is" if len(comments) == 1 else f"{len(comments):,} comments are"
        found.lines.append(f"{n} left out, the first: {brief(comments[0])}")


def _names(by_column: list[tuple[str, ...]], counts: list[Counter[str]], entities: bool) -> list[str]:
    """ORTH, TAG, LEMMA, ENT or "_" for each column, by its values."""
    names = [IGNORED] * len(counts)
    spans = [number for number, values in enumerate(counts) if _is_spans(values, slips=entities)]
    plain = [n for n, values in enumerate(counts) if n not in spans and not all(map(_NUMBER.fullmatch, values))]
    if not plain:
        return names
    most = max(len(counts[number]) for number in plain)
    word = next(number for number in plain if 2 * len(counts[number]) >= most)
    names[word] = "ORTH"
    if spans:
        names[spans[-1]] = "ENT"
    for number in plain:
        if number == word or len(counts[number]) < 2:
            continue
        same = sum(a.lower() == b.lower() for a, b in zip(by_column[number], by_column[word], strict=True))
        name = "LEMMA" if same > _SAME_AS_WORD * len(by_column[word]) else "TAG"
        if name not in names and (name == "LEMMA" or len(counts[number]) <= min(_MOST_TAGS, max(most // 2, 20))):
            names[number] = name
    return names


def _is_spans(values: Counter[str], slips: bool = True) -> bool:
    """Whether a column has tags of spans: most are, so that a slip in one of them is found; without slips, all are."""
    tags = {value: count for value, count in values.items() if value != "O" and value not in MISSING}
    spans = sum(count for tag, count in tags.items() if _SPAN_TAG.fullmatch(tag))
    return spans > 0.5 * sum(tags.values()) if slips else 0 < spans == sum(tags.values())


def _look_at(found: Survey, counts: list[Counter[str]], sentences: list[Rows]) -> None:
    for number, (name, values) in enumerate(zip(found.columns, counts, strict=True), 1):
        if name == "ENT":
            tags = [[row[number - 1] for row in rows] for rows in sentences]
            scheme, entities, loose = scheme_of(tags)
            found.entities = entities
            _look_at_phrases(found, sentences, tags)
            found.reader["scheme"] = scheme
            found.lines.append(f"column {number} ENT: entities, scheme {scheme}: {most_common(entities)}")
            if scheme == "auto":
                begin = "1 entity begins" if loose == 1 else f"{loose:,} entities begin"
                found.warnings.append(f"column {number}: {begin} with I-, others with B-; both are read as entities")
        elif name == "TAG":
            found.tags = Counter({tag: count for tag, count in values.items() if tag not in MISSING})
            kind = "universal parts of speech" if set(found.tags) <= set(POS_IDS) else "tags"
            found.lines.append(f"column {number} TAG: {len(found.tags):,} {kind}: {most_common(found.tags)}")
        elif name != IGNORED:
            what = {"ORTH": "words", "LEMMA": "lemmas"}.get(name, "values")
            found.lines.append(f"column {number} {name}: {len(values):,} different {what}")


def _look_at_phrases(found: Survey, sentences: list[Rows], tags: list[list[str]]) -> None:
    if "ORTH" in found.columns:
        word = found.columns.index("ORTH")
        for rows, row_tags in zip(sentences, tags, strict=True):
            for label, text in phrases_of([row[word] for row in rows], row_tags):
                found.phrases.setdefault(label, set()).add(text)


def scheme_of(sentences: Sequence[Sequence[str]]) -> tuple[str, Counter[str], int]:
    """The scheme of entity tags ("iob1", "iob2", "biluo"; "auto" for a mixture), entities by type, and how many begin with I."""
    entities: Counter[str] = Counter()
    begins = inside = units = 0
    for tags in sentences:
        before = "O"
        for tag in tags:
            prefix, _, label = tag.partition("-")
            follows = before[2:] == label and before[:1] in "BI"
            if prefix in ("B", "U", "S") or (label and prefix in ("I", "L", "E") and not follows):
                entities[label] += 1
                begins += prefix == "B" and not follows
                inside += prefix == "I"
            units += prefix in ("U", "S", "L", "E")
            before = tag if label else "O"
    if units:
        return "biluo", entities, 0
    return ("auto" if begins and inside else "iob1" if inside else "iob2"), entities, inside


def _of_characters(found: Survey, counts: list[Counter[str]]) -> list[str]:
    """A warning where the words are characters, and a column says where in its word each of them is."""
    if "ORTH" not in found.columns:
        return []
    words = counts[found.columns.index("ORTH")]
    single = sum(count for word, count in words.items() if len(word) == 1)
    places = [
        number
        for number, values in enumerate(counts, 1)
        if "B" in values and set(values) <= _PLACES and len(values) > 1
    ]
    if not places or single < _MOST_SINGLE * words.total():
        return []
    shown = ", ".join(sorted(counts[places[0] - 1]))
    return [
        f"the words are single characters, and column {places[0]} ({shown}) seems to say where in a word each of them is; it is not read so. "
        "For a segmenter, write a text with a sentence a line and spaces between its words"
    ]


def _left_over(found: Survey, counts: list[Counter[str]]) -> list[str]:
    lines = []
    for number, (name, values) in enumerate(zip(found.columns, counts, strict=True), 1):
        if name == IGNORED and len(values) > 1 and not all(map(_NUMBER.fullmatch, values)):
            kind = ", which look like spans of another kind" if _is_spans(values) else ""
            shown = ", ".join(value for value, _ in values.most_common(3))
            lines.append(
                f"column {number} is not used; it holds {shown}{kind}. If it is the one to learn, give --columns"
            )
    return lines
