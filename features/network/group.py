"""Feature groups that are maps of a pretrained network, sampled at superpixels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from segboost._types import Float32Array
from segboost.features.groups.base import Range
from segboost.features.image_context import ImageContext
from segboost.features.network import efficientnet
from segboost.features.network.forward import ForwardPass, Sampled
from segboost.features.network.source import (
    BUILTIN,
    BuiltinNetwork,
    NetworkFile,
    NetworkSource,
    file_digest,
)
from segboost.features.network.weights import read_weights

DEVIATIONS = 5.0
"""The uint8 range of a built-in channel: this many deviations on either side of its mean."""
_HALF = (0.5, 0.5, 0.5)


@dataclass(frozen=True)
class NetworkGroup:
    """Layers of a network, computed on the image at one or more scales.

    The columns are, scale by scale and layer by layer, the channels. Groups of one preset that
    use the same network at the same scale share one pass over the image.

    Parameters
    ----------
    name : str
    layers : tuple of str
        Of the built-in network: ``stem``, ``stage1`` … ``stage7``, ``head``. Of a file: names of
        tensors in its graph, outputs or not.
    scales : tuple of float
        2 doubles the sides of the image, for finer maps.
    network : str
        The built-in network; ignored if a file is given.
    file : str, optional
        An ONNX file.
    sha256 : str, optional
        Checksum that the file must have; kept in model folders.
    mean, std : tuple of 3 floats
        The input is ``(x − mean) / std``, x being RGB in [0, 1].
    patch : int, optional
        The side of a transformer's patches in pixels, if layers are tokens.
    skip_tokens : int
        The number of tokens before the patch tokens: class and register tokens.

    Examples
    --------
    >>> NetworkGroup("deep", layers=("stage5", "stage7"), scales=(1.0, 0.5)).width
    864
    """

    name: str = "network"
    layers: tuple[str, ...] = ("stage3", "stage5", "stage7")
    scales: tuple[float, ...] = (1.0,)
    network: str = BUILTIN
    file: str | None = None
    sha256: str | None = None
    mean: tuple[float, ...] = _HALF
    std: tuple[float, ...] = _HALF
    patch: int | None = None
    skip_tokens: int = 1

    def __post_init__(self) -> None:
        for name in ("layers", "scales", "mean", "std"):
            values = getattr(self, name)
            if not isinstance(values, list | tuple):
                raise ValueError(f"group {self.name!r}: {name}: expected a list, got {values!r}")
            object.__setattr__(self, name, tuple(values))
        _check(self)

    @property
    def forward(self) -> ForwardPass:
        """The network with its input and output settings; equal for groups that share a pass."""
        source: NetworkSource = BuiltinNetwork()
        if self.file is not None:
            source = NetworkFile(self.file, self.sha256 or file_digest(self.file))
        return ForwardPass(source, self.mean, self.std, self.patch, self.skip_tokens)

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the channels of all layers at all scales, shape (P, d)."""
        found = [self._sampled(context, scale) for scale in self.scales]
        values = np.concatenate([at[layer] for at in found for layer in self.layers], axis=1)
        if not np.isfinite(values).all():
            raise ValueError(f"group {self.name!r}: the network returned NaN or infinity")
        return values

    def _sampled(self, context: ImageContext, scale: float) -> Sampled:
        """Return all layers that groups of the preset need at a scale, from one pass."""
        forward = self.forward
        others = [g for g in context.groups if isinstance(g, NetworkGroup) and scale in g.scales]
        sharing = [g for g in others if g.forward == forward]
        layers = tuple(dict.fromkeys(layer for g in (*sharing, self) for layer in g.layers))
        return context.cached(
            ("network", forward, scale, layers), lambda: forward.sample(context, scale, layers)
        )

    @property
    def width(self) -> int:
        """The number of columns, for the built-in network."""
        return len(self.scales) * sum(efficientnet.LAYERS[layer][0] for layer in self.layers)

    def columns(self, width: int) -> tuple[str, ...]:
        """Return the layer, scale and channel of each column.

        For a file with several layers or scales, columns are only numbered.
        """
        if self.file is not None and len(self.layers) * len(self.scales) > 1:
            return tuple(f"channel {n:04d}" for n in range(width))
        widths = {layer: efficientnet.LAYERS[layer][0] for layer in self.layers if not self.file}
        return tuple(
            f"{layer} scale {scale:g} channel {n:03d}"
            for scale in self.scales
            for layer in self.layers
            for n in range(widths.get(layer, width))
        )

    def value_range(self) -> Range | None:
        """Return the bounds of the built-in network's channels; None for files."""
        return None if self.file is not None else builtin_range(self.layers, len(self.scales))

    def to_config(self) -> dict[str, Any]:
        """Return the settings, with the checksum of a file."""
        config: dict[str, Any] = {
            "kind": "network",
            "name": self.name,
            "layers": list(self.layers),
            "scales": list(self.scales),
        }
        if self.file is None:
            return {**config, "network": self.network}
        return {
            **config,
            "file": self.file,
            "sha256": self.sha256 or file_digest(self.file),
            "mean": list(self.mean),
            "std": list(self.std),
            "patch": self.patch,
            "skip_tokens": self.skip_tokens,
        }


