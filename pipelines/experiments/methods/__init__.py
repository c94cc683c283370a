"""The methods that are compared on tables."""
