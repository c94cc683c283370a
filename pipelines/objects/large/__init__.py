"""Objects of pages that do not fit into memory: found by bands of rows, measured by windows."""
