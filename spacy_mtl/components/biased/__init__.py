"""A bias on what a component finds: more of it or less, without training anew."""
