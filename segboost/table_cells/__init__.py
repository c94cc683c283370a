"""Cells of tables: dates and decorated numbers that are written as text."""
