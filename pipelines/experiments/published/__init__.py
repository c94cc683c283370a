"""Figures of the paper and of others, to compare with."""
