"""Tracking a target through a video."""
