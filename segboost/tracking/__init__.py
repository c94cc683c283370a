"""Trackers: given a box in the first frame, they return a box and a confidence per frame."""
