"""The port and token of a folder's server, kept so that an open page finds it after a restart."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from segboost.storage.whole_file import write_whole

NAME = "address.json"
TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


@dataclass(frozen=True)
class Address:
    """The port and token of a server; port 0 means any free port."""

    port: int
    token: str


def new_address() -> Address:
    """Return an address with a new random token."""
    return Address(0, secrets.token_urlsafe(24))


def read_address(work: Path) -> Address:
    """Return the address that was kept, or a new one if the file is missing or not private.

    A file that others could have read or written is not trusted.
    """
    try:
        descriptor = os.open(work / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return new_address()
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_mode & 0o077:
            return new_address()
        if status.st_uid != os.geteuid():
            return new_address()
        with contextlib.suppress(ValueError, TypeError, KeyError):
            kept = json.loads(file.read(1000))
            port, token = kept["port"], kept["token"]
            valid = isinstance(port, int) and 0 < port < 65536 and TOKEN.fullmatch(token)
            if valid:
                return Address(port, token)
    return new_address()


def keep_address(work: Path, address: Address) -> None:
    """Save an address in a file that only its owner can read."""
    kept = json.dumps({"port": address.port, "token": address.token})
    write_whole(work / NAME, kept.encode(), private=True)
