"""Search over the whole corpus with a trained model."""
