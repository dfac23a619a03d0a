"""What people are told of a trained model: is it true?"""
