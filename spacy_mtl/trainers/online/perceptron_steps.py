"""The structured perceptron (Collins 2002, Figure 2)."""

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import add_offset, decode, new_work, output_loss, output_offset, score_parts
from spacy_mtl.trainers.shared.averaging import learn_output


@kernel
def perceptron_pass(arrays, state, live, order, margin):
    """Decode each sentence of ``order`` and, if the output has a loss, add Phi(gold) - Phi(output) to w. Returns the sum of the losses.

    state: :class:`.averaging.Average`. live: all templates. order: int64[k]. margin: whether decoding is loss-augmented.
    """
    work = new_work(arrays)
    total = 0.0
    for i in order:
        score_parts(arrays, state.w, live, i, work)
        if not margin:
            add_offset(arrays, i, work, 1.0)
        decode(arrays, i, work, margin)
        loss = output_loss(arrays, i, work) - output_offset(arrays, i, work)
        if loss > 0:
            learn_output(arrays, state, i, work, 1.0)
            total += loss
        state.seen[0] += 1
    return total
