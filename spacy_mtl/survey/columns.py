"""Look at a column file: what its columns hold, the scheme of its entity tags, its documents."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy.parts_of_speech import IDS as POS_IDS
from spacy.vocab import Vocab

from spacy_mtl.blanks import split_blanks
from spacy_mtl.corpora.columns import IGNORED, MISSING
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.lines.comments import DOCSTART, lines_of, may_be_comment
from spacy_mtl.corpora.lines.text import text_lines
from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

from .doubts import NUMBER, SPAN_TAG, doubts, not_annotated
from .found import Survey, most_common
from .phrases import phrases_of

#: Tags of words in spans without M, which parts of speech of Chinese characters have, too.
_PLAIN_SPAN_TAG = re.compile(r"[BILUES]-\S+")
_MOST_TAGS = 2000
_SAME_AS_WORD = 0.3
#: Kinds of phrases of CoNLL-2000 and 2003, which are no entities.
_PHRASES = frozenset(["NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP"])
#: What the first line of a file has where it is a header, in the column of words and in one of tags.
_WORD_HEADERS = frozenset(("token", "tokens", "word", "words", "form", "text"))
_TAG_HEADERS = frozenset(
    (
        "tag",
        "tags",
        "label",
        "labels",
        "ner",
        "ner_tag",
        "ner_tags",
        "pos",
        "pos_tag",
        "entity",
        "upos",
        "xpos",
        "ne-coarse-lit",
    )
)
Rows = list[list[str]]


def survey_columns(
    path: Path, encoding: str = "utf8", columns: Sequence[str] | None = None, *, entities: bool = True
) -> Survey:
    """What is in a column file. columns: names that the user gives; None to find them out.

    entities: whether they are to be learnt. A column of which most tags are those of entities is then one of entities, so that a slip in a tag is
    refused; else it is one only if all are.

    Raises ValueError: M501, M502, M513, M504 for a file without sentences, M561 for lines with different numbers of columns, M568 for
    more names than columns, M577 for a first line with the names of the columns; of names that the user gives, M505, M506 and M518; in tags of
    entities and parts of speech, M508 and M510.
    """
    check_file(path)
    if columns is not None:
        ConllCorpus(path, columns, given=())  # refuses what it cannot read
    found = Survey(path, "columns")
    separator = _separator(path, encoding)
    if separator:
        found.reader["separator"] = separator
    sentences = list(_sentences(path, encoding, separator, found, len(columns or ())))
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
    found.warnings += doubts(found, counts, named=columns is not None)
    return found


def _check_header(path: Path, first: list[str]) -> None:
    """Refuse a first token that is the names of the columns (M577)."""
    names = {value.lower() for value in first}
    if names & _WORD_HEADERS and names & _TAG_HEADERS:
        raise ValueError(Errors.M577.format(path=path, line=brief(" ".join(first))))


def _separator(path: Path, encoding: str) -> str | None:
    """A tab where blanks stand inside columns, else None (any run of blanks)."""
    blanks, tabs = set(), set()
    for line in text_lines(path, encoding):
        if line.strip() and not line.startswith(DOCSTART) and not may_be_comment(line):
            blanks.add(len(split_blanks(line)))
            tabs.add(len(line.rstrip("\n").split("\t")))
    return "\t" if len(blanks) > 1 and len(tabs) == 1 and tabs != {1} else None


def _sentences(path: Path, encoding: str, separator: str | None, found: Survey, named: int) -> Iterator[Rows]:
    """named: how many columns the user has named, so that there may be more of them in some lines; 0 for none."""
    rows: Rows = []
    width, open_document = 0, False
    comments: list[str] = []

    def split(line: str) -> list[str]:
        if separator is None:
            return split_blanks(line)
        return line.rstrip("\n").split(separator) if line.strip() else []

    for number, _, values, border in lines_of(text_lines(path, encoding), split, named, said=comments):
        if values and not border:
            if not width:
                _check_header(path, values)
            width = width or min(named or len(values), len(values))
            if len(values) < width or (len(values) > width and not named):
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
    plain = [n for n, values in enumerate(counts) if n not in spans and not all(map(NUMBER.fullmatch, values))]
    if not plain:
        return names
    most = max(len(counts[number]) for number in plain)
    word = next(number for number in plain if 2 * len(counts[number]) >= most)
    names[word] = "ORTH"
    if spans:
        names[_entities(spans, counts)] = "ENT"
    for number in plain:
        if number == word or len(counts[number]) < 2:
            continue
        same = sum(a.lower() == b.lower() for a, b in zip(by_column[number], by_column[word], strict=True))
        name = "LEMMA" if same > _SAME_AS_WORD * len(by_column[word]) else "TAG"
        if name not in names and (name == "LEMMA" or len(counts[number]) <= min(_MOST_TAGS, max(most // 2, 20))):
            names[number] = name
    return names


def _entities(spans: list[int], counts: list[Counter[str]]) -> int:
    """The column of entities among those of spans: not one of phrases, and the one with most of them, as nested ones are fewer; else the last."""
    begun = {number: Counter[str]() for number in spans}
    for number in spans:
        for tag, count in counts[number].items():
            if SPAN_TAG.fullmatch(tag):
                begun[number][tag[2:]] += count * (tag[0] in "BUS")
    others = [number for number in spans if not set(begun[number]) <= _PHRASES] or spans[-1:]
    return max(others, key=lambda number: (begun[number].total(), number))


def _is_spans(values: Counter[str], slips: bool = True) -> bool:
    """Whether a column has tags of spans: most are, so that a slip in one of them is found; without slips, all are."""
    tags = {value: count for value, count in values.items() if value != "O" and value not in MISSING}
    pattern = SPAN_TAG if slips else _PLAIN_SPAN_TAG
    spans = sum(count for tag, count in tags.items() if pattern.fullmatch(tag))
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
            found.warnings += not_annotated(number, values)
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
            follows = before[2:] == label and before[:1] in "BIM"
            if prefix in ("B", "U", "S") or (label and prefix in ("I", "L", "E", "M") and not follows):
                entities[label] += 1
                begins += prefix == "B" and not follows
                inside += prefix == "I"
            units += prefix in ("U", "S", "L", "E", "M")
            before = tag if label else "O"
    if units:
        return "biluo", entities, 0
    return ("auto" if begins and inside else "iob1" if inside else "iob2"), entities, inside
