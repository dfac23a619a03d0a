"""Online trainers with averaged weights: the structured perceptron and MIRA."""

from .mira import MIRA, mira
from .perceptron import Perceptron, perceptron

__all__ = ["MIRA", "Perceptron", "mira", "perceptron"]
