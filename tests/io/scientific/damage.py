"""Helpers that damage TIFF files."""

from __future__ import annotations

import struct

WIDTH, HEIGHT, COMPRESSION = 256, 257, 259


def set_tags(path, tags, value):
    """Change tags in the first directory of a small TIFF file, as 32-bit values."""
    content = bytearray(path.read_bytes())
    start = struct.unpack_from("<I", content, 4)[0]
    for n in range(struct.unpack_from("<H", content, start)[0]):
        at = start + 2 + 12 * n
        if struct.unpack_from("<H", content, at)[0] in tags:
            struct.pack_into("<HIi", content, at + 2, 4, 1, value)
    path.write_bytes(content)


def state_pages(path, found, stated):
    """Make an OME-TIFF file state a number of pages that it does not have."""
    content = path.read_bytes()
    for name in (b"SizeZ", b"PlaneCount"):
        content = content.replace(name + b'="%d"' % found, name + b'="%d"' % stated)
    path.write_bytes(content)
