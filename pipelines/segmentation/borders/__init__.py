"""Refinement of borders: a classifier of the pixels near them; `class_…`: for several classes."""
