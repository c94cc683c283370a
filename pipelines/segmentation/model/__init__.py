"""A trained segmenter, what it consists of, and its files."""
