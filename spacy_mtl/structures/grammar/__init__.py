"""Weighted context-free grammars: binarized trees over a sentence, as derivations in a packed forest of labelled spans and anchored rules."""
