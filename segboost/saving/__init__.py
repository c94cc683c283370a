"""Saving and loading of every fitted estimator: the registry and its packers."""
