"""Formulas as MathML, made while the site is built: browsers draw it themselves, so a page needs no script and no network.

pymdownx.arithmatex marks what stands between dollars; this turns the LaTeX in it into MathML. A command that the
converter does not know is a warning, with which a strict build fails.
"""

import html
import logging
import re
import xml.etree.ElementTree as ET
from typing import Any

from latex2mathml.converter import convert

log = logging.getLogger("mkdocs.hooks.mathml")

#: <span class="arithmatex">\(...\)</span> in a line, <div class="arithmatex">\[...\]</div> for a formula of its own
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


MATHML = "{http://www.w3.org/1998/Math/MathML}"
#: what has its limits below and above in a formula of its own, and the elements for that
WITH_LIMITS = {"min", "max", "sup", "inf", "∑", "∏", "⋃", "⋂"}
BESIDE = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}

ET.register_namespace("", MATHML[1:-1])


def to_mathml(latex: str, display: str) -> str:
    """The formula as MathML, mended in two places.

    Limits that the converter sets beside a sum or minimum go below and above it in display. Bars of a norm do not grow and have no space
    around them, as they would have as signs between two terms; those made by ``\\left`` and ``\\right`` are left as they are.
    """
    root = ET.fromstring(convert(latex, display=display))
    for element in root.iter():
        kind, text = element.tag.removeprefix(MATHML), (element.text or "").strip()
        if kind in BESIDE and display == "block" and (element[0].text or "").strip() in WITH_LIMITS:
            element.tag = MATHML + BESIDE[kind]
        elif kind == "mo" and text in ("|", "‖") and element.get("stretchy") != "true":
            element.attrib.update(stretchy="false", lspace="0", rspace="0")
    return ET.tostring(root, encoding="unicode")


def on_page_content(content: str, *, page: Any, **_: Any) -> str:
    """The page with its formulas as MathML."""

    def replace(match: re.Match[str]) -> str:
        tag, latex = match[1], html.unescape(match[2]).strip()
        mathml = to_mathml(latex, "block" if tag == "div" else "inline")
        if "\\" in mathml:
            log.warning("%s: a command in this formula is not known: %s", page.file.src_uri, latex)
        return f'<{tag} class="formula">{mathml}</{tag}>'

    return FORMULA.sub(replace, content)
