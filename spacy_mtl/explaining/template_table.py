"""The weights of a component's templates as a list that notebooks show as a table."""

from html import escape
from typing import Any

_STYLE = (
    ".mtl-t{font:14px/1.45 system-ui,sans-serif;border-collapse:collapse}.mtl-t th,.mtl-t td{text-align:left;padding:.15em .7em}"
    ".mtl-t td.n{text-align:right;font-variant-numeric:tabular-nums}.mtl-t td.b{width:10em}"
    ".mtl-t i{display:inline-block;height:.7em;background:#2a5db0}"
)  # fmt: skip


class TemplateTable(list[dict[str, Any]]):
    """One dict per template: name, pattern, weight (mu), norm (||w_j||) and rows (the number of rows kept)."""

    def _repr_html_(self) -> str:
        """The heaviest first."""
        most = max((row["weight"] for row in self), default=0.0) or 1.0
        rows = "".join(_row(row, most) for row in sorted(self, key=lambda row: -row["weight"]))
        head = "".join(
            f'<th scope="col">{name}</th>' for name in ("template", "pattern", "weight", "", "norm", "features")
        )
        return (
            f'<style>{_STYLE}</style><table class="mtl-t"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        )


def _row(row: dict[str, Any], most: float) -> str:
    bar = f'<i style="width:{10 * row["weight"] / most:.2f}em"></i>'
    return (
        f'<tr><td>{escape(row["name"])}</td><td><code>{escape(row["pattern"] or "label pair")}</code></td><td class="n">{row["weight"]:.4f}</td>'
        f'<td class="b">{bar}</td><td class="n">{row["norm"]:.3f}</td><td class="n">{row["rows"]:,}</td></tr>'
    )
