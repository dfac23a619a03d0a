"""Sums over the label sequences of many sentences at a temperature: marginals, probabilities of spans and of whole sequences, and losses."""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.chain.sums.marginals import log_partition, log_space_marginals
from spacy_mtl.structures.chain.sums.scaled import FORBIDDEN_BELOW, backward, forward
from spacy_mtl.structures.chain.viterbi import NEVER, output_score


@kernel
def cool(scores, temperature, out):
    """Set out to scores / temperature, float32 of any one shape, as long lists; what is forbidden stays so."""
    for k in range(scores.size):
        out[k] = scores[k] / temperature if scores[k] > FORBIDDEN_BELOW else scores[k]


@kernel
def walk_span(start, end, kind, kinds, goes_on, emit, alpha, factors, node_out):
    """The probability that [start, end) is a span of this kind, from the sums of :func:`.forward` and :func:`.backward` over a sentence.

    kinds, goes_on: as of :class:`.Segments`. In ``alpha`` the prefixes have been divided by the largest at each position, so what is summed here is
    divided by the same numbers. node_out / alpha is what follows a label, relative to all.
    """
    n, n_labels = emit.shape
    now, after = np.zeros(n_labels), np.zeros(n_labels)
    for y in range(n_labels):
        now[y] = alpha[0, y] if start == 0 and kinds[y] == kind else 0.0
    for t in range(max(start, 1), min(end + 1, n)):
        k = 0 if factors.shape[0] == 1 else t
        top, size = 0, 0.0
        for y in range(n_labels):
            if alpha[t, y] > alpha[t, top]:
                top = y
        for x in range(n_labels):
            size += alpha[t - 1, x] * factors[k, x, top]
        size *= emit[t, top]
        for y in range(n_labels):
            total = 0.0
            for x in range(n_labels):
                before = alpha[t - 1, x] if t == start else now[x]
                inside = t > start and t < end
                if goes_on[x, y] == inside and (t == end or kinds[y] == kind):
                    total += before * factors[k, x, y]
            after[y] = total * emit[t, y] / size * alpha[t, top]
        now[:] = after
    last = min(end, n - 1)
    found = 0.0
    for y in range(n_labels):
        if alpha[last, y] > 0:
            found += now[y] * (node_out[last, y] / alpha[last, y])
    return min(found, 1.0)


@kernel
def walk_span_in_logs(start, end, kind, kinds, goes_on, nodes, pairs, alpha, node_out):
    """:func:`walk_span` for any scores: ``alpha`` has the logs of the sums over prefixes, as :func:`.log_space_marginals` fills it."""
    n, n_labels = nodes.shape
    now, after = np.full(n_labels, -np.inf), np.empty(n_labels)
    for y in range(n_labels):
        if start == 0 and kinds[y] == kind:
            now[y] = alpha[0, y]
    for t in range(max(start, 1), min(end + 1, n)):
        k = 0 if pairs.shape[0] == 1 else t
        inside = t > start and t < end
        before = alpha[t - 1] if t == start else now
        for y in range(n_labels):
            top, total = -np.inf, 0.0
            if t == end or kinds[y] == kind:
                for x in range(n_labels):
                    if goes_on[x, y] == inside:
                        top = max(top, before[x] + pairs[k, x, y])
            if top > -np.inf:
                for x in range(n_labels):
                    if goes_on[x, y] == inside:
                        total += np.exp(before[x] + pairs[k, x, y] - top)
            after[y] = nodes[t, y] + top + np.log(total) if total > 0 else -np.inf
        now[:] = after
    last = min(end, n - 1)
    found = 0.0
    for y in range(n_labels):
        found += np.exp(now[y] - alpha[last, y]) * node_out[last, y]
    return min(found, 1.0)


