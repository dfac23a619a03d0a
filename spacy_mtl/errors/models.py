"""M6xx: saved models."""


class ModelErrors:
    # fmt: off
    M601 = ("{where} is not a model file of spacy_mtl. Check the path, or train again.")
    M602 = ("{where} was written in format {found}, but this version of spacy_mtl reads format {expected}. Install the version it was trained with, or train again.")
    M603 = ("{where} is damaged: its checksum or its shapes do not match. Copy it again from its source, or train again.")
    M604 = ("{where} holds the model of a {found}, not of a {expected}. Check the path.")
    M605 = ("{where} cannot be read: {reason}. Check the path, or train again.")
    M640 = ("{where} has {size} MB but would expand to {expanded} MB, more than any model that was saved by this package. Load files only from where you expect them, or train again.")
    M641 = ("The scores of the positions are no finite numbers: the values of a block or the weights are too large. Scale the features, or train again.")
    # fmt: on
