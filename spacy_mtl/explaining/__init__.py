"""Why a model decides as it does: for each decision the best analysis without it, and the features that make the difference."""
