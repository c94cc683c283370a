"""Segmenting scientific and large images: pages, tiles, objects, TIFF files."""
