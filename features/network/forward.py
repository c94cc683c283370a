"""One pass of a network over an image, and the maps of its layers sampled at superpixels."""

from __future__ import annotations

from dataclasses import dataclass

from segboost._types import Float32Array
from segboost.features.image_context import ImageContext
from segboost.features.network.inputs import ANY_PIXELS, MOST_PIXELS, input_size, network_input
from segboost.features.network.runtime import fixed_size, run_network
from segboost.features.network.sampling import Grid, PixelOrder, sample_centres, sample_mean
from segboost.features.network.source import BuiltinNetwork, NetworkSource
from segboost.features.network.tiled_pass import run_in_tiles

STRIDE = 32
"""The coarsest stride of usual convolutional networks."""
Sampled = dict[str, Float32Array]


@dataclass(frozen=True)
class ForwardPass:
    """A network with the settings of its input and its outputs.

    Parameters
    ----------
    source : NetworkSource
    mean, std : tuple of 3 floats
        The input is ``(x − mean) / std``, x being RGB in [0, 1].
    patch : int or None
        The side of a transformer's patches in pixels; None for convolutional networks.
    skip_tokens : int
        The number of tokens before the patch tokens: class and register tokens.
    """

    source: NetworkSource
    mean: tuple[float, ...]
    std: tuple[float, ...]
    patch: int | None = None
    skip_tokens: int = 1

    def sample(self, context: ImageContext, scale: float, layers: tuple[str, ...]) -> Sampled:
        """Return the layers of the image at a scale, sampled at superpixels, (P, C) each."""
        height, width = context.labels.shape
        multiple = STRIDE if self.patch is None else self.patch
        size = fixed_size(self.source, layers)
        if size is not None and scale != 1:
            raise ValueError(
                f"scales: the network only takes inputs of {size[0]} × {size[1]}, so the only "
                f"scale is 1, got {scale:g}"
            )
        # A network of tokens sees its whole input at once and cannot run in tiles.
        in_tiles = context.page is not None and size is None and self.patch is None
        most = ANY_PIXELS if in_tiles else MOST_PIXELS
        size = size or input_size((height, width), scale, multiple, most)
        image = network_input(context.rgb, size, self.mean, self.std)
        found = (run_in_tiles if in_tiles else run_network)(self.source, layers, image)
        maps = {name: self.as_map(values, size, name) for name, values in found.items()}
        if isinstance(self.source, BuiltinNetwork):
            kept = {(scale, name): m for name, m in maps.items()}
            context.maps |= {key: m for key, m in kept.items() if key in context.keep_maps}
        return {name: sample_map(values, context) for name, values in maps.items()}

    def as_map(self, values: Float32Array, size: tuple[int, int], name: str) -> Float32Array:
        """Return the output of a layer as a map, shape (C, h, w); ValueError if it is not one."""
        if values.ndim == 4 and values.shape[0] == 1:
            return values[0]
        if values.ndim != 3 or values.shape[0] != 1:
            raise ValueError(
                f"layers: expected {name!r} to be a map (1, C, h, w) or tokens (1, T, C), "
                f"got shape {values.shape}"
            )
        if self.patch is None:
            raise ValueError(
                f"patch: {name!r} are tokens; give the side of their patches in pixels"
            )
        rows, columns = size[0] // self.patch, size[1] // self.patch
        tokens = values.shape[1]
        if tokens != rows * columns + self.skip_tokens:
            raise ValueError(
                f"skip_tokens: expected {rows} × {columns} tokens of {name!r} and "
                f"{self.skip_tokens} before them, got {tokens} in all"
            )
        return values[0, self.skip_tokens :].T.reshape(-1, rows, columns)


def sample_map(values: Float32Array, context: ImageContext) -> Float32Array:
    """Return a map that covers the image, sampled at its superpixels, shape (P, C).

    The mean over a superpixel if cells are smaller than the average superpixel, else the value at
    its centre.
    """
    height, width = context.labels.shape
    _, rows, columns = values.shape
    down = Grid(rows, 0.5 * height / rows, height / rows)
    across = Grid(columns, 0.5 * width / columns, width / columns)
    if rows * columns <= context.expected_count:
        return sample_centres(values, down, across, context.centres)
    order = context.cached("pixel order", lambda: PixelOrder.of(context.labels, context.area))
    return sample_mean(values, down, across, order, width)
