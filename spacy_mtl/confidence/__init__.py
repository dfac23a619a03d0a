"""How sure a model is: probabilities of decisions, the k best analyses, and the calibration that makes scores probabilities."""
