"""Score and decode: part scores of a sentence, the best output under them, losses, and the features of an output against those of gold.

Needed by every trainer; the perceptron and the projected subgradient of ``L1M3N`` need no more. Builds on nothing.

Part scores, indicators and marginals of a sentence share one layout, which only the structure knows. ``work`` is scratch space of one sentence, a
NamedTuple of the structure's own making; it holds the scores, one output and one direction.
"""

from .implementing import generic


@generic
def n_sentences(problem):
    """Number of training sentences (or pieces of sentences)."""


@generic
def n_templates(problem):
    """Number of node templates (with the blocks numbered after them) and of pair templates: (T, Tp)."""


@generic
def new_work(problem):
    """Scratch space that fits the longest sentence."""


@generic
def score_scaled(problem, weights, live, scale, i, work):
    """Part scores of sentence i under the weights ``scale_j * w_j`` of live templates into ``work``; parts that are forbidden score -1e9 or so."""


@generic
def score_parts(problem, weights, live, i, work):
    """Part scores of sentence i under ``weights`` into ``work``: as :func:`score_scaled` at a scale of 1."""


@generic
def add_loss(problem, i, work, amount):
    """Scores in ``work`` += amount * loss of each part."""


@generic
def decode(problem, i, work, augmented):
    """Best output under the scores in ``work``, left in ``work``; returns its score.

    ``augmented``: the loss is first added to the scores in ``work``, and stays there (gold costs nothing, so its score is unchanged).
    """


@generic
def take_output(problem, i, output, work):
    """Put one output (int32[parts], as the structure writes them) into ``work``."""


@generic
def gold_score(problem, i, work):
    """Score of the gold output under the scores in ``work``."""


@generic
def output_loss(problem, i, work):
    """Loss of the output in ``work`` against gold."""


@generic
def add_output(problem, vector, i, work, amount):
    """vector += amount * (Phi(gold_i) - Phi(output in ``work``)), over all templates."""


@generic
def kernel_norms(problem, weights, norms):
    """Overwrite the norms (float64[T], of node blocks) of kernelised blocks, whose rows are not the weights of features."""
