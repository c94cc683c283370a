"""Tracking sequences and videos."""
