"""Presets of a superpixel method and feature groups: built-in and user-defined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from segboost.features.groups.base import (
    BUILTIN,
    COLOUR,
    NEIGHBOURHOOD,
    POSITION,
    SHAPE,
    FeatureGroup,
    PatchGroup,
    WordGroup,
)
from segboost.features.groups.channels import ChannelGroup
from segboost.features.groups.user_groups import FolderGroup, FunctionGroup
from segboost.features.groups.words import Codebook
from segboost.features.network.group import NetworkGroup
from segboost.features.setting_checks import check_texts
from segboost.features.superpixels.methods import (
    GraphMerging,
    QuickShift,
    SuperpixelMethod,
    method_from_config,
    method_to_config,
)
from segboost.io.scientific.intensities import IntensityScale

PAPER_SIZES = (4, 8, 12, 16)
"""The patch sizes of the StructBoost paper, in pixels."""
DEFAULT_SIZES = (48, 96, 160, 256)
"""Patch sizes chosen on validation images; see docs/features.md."""


@dataclass(frozen=True)
class Preset:
    """A superpixel method and the feature groups that describe the superpixels.

    Parameters
    ----------
    name : str
    superpixels : SuperpixelMethod
    groups : tuple of FeatureGroup
        With distinct names. Consecutive groups of a family share its responses.
    intensities : IntensityScale, optional
        Conversion of files of other depths than 8 bits, learned from the training images.
    """

    name: str
    superpixels: SuperpixelMethod
    groups: tuple[FeatureGroup, ...]
    intensities: IntensityScale | None = None

    def __post_init__(self) -> None:
        names = [group.name for group in self.groups]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"groups: expected distinct names, got {twice[0]!r} twice")

    @property
    def largest_patch(self) -> int:
        """The largest patch size of all groups in pixels, at least 4."""
        return max((g.size for g in self.groups if isinstance(g, PatchGroup)), default=4)

    @property
    def n_further(self) -> int:
        """The number of channels beyond three that the groups need."""
        return sum(g.count for g in self.groups if isinstance(g, ChannelGroup))

    def with_intensities(self, scale: IntensityScale) -> Preset:
        """Return the preset for images under this scale, with a group for further channels."""
        groups = tuple(g for g in self.groups if not isinstance(g, ChannelGroup))
        if scale.n_further:
            groups += (ChannelGroup(scale.n_further),)
        return replace(self, groups=groups, intensities=scale)

    @property
    def needs_codebook(self) -> bool:
        """Whether any group of visual words lacks a codebook."""
        return any(isinstance(g, WordGroup) and g.codebook is None for g in self.groups)

    def with_codebook(self, codebook: Codebook) -> Preset:
        """Return the preset with this codebook set in its groups of visual words."""
        groups = tuple(
            replace(g, codebook=codebook) if isinstance(g, WordGroup) else g for g in self.groups
        )
        return replace(self, groups=groups)

    def with_groups(self, *groups: FeatureGroup) -> Preset:
        """Return the preset with more groups appended."""
        return replace(self, groups=self.groups + groups)

    def only(self, *names: str) -> Preset:
        """Return the preset with only the named groups, in its own order."""
        unknown = sorted(set(names) - {group.name for group in self.groups})
        if unknown:
            known = ", ".join(group.name for group in self.groups)
            raise ValueError(
                f"groups: preset {self.name} has no group {unknown[0]!r}; it has {known}"
            )
        return replace(self, groups=tuple(g for g in self.groups if g.name in names))

    def to_key(self) -> dict[str, Any]:
        """Return the settings that features depend on, for the keys of artefacts.

        `classic` was called `default` in earlier versions and keeps that name here, so that its
        caches are still found.
        """
        config = self.to_config()
        if self.n_further:
            # Superpixels compare all channels; earlier versions compared only the colours.
            config["compared"] = "all channels"
        return {**config, "name": "default" if self.name == "classic" else self.name}

    def to_config(self) -> dict[str, Any]:
        """Return the preset as JSON values, without codebooks."""
        config = {
            "name": self.name,
            "superpixels": method_to_config(self.superpixels),
            "groups": [group.to_config() for group in self.groups],
        }
        if self.intensities is not None:
            config["intensities"] = self.intensities.to_dict()
        return config


def fourteen_groups(sizes: tuple[int, ...]) -> tuple[FeatureGroup, ...]:
    """Return visual words, colour, and GIST, LBP and HOG at the given patch sizes."""
    patches = [
        PatchGroup(kind, size, min(sizes)) for kind in ("gist", "lbp", "hog") for size in sizes
    ]
    return (WordGroup(), COLOUR, *patches)


MORE_GROUPS: tuple[FeatureGroup, ...] = (
    WordGroup(steps=4),
    POSITION,
    NEIGHBOURHOOD,
    SHAPE,
)
"""The groups of `classic` in addition to the 14."""

PAPER = Preset("paper", QuickShift(), fourteen_groups(PAPER_SIZES))
CLASSIC = Preset(
    "classic",
    GraphMerging(),
    (*fourteen_groups(DEFAULT_SIZES), *MORE_GROUPS),
)
LAYERS = ("stage2", "stage3", "stage5", "stage6")
"""Layers of the built-in network, chosen on validation images; see docs/features.md."""
DEFAULT = Preset(
    "default",
    GraphMerging(),
    (
        NetworkGroup("network", LAYERS, (2.0, 1.0, 0.5)),
        *(COLOUR, POSITION, NEIGHBOURHOOD, SHAPE),
    ),
)
FAST = Preset(
    "fast",
    GraphMerging(),
    (NetworkGroup("network", LAYERS, (1.0, 0.5)), COLOUR, POSITION),
)
PRESETS: Mapping[str, Preset] = {p.name: p for p in (DEFAULT, FAST, CLASSIC, PAPER)}


def find_preset(preset: str | Preset | Mapping[str, Any]) -> Preset:
    """Return a preset by name or from its configuration; ValueError lists the known ones."""
    if isinstance(preset, Preset):
        return preset
    if isinstance(preset, Mapping):
        return preset_from_config(preset)
    if preset not in PRESETS:
        raise ValueError(f"preset: expected {', '.join(PRESETS)} or an object, got {preset!r}")
    return PRESETS[preset]


def preset_from_config(config: Mapping[str, Any]) -> Preset:
    """Return the preset that `Preset.to_config` or a user wrote.

    ``"base"`` names a preset to start from: its superpixels are used unless ``"superpixels"`` is
    given, and ``"groups"`` are added to its groups.

    A group given as ``{"kind": "function", "function": "package.module:function"}`` is imported
    when it is first computed; call `refuse_imports` first if the configuration is not your own.
    """
    known = {"name", "base", "superpixels", "groups", "intensities"}
    unknown = sorted(set(map(str, config)) - known)
    if unknown:
        raise ValueError(
            f"preset: expected the keys name, base, superpixels and groups, got {unknown[0]!r}"
        )
    base = find_preset(str(config["base"])) if "base" in config else None
    for key, kind in (("superpixels", Mapping), ("groups", list | tuple)):
        if (base is None or key in config) and not isinstance(config.get(key), kind):
            expected = "an object" if kind is Mapping else "a list"
            raise ValueError(f"preset: expected {key!r} to be {expected}, got {config.get(key)!r}")
    groups = tuple(group_from_config(entry) for entry in config.get("groups", ()))
    own = config.get("superpixels")
    return Preset(
        name=str(config.get("name", "custom")),
        superpixels=base.superpixels if base and own is None else method_from_config(own or {}),
        groups=groups if base is None else base.groups + groups,
        intensities=(
            IntensityScale.from_dict(config["intensities"]) if "intensities" in config else None
        ),
    )


def group_from_config(entry: Mapping[str, Any]) -> FeatureGroup:
    """Return a group from its configuration; ValueError if it is invalid."""
    if not isinstance(entry, Mapping):
        raise ValueError(f"group: expected an object, got {entry!r}")
    options = dict(entry)
    kind = options.pop("kind", None)
    makers: dict[str, Any] = {
        "channels": ChannelGroup,
        "function": FunctionGroup,
        "folder": FolderGroup,
        "network": NetworkGroup,
        "words": WordGroup,
    }
    if "names" in options:
        options["names"] = check_texts(options["names"], "names")
    if kind in ("function", "folder"):
        check_texts([options.get("name"), options.get(kind)], f"group of kind {kind!r}")
    if not isinstance(kind, str):
        raise ValueError(f"group: expected a kind, got {str(kind)[:100]}")
    try:
        if kind in BUILTIN and not options:
            return BUILTIN[kind]
        if kind in ("hog", "lbp", "gist"):
            return PatchGroup(kind, **options)
        if kind in makers:
            group: FeatureGroup = makers[kind](**options)
            return group
    except TypeError as error:
        raise ValueError(f"group of kind {kind!r}: {error}") from None
    known = ", ".join((*BUILTIN, "hog", "lbp", "gist", *makers))
    raise ValueError(f"group: expected a kind among {known}, got {dict(entry)}")
