"""Numbers that several parts of the package must agree on."""

#: A template counts as live above this share of all template weights.
LIVE = 1e-5
