"""How components learn: from a gathered corpus to a training problem, and from its weights to a model."""
