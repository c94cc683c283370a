"""Predictions for all images of a folder as files."""
