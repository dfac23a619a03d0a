"""What a trained component is, and how it predicts."""
