"""What the printed tables show: key of a row -> heading."""

from benchmarks.common.rows import Row

COST = {
    "contestant": "contestant",
    "cpu": "CPU s",
    "ratio": "x first",
    "peak_mb": "peak MB",
    "model_mb": "model MB",
    "iterations": "passes",
    "uas_dev": "UAS dev",
    "las_dev": "LAS dev",
    "uas_test": "UAS test",
    "las_test": "LAS test",
    "measured": "measured",
}
RULES = {
    "contestant": "contestant",
    "uas_test": "UAS, all",
    "las_test": "LAS, all",
    "uas_x_test": "UAS, CoNLL-X",
    "las_x_test": "LAS, CoNLL-X",
    "uas_spacy_test": "UAS, spaCy",
    "las_spacy_test": "LAS, spaCy",
    "complete_test": "complete",
    "complete_labelled_test": "with labels",
    "crossing_found_test": "crossing arcs",
    "crossing_precision_test": "precision",
    "crossing_recall_test": "recall",
}
SPEED = {
    "contestant": "contestant",
    "words": "words",
    "words_a_second": "words/s",
    "runs": "runs",
    "ratio": "first : it",
}
TEMPLATES = {
    "templates": "templates",
    "C": "C",
    "trained": "trained",
    "live": "live",
    "above": "above average",
    "observations": "observations",
    "uas_x_dev": "UAS dev, CoNLL-X",
    "uas_x_test": "UAS test, CoNLL-X",
    "cpu": "CPU s",
}


def cost_note(rows: list[Row]) -> str:
    """What is counted, and who was not let run to its own stop."""
    parts = ["UAS and LAS: percent of all tokens. Passes of UDPipe are iterations, of spaCy steps."]
    for row in rows:
        if row.get("stopped") == "max_steps":
            parts.append(f"{row['contestant']} was stopped after {row['max_steps']:,} steps.")
        if "cpu_compiling" in row:
            parts.append(f"First training of a process of {row['contestant']}: {row['cpu_compiling']:.1f} s.")
    return " ".join(parts)


def rules_note(rows: list[Row]) -> str:
    """What is counted."""
    crossing = next((row["crossing_gold_test"] for row in rows if "crossing_gold_test" in row), 0)
    return (
        "CoNLL-X: without tokens of Unicode punctuation alone; spaCy: F of arcs not labelled punct or p. Complete: percent of sentences with all "
        f"heads (and labels) right. {crossing} gold arcs cross others; precision and recall are of their heads."
    )


TAGS = {"contestant": "", "cpu": "CPU s", "tags_dev": "tags", "uas_dev": "UAS", "las_dev": "LAS"}
