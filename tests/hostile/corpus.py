"""Unusual and broken images and masks, grouped by their expected outcome."""

from __future__ import annotations

import io
import os
import struct
import zlib

import numpy as np
from PIL import Image

HEIGHT, WIDTH = 48, 64
PIXELS = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)


def encoded(image, **options):
    data = io.BytesIO()
    image.save(data, **options)
    return data.getvalue()


def picture(mode="RGB"):
    return Image.fromarray(PIXELS).convert(mode)


def bomb(width, height):
    """Return a PNG whose header claims a size that its data do not have."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )


def rotated():
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(picture(), format="JPEG", exif=exif)


def animated():
    frames = [
        picture(),
        Image.new("RGB", (WIDTH, HEIGHT)),
        Image.new("RGB", (WIDTH, HEIGHT), "red"),
    ]
    return encoded(frames[0], format="GIF", save_all=True, append_images=frames[1:])


PNG = encoded(picture(), format="PNG")
JPEG = encoded(picture(), format="JPEG")
WIDE = Image.fromarray(PIXELS[..., 0].astype(np.uint16) * 257)

GOOD = {
    "plain.png": PNG,
    "wrong_ending.jpg": PNG,
    "animated.gif": animated(),
    "cmyk.jpg": encoded(picture("CMYK"), format="JPEG"),
    "wide.png": encoded(WIDE, format="PNG"),
    "one_bit.png": encoded(picture("1"), format="PNG"),
    "grey.png": encoded(picture("L"), format="PNG"),
    "palette.png": encoded(picture("P"), format="PNG"),
    "alpha.png": encoded(picture("RGBA"), format="PNG"),
    "rotated.jpg": rotated(),
    "one_pixel.png": encoded(Image.new("RGB", (1, 1)), format="PNG"),
    "one_row.png": encoded(Image.new("RGB", (40, 1)), format="PNG"),
    "with space.png": PNG,
    "ünï\u4e2d.png": PNG,
    "new\nline.png": PNG,
    "-dash.png": PNG,
    f"{'long' * 62}.png": PNG,
}
"""Images that can be segmented, by name."""

BAD = {
    "cut.png": (PNG[: len(PNG) // 2], "broken image"),
    "cut_header.png": (PNG[:20], "broken|not an image"),
    "cut_jpeg.jpg": (JPEG[: len(JPEG) // 2], "broken image"),
    "zero.png": (b"", "the file is empty"),
    "text.png": (b"I am no image\n" * 100, "not an image"),
    "zeros.png": (bytes(5000), "not an image"),
    "bomb.png": (bomb(60_000, 60_000), "limit"),
    "huge_bomb.png": (bomb(2**31 - 1, 2**31 - 1), "limit|broken"),
    "no_pixels.png": (bomb(0, 0), "broken|not an image"),
    "bad\nname.png": (b"nothing", "not an image"),
}
"""Bytes and a regular expression for the message, by name."""


def write(folder):
    """Write the corpus, including broken links, a pipe and a name that is not UTF-8."""
    folder.mkdir()
    for name, data in GOOD.items():
        (folder / name).write_bytes(data)
    for name, (data, _) in BAD.items():
        (folder / name).write_bytes(data)
    (folder / "loop.png").symlink_to("loop.png")
    (folder / "nowhere.png").symlink_to("none")
    os.mkfifo(folder / "pipe.png")
    with open(os.fsencode(folder) + b"/\xff\xfe.png", "wb") as file:
        file.write(PNG)
    return folder


SPECIAL = {
    "loop.png": "symbolic links",
    "nowhere.png": "no such file",
    "pipe.png": "pipe",
}
