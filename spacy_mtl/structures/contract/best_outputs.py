"""k-best: several outputs of a sentence instead of one.

Needed by ``MIRA``. Builds on *decode*.
"""

from .implementing import generic


@generic
def kbest(problem, i, work, k):
    """The k best outputs under the scores in ``work``, all different, best first; fewer where fewer are allowed.

    Returns (outputs int32[k', parts], as ``take_output`` takes them, and scores float64[k']).
    """
