"""Gradient-boosted trees over columns of bytes."""
