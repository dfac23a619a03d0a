"""What the printed tables show: key of a row -> heading."""

from benchmarks.common.rows import Row

TRAINING = {
    "contestant": "contestant",
    "templates": "templates",
    "cpu": "CPU s",
    "cpu_extraction": "features",
    "ratio": "x ours",
    "peak_mb": "peak MB",
    "model_mb": "model MB",
    "characters_per_second": "chars/s",
    "iterations": "passes",
    "f1": "F1",
    "r_iv": "R known",
    "r_oov": "R unknown",
    "gap": "gap",
    "live_templates": "live",
    "measured": "measured",
}
SPEED = {
    "contestant": "contestant",
    "new_text": "chars/s, new text",
    "ratio_new_text": "ours : it",
    "known_text": "the same text again",
    "ratio_known_text": "ours : it",
}
DOMAINS = {
    "corpus": "trained on",
    "tested_on": "tested on",
    "contestant": "contestant",
    "hidden": "hidden",
    "C": "C",
    "bias": "bias",
    "passes": "passes",
    "cpu": "CPU s",
    "f1": "F1",
    "r_iv": "R known",
    "r_oov": "R unknown",
    "oov": "% unknown",
}
WORDS = {
    "words": "words",
    "occurrences": "occurrences",
    "kept": "% cut as given",
    "kept_as_hint": "as hints",
    "in_conflict": "in conflict",
    "characters_per_second_none": "chars/s without",
    "characters_per_second_law": "as law",
    "law_to_none": "law : without",
    "law_to_hint": "law : hints",
    "cpu_loading_law": "CPU s to load",
    "addition_ms": "ms an addition",
    "addition_ms_most": "at most",
}


def training_note(rows: list[Row]) -> str:
    """Where our seconds went, and how many words are unknown."""
    row = rows[0]
    parts = ("initialize", "extraction", "passes", "export")
    spent = ", ".join(f"{part} {row[f'cpu_{part}']:.2f}" for part in parts)
    rest = row["cpu"] - sum(row[f"cpu_{part}"] for part in parts)
    return (
        f"Ours, {row['templates']}: {spent}, the rest of update {rest:.2f} s; first training of a process (kernels compiled or loaded) "
        f"{row['cpu_compiling']:.1f} s. {row['oov']:.2f}% of the words are unknown. Other segmenters follow standards of their own."
    )
