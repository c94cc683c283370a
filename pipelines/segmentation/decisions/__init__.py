"""From scores to labels and probabilities; `class_…`: for several classes."""
