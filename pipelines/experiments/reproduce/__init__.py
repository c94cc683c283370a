"""The experiments themselves, one module for each."""
