"""Lemmas as edits of word forms: what turns a form into its lemma, which forms that applies to, and the lemmas of known words."""
