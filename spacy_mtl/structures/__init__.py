"""What can be predicted: structures behind one contract."""
