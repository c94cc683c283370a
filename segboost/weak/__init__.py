"""Weak learners: one contract, four implementations, one binning and histogram kernel."""
