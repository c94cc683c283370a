"""The paper's experiments and their tables."""
