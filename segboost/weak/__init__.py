"""Weak learners: one protocol, several implementations, one binning, shared histogram kernels."""
