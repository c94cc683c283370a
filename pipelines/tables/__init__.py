"""Fitting and predicting on tables."""
