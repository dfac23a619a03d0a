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
    "words_per_second": "words/s",
    "iterations": "passes",
    "f1_testa": "F1 testa",
    "f1_testb": "F1 testb",
    "gap": "gap",
    "live_templates": "live",
    "measured": "measured",
}
SOLVERS = {
    "C": "C",
    "primal": "primal",
    "rounds": "rounds",
    "cpu_cutting_plane": "cutting plane CPU s",
    "passes": "passes",
    "cpu_dual_ascent": "dual ascent CPU s",
    "ratio": "ratio",
}
GAP = {
    "passes": "passes",
    "cpu": "CPU s",
    "primal": "primal",
    "dual": "dual",
    "gap": "gap",
    "live_templates": "live",
    "f1_testa": "F1 testa",
}
NORMS = {"p": "p", "cpu": "CPU s", "cpu_pass": "CPU s a pass", "ratio": "ratio"}
SPEED = {
    "contestant": "contestant",
    "new_text": "words/s, new text",
    "ratio_new_text": "ours : it",
    "known_text": "the same text again",
    "ratio_known_text": "ours : it",
    "from_empty_caches": "from empty caches",
    "ratio_from_empty_caches": "ours : it",
}
STARTUP = {
    "contestant": "contestant",
    "wall": "wall s",
    "cpu": "CPU s",
    "extra_wall": "wall s more",
    "extra_cpu": "CPU s more",
}
SIZE = {
    "megabytes": "megabytes =",
    "model_mb": "model MB",
    "rows_kept": "rows",
    "f1_testa": "F1 testa",
    "f1_testb": "F1 testb",
    "loss": "below full",
}


VECTORS = {
    "contestant": "reads",
    "f1_testa": "testa",
    "f1_testb": "testb",
    "cpu": "CPU s",
    "cpu_vectors": "of vectors",
    "words_per_second": "words/s",
    "dense_share": "% of mu",
}
MIXED = {
    "trained_on": "trained on",
    "C": "C",
    "f1_testa_documents": "testa, documents",
    "f1_testa_sentences": "testa, sentences",
    "f1_testb_documents": "testb, documents",
    "f1_testb_sentences": "testb, sentences",
    "cpu": "CPU s",
}


def training_note(row: Row) -> str:
    """Where our seconds went."""
    parts = ("initialize", "extraction", "passes", "export")
    spent = ", ".join(f"{part} {row[f'cpu_{part}']:.2f}" for part in parts)
    rest = row["cpu"] - sum(row[f"cpu_{part}"] for part in parts)
    return (
        f"Ours: {spent}, the rest of update {rest:.2f} s; {row['live_templates']} templates live; "
        f"first training of a process (kernels compiled or loaded) {row['cpu_compiling']:.1f} s."
    )


def gap_note(stops: dict[float, float | None]) -> str:
    """stops: relative gap -> CPU seconds when it was reached."""
    return "; ".join(
        f"gap {gap:.0%}: {'not reached' if cpu is None else f'{cpu:.1f} CPU s'}" for gap, cpu in stops.items()
    )
