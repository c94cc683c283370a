"""Drawn digits as the coordinates of eight points of a pen stroke, in any number of rows."""

from __future__ import annotations

import numpy as np

_STROKES = [
    "50,99 15,75 5,40 30,2 70,5 95,40 85,80 50,99",
    "30,75 45,88 60,99 58,80 55,60 52,40 50,20 48,0",
    "10,75 40,99 85,80 75,50 40,25 5,2 50,8 99,4",
    "10,90 60,99 85,75 45,55 85,35 80,10 40,0 5,12",
    "60,99 30,65 5,35 50,35 99,38 70,70 65,35 60,0",
    "90,99 30,97 20,65 65,62 90,35 70,8 35,0 5,12",
    "75,99 35,75 8,35 35,2 80,10 85,40 45,48 12,25",
    "5,92 50,95 99,99 75,70 60,45 50,30 42,15 35,0",
    "75,85 35,99 20,70 60,50 85,20 45,0 15,20 75,85",
    "85,75 50,99 15,75 40,50 85,70 80,40 65,15 55,0",
]


def pen_strokes(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates, shape (n, 16), and the digits, shape (n,).

    Every stroke is turned, slanted, stretched and bent at random, then scaled to 0 … 100, as in
    the pen-digits data set, which it replaces.
    """
    rng = np.random.default_rng(seed)
    shapes = np.array([[p.split(",") for p in s.split()] for s in _STROKES], dtype=float)
    y = np.arange(n) % 10
    points = shapes[y] - 50
    angle, slant = rng.normal(0, 0.25, n), rng.normal(0, 0.3, n)
    turn = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], 1)
    points = points @ turn.reshape(n, 2, 2)
    points[:, :, 0] += slant[:, None] * points[:, :, 1]
    bends = rng.normal(0, 14, (n, 10, 2))
    points = points + (bends[:, :8] + bends[:, 1:9] + bends[:, 2:]) / np.sqrt(3)
    low, high = points.min(axis=1, keepdims=True), points.max(axis=1, keepdims=True)
    return np.round(100 * (points - low) / (high - low)).reshape(n, 16), y
