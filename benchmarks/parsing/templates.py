"""Template selection on trees: MSTParser's templates at p = 1, and what is left of them trained alone."""

from collections.abc import Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from spacy_mtl.templates.presets import mst

from .data import Data
from .ours import COARSE, Ours, one_training, scores_of, warm_up

#: A template whose share of the weights is smaller is as good as removed (Mao & Tsang, section on named entities).
SHARE = 1e-5


def mst_patterns(data: Data) -> tuple[str, ...]:
    """MSTParser's templates of arcs, those of each direction and distance apart."""
    found = mst(form="ORTH", tag="TAG", coarse=COARSE.get(data.name, "POS"), variants="each", labels=False)
    return tuple(template.text for template in found.templates)


def run(data: Data, ours: Ours, name: str, part: str, score: str) -> tuple[dict[str, Any], dict[str, float]]:
    """A row of a training on one part scored on another, and the share of each template's mu by its text."""
    with TemporaryDirectory() as folder:
        nlp, row = one_training(data, ours, part, folder)
    report = nlp.get_pipe("mtl_parser").template_weights()  # type: ignore[attr-defined]
    weights = np.array([line["weight"] for line in report])
    shares = weights / weights.sum()
    about = {
        "templates": name,
        "C": ours.C,
        "trained": shares.size,
        "live": int((shares > SHARE).sum()),
        "above": int((shares > shares.mean()).sum()),
        "observations": sum(line["rows"] for line in report),
        "cpu": row["cpu"],
    }
    key = f"uas_x_{score}"
    by_text = dict(zip((f"{line['name']}:{line['pattern']}" for line in report), shares.tolist(), strict=True))
    return about | {key: scores_of(nlp, data, score)[key]}, by_text


def study(data: dict, constants: Sequence[float], passes: int) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Rows, and the shares at the constant that is best on dev. Test is looked at with that constant alone."""
    the_data = Data(**data)
    patterns = mst_patterns(the_data)
    base = Ours(p=1.0, passes=passes, projective=True, megabytes=None, labelling="none", patterns=patterns)
    warm_up(the_data, base)
    found = [run(the_data, replace(base, C=C), "all", "train", "dev") for C in constants]
    best, shares = max(found, key=lambda pair: pair[0]["uas_x_dev"])
    chosen = replace(base, C=best["C"])
    left = replace(chosen, patterns=tuple(text for text in patterns if shares[text] > SHARE))
    rows = [row for row, _ in found]
    rows += [run(the_data, left, "live ones", "train", "dev")[0]]
    for name, ours in (("all", chosen), ("live ones", left)):
        rows += [run(the_data, ours, name, "train" if the_data.has_dev else "all", "test")[0]]
    return rows, shares
