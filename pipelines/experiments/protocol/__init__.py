"""The protocol for tables: methods, random splits, single fits, and the choice of candidates."""
