"""What the published rows were measured with: processor, packages, dates."""

from .table import Results, markdown


class Versions:
    """Rendered as a Table is."""

    name = "versions"

    def render(self, results: Results) -> str:
        found: dict[str, dict[str, None]] = {}
        for row in (row for rows in results.values() for row in rows):
            machine = row["machine"]
            shown = {"machine": f"{machine['processor']}, one of {machine['cores']} cores", "date": row["time"][:10]}
            for name, value in {**shown, **row["versions"]}.items():
                found.setdefault(name, {})[value] = None
        lines = [[name, ", ".join(sorted(values))] for name, values in found.items()]
        return markdown([["", "measured with"], *lines])


TABLES = (Versions(),)
