"""A trained segmenter, its parts and its files; `class_…`: for several classes."""
