"""k-best: the k best outputs of a sentence instead of one.

Needed by ``MIRA``. Builds on *decode*.
"""

from .implementing import generic


@generic
def kbest(problem, i, work, k):
    """The k best outputs under the scores in ``work``, all different, best first; fewer if fewer are allowed.

    Returns outputs int32[k', parts], in the form that ``take_output`` takes, and scores float64[k'].
    """
