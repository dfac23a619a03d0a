"""Explanations as HTML, for notebooks: nothing is loaded from elsewhere, colours are those of the page, and it works by keyboard."""

from collections.abc import Sequence
from html import escape

from .decision import Contribution, Decision

#: Contributions and changes that are shown of a decision where nothing else is asked for.
SHOWN = 12
_STYLE = (
    ".mtl-x{font:14px/1.45 system-ui,sans-serif;max-width:60em}.mtl-x summary{cursor:pointer;padding:.15em 0}"
    ".mtl-x table{border-collapse:collapse;margin:.3em 0 .8em 1.2em}.mtl-x th,.mtl-x td{text-align:left;padding:.1em .6em;vertical-align:top}"
    ".mtl-x td.n{text-align:right;font-variant-numeric:tabular-nums}.mtl-x td.b{width:9em}"
    ".mtl-x i{display:inline-block;height:.7em;background:#2b7a3d}.mtl-x i.m{background:#b3402c}"
)  # fmt: skip


def explanation_html(component: str, text: str, decisions: Sequence[Decision], most: int | None = SHOWN) -> str:
    """A list of decisions; each opens to its strongest contributions. most: how many of them; None for all."""
    parts = "".join(_decision(decision, most) for decision in decisions) or "<p>No decisions.</p>"
    return f'<div class="mtl-x"><style>{_STYLE}</style><p><b>{escape(component)}</b>: {escape(text)}</p>{parts}</div>'


def _decision(decision: Decision, most: int | None) -> str:
    head = f"{escape(decision.text)}: <b>{escape(decision.winner)}</b>"
    if decision.runner_up is None:
        return f"<p>{head}; every other analysis is forbidden.</p>"
    about = "" if decision.exact else " (or better: only a good analysis, not the best, was found)"
    head += f", not {escape(decision.runner_up)}, by {decision.difference:.3f}{about}"
    return f"<details><summary>{head}</summary>{_contributions(decision, most)}{_changes(decision)}</details>"


def _contributions(decision: Decision, most: int | None) -> str:
    shown = decision.strongest(most)
    largest = max((abs(each.value) for each in shown), default=1.0)
    rows = "".join(_row(each, largest) for each in shown)
    rest = len(decision.contributions) - len(shown)
    if rest:
        total = decision.total - sum(each.value for each in shown)
        rows += f'<tr><td class="n">{total:+.3f}</td><td></td><td colspan="3">{rest} others</td></tr>'
    head = "".join(f'<th scope="col">{name}</th>' for name in ("adds", "", "template", "feature", "of"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(each: Contribution, largest: float) -> str:
    bar = f'<i{" class=m" if each.value < 0 else ""} style="width:{8 * abs(each.value) / largest:.2f}em"></i>'
    cells = "".join(f"<td>{escape(text)}</td>" for text in (each.template, each.feature, each.part))
    return f'<tr><td class="n">{each.value:+.3f}</td><td class="b">{bar}</td>{cells}</tr>'


def _changes(decision: Decision) -> str:
    if not decision.changes:
        return ""
    told = "; ".join(
        f"{escape(c.place)}: {escape(c.runner_up)}, not {escape(c.winner)}" for c in decision.changes[:SHOWN]
    )
    more = f"; {len(decision.changes) - SHOWN} more" if len(decision.changes) > SHOWN else ""
    return f"<p>The other analysis also has {told}{more}.</p>"
