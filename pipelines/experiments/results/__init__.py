"""How results are shown: tables, learning curves, intervals and files."""
