"""Scores of segmentations over pixels."""
