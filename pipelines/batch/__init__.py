"""Segmenting many images into a folder."""
