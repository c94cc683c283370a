"""Borders that are finer than superpixels: a classifier of the pixels near them."""
