"""Synthetic data drawn from a seed: scenes, graphs and tracking sequences."""
