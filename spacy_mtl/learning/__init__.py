"""From a gathered corpus to a problem, and from its weights to a model."""