@lru_cache(maxsize=16)
def builtin_range(layers: tuple[str, ...], n_scales: int) -> Range:
    """Return the bounds of these layers' channels, scale by scale, shapes (d,).

    They follow from the weights alone, so that training and prediction round in the same way.
    """
    tensors = read_weights()
    bounds = [efficientnet.channel_ranges(tensors, layer, DEVIATIONS) for layer in layers]
    low, high = (np.tile(np.concatenate(part), n_scales) for part in zip(*bounds, strict=True))
    return low, high


def _check(group: NetworkGroup) -> None:
    """Raise ValueError for invalid settings."""
    allowed = {
        "layers": ("distinct layer names", _distinct(group.layers, str)),
        "scales": (
            "at most 16 different numbers from 0.05 to 8",
            _distinct(group.scales, (int, float)) and len(group.scales) <= 16,
        ),
        "mean": ("three numbers", _three(group.mean)),
        "std": ("three numbers of at least 1e-6", _three(group.std) and min(group.std) >= 1e-6),
        "patch": ("from 1 to 4096 pixels", group.patch is None or _whole(group.patch, 1, 4096)),
        "skip_tokens": ("from 0 to 10000 tokens", _whole(group.skip_tokens, 0, 10_000)),
        "name": ("a string", isinstance(group.name, str)),
        "sha256": ("a string", group.sha256 is None or isinstance(group.sha256, str)),
        "file": ("a path", group.file is None or isinstance(group.file, str)),
    }
    for name, (expected, holds) in allowed.items():
        if not holds:
            got = getattr(group, name)
            raise ValueError(f"group {group.name!r}: {name}: expected {expected}, got {got!r}")
    if not all(0.05 <= scale <= 8 for scale in group.scales):
        raise ValueError(
            f"group {group.name!r}: scales: expected {allowed['scales'][0]}, got {group.scales!r}"
        )
    if group.file is not None:
        return
    if group.network != BUILTIN:
        raise ValueError(
            f"group {group.name!r}: network: expected {BUILTIN!r}, or a file, got {group.network!r}"
        )
    unknown = [layer for layer in group.layers if layer not in efficientnet.LAYERS]
    if unknown:
        known = ", ".join(efficientnet.LAYERS)
        raise ValueError(f"group {group.name!r}: layers: expected {known}, got {unknown[0]!r}")


def _distinct(values: tuple[Any, ...], kind: type | tuple[type, ...]) -> bool:
    return (
        len(values) > 0
        and all(isinstance(value, kind) and not isinstance(value, bool) for value in values)
        and len(set(values)) == len(values)
    )


def _three(values: tuple[Any, ...]) -> bool:
    return len(values) == 3 and all(
        isinstance(value, (int, float)) and abs(value) <= 1e6 for value in values
    )


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
