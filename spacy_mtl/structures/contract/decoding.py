"""Score and decode: part scores of a sentence, the best output under them, losses, and feature differences between gold and an output.

Every trainer needs this group; the perceptron and the projected subgradient of ``L1M3N`` need no other. It builds on no other group.

Part scores, indicators and marginals of a sentence share one layout, which only the structure knows. ``work`` is a buffer for one sentence, a
NamedTuple that the structure defines; it holds the scores, one output and one direction.
"""

from .implementing import generic


@generic
def n_sentences(problem):
    """The number of training sentences (or pieces of sentences)."""


@generic
def n_templates(problem):
    """Number of node templates T (with the blocks that are numbered after them) and of pair templates Tp, as a tuple.

    They are the lengths of ``Scale`` and of the arrays that get one number a template, and the bounds of the numbers in ``Live``.
    """


@generic
def new_work(problem):
    """Make a buffer that is large enough for the longest sentence."""


@generic
def score_scaled(problem, weights, live, scale, i, work):
    """Write part scores of sentence i under the weights ``scale_j * w_j`` of live templates to ``work``; forbidden parts score about -1e9."""


@generic
def score_parts(problem, weights, live, i, work):
    """Write part scores of sentence i under ``weights`` to ``work``, as :func:`score_scaled` with a scale of 1."""


@generic
def hold_weights(problem, weights, live, work):
    """Promise that from now on parts are scored in ``work`` by :func:`score_parts` under these weights of these live templates only.

    The weights may change meanwhile, but by :func:`add_direction` with this ``work`` alone. A structure may keep what it derives from them; by
    default nothing is kept.
    """


@generic
def add_loss(problem, i, work, amount):
    """Add amount * loss of each part to the scores in ``work``. The loss of a part is its cost against gold plus its offset, if there are offsets."""


@generic
def add_offset(problem, i, work, amount):
    """Add amount * offset of each part to the scores in ``work``: constant scores that do not come from the weights, 0 by default.

    They are moved so that the offset of gold is exactly 0. Where a trainer adds the loss they are part of it; where it does not, it adds them itself.
    """


@generic
def decode(problem, i, work, augmented):
    """Find the best output under the scores in ``work`` and leave it in ``work``; return its score.

    augmented: first add the loss to the scores in ``work``, where it stays (gold has no loss, so its score does not change).
    """


@generic
def take_output(problem, i, output, work):
    """Put an output (int32[parts], in the structure's own form) into ``work``."""


@generic
def gold_score(problem, i, work):
    """The score of the gold output under the scores in ``work``."""


@generic
def output_loss(problem, i, work):
    """The loss of the output in ``work`` against gold: its costs, plus its offset, with which it may be below 0. That of gold is 0."""


@generic
def output_offset(problem, i, work):
    """The offset of the output in ``work``: the part of its loss that is no cost, 0 by default."""


@generic
def add_output(problem, vector, i, work, amount):
    """Add amount * (Phi(gold_i) - Phi(output in ``work``)) to vector, for all templates."""


@generic
def kernel_norms(problem, weights, norms):
    """Overwrite the norms (float64[T], of node blocks) of kernelised blocks, whose rows are not weights of features."""