@kernel
def sum_sequences(
    starts, nodes, pairs, temperature, labels, first_span, spans, kinds, goes_on, marginals, log_probabilities, of_spans
):  # fmt: skip
    """Fill the probabilities of labels, of the predicted sequences and of their spans.

    starts, nodes, pairs, labels: as of :class:`.Considered`. first_span: int64[S + 1], the spans of each sentence among spans, int64[K, 3] (start and
    end among all positions, and kind). marginals: float32[N, L]; log_probabilities: float64[S], 0 for a sentence without positions;
    of_spans: float32[K].
    """
    n_labels, longest = nodes.shape[1], 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    observed = pairs.shape[0] > 1
    n_pairs = longest if observed else 1
    cool_nodes, cool_pairs = (
        np.empty((longest, n_labels), np.float32),
        np.empty((n_pairs, n_labels, n_labels), np.float32),
    )
    emit, alpha = np.empty((longest, n_labels)), np.empty((longest, n_labels))
    factors, pair_out = np.empty((n_pairs, n_labels, n_labels)), np.empty((n_pairs, n_labels * n_labels))
    node_out = np.empty((longest, n_labels))
    if not observed:
        cool(pairs.reshape(-1), temperature, cool_pairs.reshape(-1))
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        n = b - a
        log_probabilities[s] = 0.0
        if n == 0:
            continue
        k = n if observed else 1
        cool(nodes[a:b].reshape(-1), temperature, cool_nodes[:n].reshape(-1))
        if observed:
            cool(pairs[a:b].reshape(-1), temperature, cool_pairs[:n].reshape(-1))
        fine, log_z = forward(cool_nodes[:n], cool_pairs[:k], emit[:n], alpha[:n], factors[:k])
        fine = fine and backward(emit[:n], alpha[:n], factors[:k], node_out[:n], pair_out[:k])
        if not fine:
            log_z = log_space_marginals(
                cool_nodes[:n], cool_pairs[:k], alpha[:n], factors[:k], node_out[:n], pair_out[:k]
            )
        log_probabilities[s] = min(output_score(cool_nodes[:n], cool_pairs[:k], labels[a:b]) - log_z, 0.0)
        for t in range(n):
            for y in range(n_labels):
                marginals[a + t, y] = node_out[t, y]
        for c in range(first_span[s], first_span[s + 1]):
            start, end, kind = spans[c, 0] - a, spans[c, 1] - a, spans[c, 2]
            if fine:
                of_spans[c] = walk_span(
                    start, end, kind, kinds, goes_on, emit[:n], alpha[:n], factors[:k], node_out[:n]
                )
            else:
                of_spans[c] = walk_span_in_logs(
                    start, end, kind, kinds, goes_on, cool_nodes[:n], cool_pairs[:k], alpha[:n], node_out[:n]
                )


@kernel
def sequence_losses(starts, nodes, pairs, temperature, gold, losses):
    """Set losses, float64[S], to the log losses of gold sequences (int32[N]), nan where gold is not known (-1 somewhere) or forbidden.

    Other arguments as in :func:`sum_sequences`.
    """
    n_labels = nodes.shape[1]
    observed = pairs.shape[0] > 1
    shared = np.empty(pairs.shape if not observed else (1, 1, 1), np.float32)
    if not observed:
        cool(pairs.reshape(-1), temperature, shared.reshape(-1))
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        n = b - a
        losses[s] = np.nan
        known = n > 0
        for t in range(a, b):
            known &= gold[t] >= 0
        if not known:
            continue
        own = np.empty((n, n_labels), np.float32)
        cool(nodes[a:b].reshape(-1), temperature, own.reshape(-1))
        steps = np.empty((n if observed else 1, n_labels, n_labels), np.float32)
        if observed:
            cool(pairs[a:b].reshape(-1), temperature, steps.reshape(-1))
        else:
            steps[:] = shared
        score = output_score(own, steps, gold[a:b])
        if score > NEVER:
            log_z = log_partition(own, steps, np.empty((n, n_labels)), np.empty(steps.shape))
            losses[s] = max(log_z - score, 0.0)
