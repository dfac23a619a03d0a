"""M6xx: saved models."""


class ModelErrors:
    # fmt: off
    M601 = ("{where} is not a model file of spacy_mtl. Check the path, or train again.")
    M602 = ("{where} was written in format {found}, but this version of spacy_mtl reads format {expected}. Install the version it was trained with, or train again.")
    M603 = ("{where} is damaged: its checksum or its shapes do not match. Copy it again from its source, or train again.")
    M604 = ("{where} holds the model of a {found}, not of a {expected}. Check the path.")
    M605 = ("{where} cannot be read: {reason}. Check the path, or train again.")
    M606 = ("{where} is not a tokenizer of multiword tokens: {reason}. Check the path, or train again.")
    M610 = ("{where} is not a valid model: {fault}. Its checksum is right, so it was made by hand or by another program: do not use it, or copy it again from its source.")
    M612 = ("The model cannot be saved, since it could not be loaded again: {fault}. Train again with fewer templates, labels or words, or in smaller steps if numbers are not finite.")
    M611 = ("The keys of a model's weights crowd in a table as hashes never do, so that looking them up would take forever. The model was made by hand or by another "
            "program: do not use it, or copy it again from its source.")
    M614 = ("{where} is not the history of a training: {fault}. The model predicts without it; train again to have one.")
    M640 = ("{where} has {size} MB but would expand to {expanded} MB, more than any model that was saved by this package. Load files only from where you expect them, or train again.")
    M768 = ("save needs a model of sequences, such as problem.model(training.weights) makes, but got {got}. Make one first.")
    M641 = ("The scores of the positions are no finite numbers: the values of a block or the weights are too large. Scale the features, or train again.")
    M650 = ("'{path}' cannot be written: the disk is full. Make room and save again; what was there before is still there.")
    M651 = ("'{path}' cannot be written: {reason}. Choose another place, or get the right to write there; what was there before is still there.")
    M652 = ("'{path}' cannot be written: {reason}. Check the path and the disk; what was there before is still there.")
    M653 = ("The new folder cannot be named '{path}': {reason}. The old one is complete under the name '{old}': rename it, and save again.")
    M654 = ("'{path}' holds {names}, which no pipeline saves, and saving safely replaces the whole folder. Choose another folder, or move that away.")
    M655 = ("Another training ({holder}) saves to '{path}'. Wait for its end, stop it, or choose another --output.")
    # fmt: on
