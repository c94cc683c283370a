"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import zlib
from pathlib import Path


def write_whole(path: Path, data: bytes) -> Path:
    """Write to a temporary name beside the file, then rename it into place; return the path."""
    # A digest, since the name itself may be as long as names can be.
    temporary = path.with_name(f".{zlib.crc32(os.fsencode(path.name)):08x}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
