"""Storage: atomic writes, model folders of JSON and npz, and records of output files."""
