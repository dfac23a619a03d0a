"""What the printed tables show: key of a row -> heading."""

from benchmarks.common.rows import Row

TRAINING = {
    "contestant": "contestant",
    "cpu": "CPU s",
    "ratio": "x ours",
    "peak_mb": "peak MB",
    "model_mb": "model MB",
    "iterations": "passes",
    "accuracy_dev": "dev",
    "unknown_dev": "dev, unknown",
    "accuracy_test": "test",
    "unknown_test": "test, unknown",
    "measured": "measured",
}
SPEED = {
    "contestant": "contestant",
    "new_text": "words/s, new text",
    "ratio_new_text": "ours : it",
    "known_text": "the same text again",
    "ratio_known_text": "ours : it",
}


def training_note(rows: list[Row]) -> str:
    """Where our seconds went, and what is unknown."""
    row = rows[0]
    parts = ("initialize", "extraction", "passes", "export")
    spent = ", ".join(f"{part} {row[f'cpu_{part}']:.2f}" for part in parts)
    rest = row["cpu_runs"][-1] - sum(row[f"cpu_{part}"] for part in parts)
    shares = ", ".join(f"{row[f'unknown_share_{part}']:.2f}% of {part}" for part in ("dev", "test"))
    return (
        f"Percent of right tags. Unknown are forms that the training part lacks: {shares}. Passes of spaCy are steps. Ours: {spent}, the rest of "
        f"update {rest:.2f} s; {row['live_templates']} templates live; first training of a process {row['cpu_compiling']:.1f} s."
    )
