"""Potentials of superpixels and of pairs of superpixels."""
