"""Structure regularization of chains (Sun 2014, Algorithm 1): sentences are cut at random into mini-samples.

The sequences are cut, not the text: every position keeps its features, which still see the whole sentence. A cut only drops the interaction of
the labels on its two sides: pair row t scores (t - 1, t), and that of a piece's first position is never used.
"""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.offsets.chain import cut_offset

from .problem import ChainProblem


@kernel
def cut_pieces(first, last, size, chance, first_out, last_out, parent):
    """Cut the runs of tokens ``first[s]:last[s]`` that are longer than ``size``; return the number of pieces.

    A piece has floor(size) positions or, with the probability that makes the mean length ``size``, one more. The first piece of a run is the rest
    of such a piece from a random position on, so that all positions are equally likely to begin a piece (with probability 1 / size). The last
    piece ends with the run.

    chance: float64[pieces], uniform in [0, 1). Fills first_out and last_out (int64[pieces]), and parent (int64[pieces]), the run of each piece.
    """
    whole = int(np.floor(size))
    count = 0
    for s in range(first.size):
        a = first[s]
        while a < last[s]:
            n = whole + 1 if chance[count] < size - whole else whole
            if a == first[s]:
                # the rest of a piece from a random position on: P(n) = P(piece >= n) / mean
                n = 1 + int(chance[count] * size)
            b = last[s] if last[s] - first[s] <= size else min(last[s], a + n)
            first_out[count], last_out[count], parent[count] = a, b, s
            count += 1
            a = b
    return count


def cut_chain(arrays: ChainProblem, sentences: np.ndarray, size: float, random: np.random.Generator) -> ChainProblem:
    """Cut these pieces of a problem, in this order, at random into smaller ones of ``size`` positions on average.

    sentences: int64[k], pieces of ``arrays``. size: at least 1; 5.5 gives equally many mini-samples of 5 and 6; pieces of at most ``size``
    positions stay whole. Only the borders are new, everything else is shared. An end at which a piece was cut has no start or end constraint.
    ``repeats`` is copied from the original piece, where a feature may recur even if it does not in the new one.
    """
    first, last = arrays.first[sentences], arrays.last[sentences]
    size = min(float(size), float((last - first).max(initial=1)))
    room = int((2 + (last - first) // int(size)).sum())
    borders = np.empty((3, room), np.int64)
    count = cut_pieces(first, last, size, random.random(room), *borders)
    begin, end, parent = borders[:, :count]
    origin = sentences[parent]
    repeats = arrays.repeats[origin]
    repeats[end - begin == 1] = False
    return arrays._replace(
        first=begin,
        last=end,
        open_left=arrays.open_left[origin] | (begin > arrays.first[origin]),
        open_right=arrays.open_right[origin] | (end < arrays.last[origin]),
        repeats=repeats,
        offset=cut_offset(arrays.offset, arrays.offset_pairs, arrays.gold, begin[begin > arrays.first[origin]]),
    )
