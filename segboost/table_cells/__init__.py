"""Checks of table cells: dates, times, numbers written as text, and class labels."""
