"""Loaders and synthetic data (imported as segboost.datasets)."""
