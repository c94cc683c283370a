"""From scores to labels and probabilities."""
