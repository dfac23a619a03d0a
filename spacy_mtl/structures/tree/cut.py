"""Structure regularization of trees (Sun 2014, section 2.2): arcs of the gold tree are cut at random, and its pieces become mini-samples.

A piece is a set of words that the remaining gold arcs connect, in the order of the sentence; the root belongs to the piece of the words that still
hang on it. Within a piece all arcs are possible that were possible in the sentence, with the features they had there, of the whole sentence. No arc
leads from one piece to another. A word whose gold arc was cut is the top of its piece: it hangs on the root by an arc without features, the only one
it has, and costs nothing. So what a cut drops are the competition of the top's heads and the interaction of arcs in different pieces.
"""

import numpy as np

from spacy_mtl.kernels import kernel

from .bundles import Bundles
from .outputs import crossing_sentences
from .problem import TreeProblem


def cut_tree(arrays: TreeProblem, sentences: np.ndarray, size: float, random: np.random.Generator) -> TreeProblem:
    """Cut these sentences of a first-order problem at random into pieces of about ``size`` words.

    sentences: int64[k]. size: at least 1; each gold arc is cut with probability 1 / size, so pieces have ``size`` words on average in long sentences,
    and with 1 there is nothing left to learn from. Sentences of at most ``size`` words stay whole, and where outputs must be projective, those whose
    gold tree crosses: their pieces need not have any projective tree.
    """
    words, owner, begin = words_of(arrays.first[sentences], arrays.last[sentences])
    whole = arrays.last[sentences] - arrays.first[sentences] <= size
    gold = arrays.gold[words]
    if arrays.projective:
        whole[crossing_sentences(gold, np.append(begin, words.size))] = True
    tops = (random.random(words.size) * size < 1) & ~whole[owner]
    piece, of_root = pieces_of(np.where(gold > 0, begin[owner] + gold - 1, -1), tops, owner, sentences.size)
    return _pieces(arrays, sentences, words, owner, begin, tops, piece, of_root)


def words_of(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The words ``first[s]:last[s]`` one after another, the sentence of each, and where each sentence begins among them."""
    lengths = last - first
    begin = np.cumsum(lengths) - lengths
    owner = np.repeat(np.arange(lengths.size), lengths)
    return first[owner] + np.arange(owner.size) - begin[owner], owner, begin


def pieces_of(heads: np.ndarray, tops: np.ndarray, owner: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The piece of each word, numbered from 0, and whether the root belongs to it. heads: int64[M], the head of each word, -1 for the root."""
    m = heads.size
    above = np.concatenate([np.where(tops, np.arange(m), np.where(heads >= 0, heads, m + owner)), m + np.arange(n)])
    while True:
        higher = above[above]
        if (higher == above).all():
            break
        above = higher
    _, piece = np.unique(above[:m], return_inverse=True)
    return piece, above[:m] >= m


def _pieces(
    arrays: TreeProblem,
    sentences: np.ndarray,
    words: np.ndarray,
    owner: np.ndarray,
    begin: np.ndarray,
    tops: np.ndarray,
    piece: np.ndarray,
    of_root: np.ndarray,
) -> TreeProblem:
    """The pieces as sentences of their own."""
    order = np.argsort(piece, kind="stable")
    lengths = np.bincount(piece)
    last = np.cumsum(lengths)
    first = last - lengths
    place = np.empty(words.size, np.int64)
    place[order] = np.arange(words.size) - np.repeat(first, lengths) + 1

    # arcs within a piece, in the order of its words; a top has a single one
    word = words[order]
    count = arrays.first_arc[word + 1] - arrays.first_arc[word]
    to = np.repeat(np.arange(word.size), count)
    arc = arrays.first_arc[word][to] + np.arange(to.size) - (np.cumsum(count) - count)[to]
    old = order[to]
    head = begin[owner[old]] + arrays.heads[arc] - 1
    from_root = arrays.heads[arc] == 0
    head[from_root] = old[from_root]
    kept = np.where(from_root, of_root[old], piece[head] == piece[old]) & ~tops[old]
    new_top = np.flatnonzero(tops[order])
    to = np.concatenate([to[kept], new_top])
    heads = np.concatenate([np.where(from_root, 0, place[head])[kept], np.zeros(new_top.size, np.int64)])
    by_word = np.argsort(to, kind="stable")
    to, heads = to[by_word], heads[by_word].astype(np.int32)
    arc = np.concatenate([arc[kept], np.full(new_top.size, -1)])[by_word]
    first_arc = np.searchsorted(to, np.arange(word.size + 1))

    gold = arrays.gold[word]
    gold_place = place[np.maximum(begin[owner[order]] + gold - 1, 0)]
    gold = np.where((gold == 0) | tops[order], 0, gold_place).astype(np.int32)
    right = np.flatnonzero(heads == gold[to])
    gold_arc = np.empty(word.size, np.int64)
    gold_arc[to[right]] = right
    free = tops[order]
    gold_label = np.where(free, 0, arrays.gold_label[word]).astype(np.int32)

    of = sentences[owner[order][first]]
    node, node_links = _bundles(arrays.node, arrays.node_links, arc, first_arc, first, last, of)
    pair, pair_links = _bundles(arrays.pair, arrays.pair_links, arc, first_arc, first, last, of)
    offset = arrays.offset
    if len(offset):
        offset = np.where((arc >= 0)[:, None], offset[arc], np.float32(0))
    return arrays._replace(
        first=first, last=last, gold=gold, gold_label=gold_label, gold_arc=gold_arc,
        gold_output=gold * np.int32(arrays.n_labels) + gold_label,
        cost=np.where(free, np.float32(0), arrays.cost[word]), label_cost=np.where(free, np.float32(0), arrays.label_cost[word]),
        first_arc=first_arc, heads=heads, node=node, pair=pair, node_links=node_links, pair_links=pair_links, offset=offset,
    )  # fmt: skip


def _bundles(
    bundles: Bundles,
    links: np.ndarray,
    arc: np.ndarray,
    first_arc: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    of: np.ndarray,
) -> tuple[Bundles, np.ndarray]:
    """The bundles that each piece uses, and the links of its arcs. arc: int64[A], the old arcs, -1 for new ones; of: the sentence of each piece."""
    new_links = np.where((arc >= 0)[:, None], links[arc], np.int32(-1))
    used = np.empty(int((new_links >= 0).sum()), np.int32)
    first_use = np.zeros(first.size + 1, np.int64)
    longest = int(np.diff(bundles.first_use).max(initial=0))
    count = number_uses(
        new_links,
        first_arc,
        first,
        last,
        bundles.first_use[of],
        bundles.used,
        used,
        first_use,
        np.full((2, longest), -1),
    )
    return bundles._replace(first_use=first_use, used=used[:count]), new_links


@kernel
def number_uses(links, first_arc, first, last, base, used, used_out, first_use, place):
    """Give the uses of each piece new positions, in ``links`` itself; return their number.

    links: int32[A, K], positions in the list of the sentence, which begins at ``base`` (int64[S]). Fills used_out (int32) and first_use
    (int64[S + 1]). place: int64[2, longest list], -1: the new position of each use, and the last piece that has it.
    """
    count = 0
    for i in range(first.size):
        first_use[i] = count
        for a in range(first_arc[first[i]], first_arc[last[i]]):
            for k in range(links.shape[1]):
                u = links[a, k]
                if u < 0:
                    continue
                if place[1, u] != i:
                    place[0, u], place[1, u] = count - first_use[i], i
                    used_out[count] = used[base[i] + u]
                    count += 1
                links[a, k] = place[0, u]
    first_use[first.size] = count
    return count
