"""Template weights mu, computed anew from the block norms of w = C mu V(M) by the variational formula of the norm."""

import numpy as np

from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.shared.frank_wolfe import TemplateWeights

from .norms import block_norm, dual_norm_weights
from .settings import MTLStructSettings

#: Lower bound on template weights, as a share of their sum; it decreases with the passes. Below a tenth of it, a template is no longer looked up.
FLOOR = LIVE / 2


def reestimated(
    settings: MTLStructSettings,
    mu: np.ndarray,
    norms: np.ndarray,
    selector: TemplateWeights,
    filled: np.ndarray,
    passes: int,
) -> np.ndarray:
    """The new mu, float64[T + Tp]; ``mu`` itself if it does not change: at p = 2, and while w is 0.

    norms: ||w_j||, float64[T + Tp]. selector: used at p = 1. filled: bool[T + Tp], whether each template has any feature. passes: so far.
    """
    p = settings.p
    if p == 2 or not norms.any():
        return mu
    pull = np.divide(norms, mu, out=np.zeros_like(mu), where=mu > 0) / settings.C
    if p == 1:
        new = selector.update(pull, FLOOR / max(1.0, passes / 10) ** 2)
        new[new < FLOOR / 10] = 0.0  # they come back where all templates are looked up again
        return new
    if p < 2:
        return np.maximum((norms / block_norm(norms, p)) ** (2 - p), 1e-12)
    return np.where(filled, dual_norm_weights(np.maximum(pull, 1e-12 * pull.max()), p), 0.0)


def shown_weights(mu: np.ndarray, p: float) -> np.ndarray:
    """Template weights as others see them, who count a template as dropped whose share of their sum is at most LIVE. float64[T + Tp].

    For p > 2, mu_j is the larger the smaller w_j is, without bound: a single template that pulls hardly at all would have nearly all of the sum, and
    those that matter would count as dropped. So none is shown as so large that the share of the smallest is less than 2 * LIVE.
    """
    if p <= 2 or not mu.any():
        return mu
    return np.minimum(mu, mu[mu > 0].min() / (2 * LIVE * mu.size))
