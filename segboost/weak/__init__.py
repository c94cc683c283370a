"""Weak learners: one protocol, six implementations, one binning and one histogram kernel."""
