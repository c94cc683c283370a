"""Segmentation into several classes: our methods beside published ones."""
