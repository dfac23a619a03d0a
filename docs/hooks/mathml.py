"""Formulas as MathML, made while the site is built: browsers draw it themselves, so a page needs no script and no network.

pymdownx.arithmatex marks what stands between dollars; this turns the LaTeX in it into MathML. A command that the
converter does not know is a warning, with which a strict build fails.
"""

import html
import logging
import re
from typing import Any

from latex2mathml.converter import convert

log = logging.getLogger("mkdocs.hooks.mathml")

#: <span class="arithmatex">\(...\)</span> in a line, <div class="arithmatex">\[...\]</div> for a formula of its own
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


def on_page_content(content: str, *, page: Any, **_: Any) -> str:
    """The page with its formulas as MathML."""

    def replace(match: re.Match[str]) -> str:
        tag, latex = match[1], html.unescape(match[2]).strip()
        mathml = convert(latex, display="block" if tag == "div" else "inline")
        if "\\" in mathml or "&#x0005C;" in mathml:
            log.warning("%s: a command in this formula is not known: %s", page.file.src_uri, latex)
        return f'<{tag} class="formula">{mathml}</{tag}>'

    return FORMULA.sub(replace, content)
