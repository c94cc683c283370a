"""Superpixels: an image cut into connected regions, and the graph of their neighbours."""
