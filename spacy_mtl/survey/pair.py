"""A training and a development corpus side by side."""

from spacy_mtl.errors import Errors

from .found import Survey


def check_dev(train: Survey, dev: Survey) -> None:
    """Refuse a dev corpus of another format (M729), and warn of one that is the training corpus, or has labels that this does not."""
    seen = [f"{each.kind} {' '.join(each.columns)}".strip() for each in (train, dev)]
    if train.kind != dev.kind or len(train.columns) != len(dev.columns):
        raise ValueError(Errors.M729.format(dev=dev.path, train=train.path, found=seen[1], expected=seen[0]))
    if train.path.resolve() == dev.path.resolve():
        dev.warnings.append(
            "it is the training corpus, so the scores in training say nothing. Set other texts aside for it"
        )
    new = sorted((set(dev.entities) - set(train.entities)) | (set(dev.tags) - set(train.tags)))
    if new:
        labels = (
            f"label {new[0]} does"
            if len(new) == 1
            else f"{len(new)} labels ({', '.join(new[:5])}{', ...' * (len(new) > 5)}) do"
        )
        dev.warnings.append(f"{labels} not occur in '{train.path}'")
