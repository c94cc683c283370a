"""Trackers: a box in the first frame, then one box and one confidence a frame."""
