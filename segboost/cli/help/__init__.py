"""Examples and placeholders for values, which ``--help`` prints in addition to docstrings."""
