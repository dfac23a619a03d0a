"""How much a model that learns new labels from a few sentences changes those that it knows.

Weights of a row matter by their differences only. What the labels have in common that a model knows already, and so how they differ from new ones,
is kept as it was learnt; how they differ from one another is shrunk to the credibility of the new sentences, n / (n + :data:`SENTENCES`), as in
Bühlmann (1967), *Experience rating and credibility*, but not to less than :data:`LEAST`. So 20 sentences that somebody annotated for the sake of a
new label do not upset what thousands have taught of the others, and many new sentences count nearly in full.
"""

import numpy as np

#: Of so many new sentences, a model believes one half of what they say of labels that it knows. Chosen on development data.
SENTENCES = 20
#: The least that it believes, of fewer sentences.
LEAST = 0.5


def credibility(n_sentences: int) -> float:
    """How much of a change of known labels is kept."""
    return max(LEAST, n_sentences / (n_sentences + SENTENCES))


def shrunk(matrix: np.ndarray, known: np.ndarray, n_sentences: int) -> np.ndarray:
    """New weights float32[R, K], of which those of known labels (``known``, bool[K]) are shrunk towards their mean.

    They are returned as they are if all labels are known, or none.
    """
    if known.all() or not known.any():
        return matrix
    out, part = matrix.copy(), matrix[:, known]
    mean = part.mean(axis=1, keepdims=True)
    out[:, known] = mean + np.float32(credibility(n_sentences)) * (part - mean)
    return out
