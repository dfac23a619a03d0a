"""Texts with their annotation, drawn by displaCy. Whatever comes from a text or a label is escaped: displaCy escapes words, but no labels."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from markupsafe import Markup
from spacy import displacy
from spacy.tokens import Doc

from .pairs import Piece

#: The most characters of text before and after what is shown.
AROUND = 120
#: The most words of a drawn tree.
MOST_WORDS = 28
_ID = re.compile(r"[0-9a-f]{32}-\d+")


def window(text: str, start: int, end: int) -> tuple[int, int]:
    """The characters around [start, end) that are shown, cut at white space where there is some."""
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    if first and (space := text.find(" ", first, start)) >= 0:
        first = space + 1
    if last < len(text) and (space := text.rfind(" ", end, last)) >= 0:
        last = space
    return first, last


def marked(text: str, pieces: Iterable[Piece], shown: tuple[int, int]) -> Markup:
    """The text with these pieces marked, which must not overlap."""
    first, last = shown
    inside = sorted(p for p in pieces if p.start >= first and p.end <= last and p.end > p.start)
    ents, end = [], -1
    for piece in inside:
        if piece.start >= end:
            ents.append({"start": piece.start - first, "end": piece.end - first, "label": escape(piece.label)})
            end = piece.end
    drawn = {"text": text[first:last], "ents": ents, "title": None}
    return Markup(displacy.render(drawn, style="ent", manual=True, jupyter=False).replace("\n", " "))


def divided(text: str, pieces: Sequence[Piece], shown: tuple[int, int], at: int) -> Markup:
    """The text with a bar between these pieces. at: a character whose piece stands out."""
    first, last = shown
    parts = [
        Markup('<b class="at">{}</b>' if p.start <= at < p.end else "{}").format(
            text[max(p.start, first) : min(p.end, last)]
        )
        for p in pieces
        if p.start < last and p.end > first
    ]
    return Markup('<p class="cut">{}</p>').format(Markup('<span class="bar" aria-hidden="true">|</span>').join(parts))


def tree(doc: Doc, heads: Sequence[int], labels: Sequence[str], word: int, number: int) -> Markup:
    """The arcs of a sentence, or of the part of it around a word. heads: tokens of the document; -1 where there is none. number: of the picture."""
    sentence = doc[word].sent
    first, last = sentence.start, sentence.end
    if last - first > MOST_WORDS:
        first = max(first, min(word - MOST_WORDS // 2, last - MOST_WORDS))
        last = min(last, first + MOST_WORDS)
    words = [{"text": doc[i].text, "tag": escape(doc[i].pos_ or doc[i].tag_)} for i in range(first, last)]
    arcs = []
    for i in range(first, last):
        head = heads[i]
        if first <= head < last and head != i:
            ends = sorted((i - first, head - first))
            arcs.append(
                {"start": ends[0], "end": ends[1], "label": escape(labels[i]), "dir": "left" if i < head else "right"}
            )
    options = {
        "color": "currentColor", "bg": "transparent", "font": "inherit", "distance": 105, "arrow_stroke": 1.5,
        "arrow_width": 7, "word_spacing": 30,
    }  # fmt: skip
    svg = displacy.render({"words": words, "arcs": arcs}, style="dep", manual=True, jupyter=False, options=options)
    svg = re.sub(r"arrow-" + _ID.pattern, lambda found: f"arrow-{number}-{found[0].rpartition('-')[2]}", svg)
    return Markup(_cropped(_ID.sub(f"tree-{number}", svg)))


def _cropped(svg: str) -> str:
    """The same picture without the room that displaCy leaves above the highest arc and below the words."""
    size = re.search(r'width="(\d+)" height="([\d.]+)"', svg)
    tops = [float(y) for path in re.findall(r' d="([^"]*)"', svg) for y in re.findall(r",(-?[\d.]+)", path)]
    words = [float(y) for y in re.findall(r'<text class="displacy-token"[^>]* y="([\d.]+)"', svg)]
    assert size is not None
    # a curve stays within three quarters of the way to its control points
    top = (max(tops) - 0.75 * (max(tops) - min(tops)) if tops else min(words)) - 24
    height = max(words) + 44 - top
    svg = svg.replace(size[0], f'width="{size[1]}" height="{height:.0f}" viewBox="0 {top:.0f} {size[1]} {height:.0f}"')
    svg = re.sub(r"height: [\d.]+px; |letter-spacing: 1px|\n\s*", "", svg)
    return svg.replace("<svg ", '<svg role="img" aria-label="Dependency tree" ')
