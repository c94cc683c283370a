"""A trained segmenter, its parts and its files."""
