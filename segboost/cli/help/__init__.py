"""What ``--help`` prints in addition to docstrings: examples and placeholders for values."""
