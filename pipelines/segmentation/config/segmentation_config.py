"""The validated settings of a segmentation run, with conversion to and from JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from segboost.boosting.settings import BoosterSettings
from segboost.features.groups.user_groups import refuse_imports
from segboost.features.presets import find_preset
from segboost.pipelines.segmentation.config.checks import changed_settings, check_ranges
from segboost.pipelines.segmentation.config.stage_settings import (
    BorderSettings,
    LinearSettings,
    Loss,
    Measure,
    PotentialSettings,
    UnarySettings,
)

Method = Literal["structboost", "ssvm", "trees", "adaboost", "svm"]
METHODS: tuple[Method, ...] = get_args(Method)
C_CHOICES = (2.0, 20.0, 200.0)
OLD_NAMES = {"raw_booster": "tree_booster", "booster": "context_booster"}
"""Settings that had another name in earlier versions."""

logger = logging.getLogger(__name__)


def _default_potentials() -> PotentialSettings:
    return PotentialSettings(agreement=True)


def _three_folds() -> UnarySettings:
    return UnarySettings(n_folds=3)


def _tree_booster() -> BoosterSettings:
    return BoosterSettings(n_trees=500, depth=6, learning_rate=0.07, row_share=0.4, n_columns=120)


def _context_booster() -> BoosterSettings:
    return BoosterSettings(
        n_trees=250, learning_rate=0.07, row_share=0.4, n_columns=40, min_curvature=20.0
    )


def _border_booster() -> BoosterSettings:
    return BoosterSettings(n_trees=150, n_columns=50, row_share=0.4)


HAND_MADE: dict[str, Any] = {
    "group_classifiers": True,
    "unary": UnarySettings(),
    "tree_booster": BoosterSettings(),
    "context_booster": BoosterSettings(
        n_trees=600, learning_rate=0.05, n_columns=60, min_curvature=20.0
    ),
    "linear_below": 0,
    "context_raw_columns": 0,
    "trees_in_crf": True,
    "average_folds": False,
    "mirror_images": False,
    "borders": BorderSettings(refine=False),
    "C_choices": (2.0, 20.0, 200.0, 1000.0),
    "losses": ("superpixels", "pixels"),
}
"""Settings of the presets whose features are hand-made."""
FAST: dict[str, Any] = {
    "tree_booster": BoosterSettings(n_trees=220, depth=6, row_share=0.3, n_columns=90),
    "context_booster": BoosterSettings(
        n_trees=150, depth=4, row_share=0.3, n_columns=40, min_curvature=20.0
    ),
    "context_raw_columns": 30,
    "mirror_images": False,
    "borders": BorderSettings(pixels_per_image=800, scale=1.0),
    "border_booster": BoosterSettings(n_trees=80, n_columns=50, row_share=0.4),
    "C": 20.0,
}
PRESET_SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "fast": FAST,
    "classic": HAND_MADE,
    "paper": {**HAND_MADE, "potentials": PotentialSettings(contrasts=())},
}
"""The settings of each preset that differ from those of `default`."""


@dataclass(frozen=True)
class SegmentationConfig:
    """Settings for training a segmenter.

    Parameters
    ----------
    preset : str or mapping
        Superpixels and feature groups: the name of a preset, or a preset as `Preset.to_config`
        and users write it. `default` and `fast` have network features; `classic` and `paper` have
        hand-made ones, `paper` the paper's 14 groups and two pairwise potentials.
    method : "structboost", "ssvm", "trees", "adaboost" or "svm"
        The first two learn a CRF; `trees` uses its strongest potential alone; the last two
        classify superpixels by their visual words.
    group_classifiers : bool
        Whether every feature group has an AdaBoost classifier, whose score is a potential.
    unary : UnarySettings
    context : bool or None
        Whether a CRF has the two strong potentials: trees over all raw features, and context over
        the scores around a superpixel. None leaves it to the preset.
    tree_booster, context_booster : BoosterSettings
        Settings of the trees over raw features, and of the context.
    linear_below : int
        With fewer training images, a linear classifier replaces trees and context.
    linear : LinearSettings
        Settings of that classifier.
    context_raw_columns : int
        Raw features that each tree of the context may split on in addition to the context's.
    trees_in_crf : bool
        Whether the trees over raw features are a potential of the CRF themselves, or only an
        input of the context.
    average_folds : bool
        Whether strong potentials are the mean of the models learned without each fold and of the
        one learned from all images, or only the one learned from all images.
    mirror_images : bool
        Whether trees and context also learn from a mirrored copy of every training image. Without
        effect if feature groups have classifiers, or if a linear classifier replaces the trees.
    potentials : PotentialSettings
    borders : BorderSettings
    border_booster : BoosterSettings
        Settings of the trees over pixels near borders.
    C : float or None
        None chooses among `C_choices` by cross-validation over blocks of training images.
    C_choices : tuple of float
    losses : tuple of "superpixels", "pixels" and "balanced"
        Ways to count the Hamming loss; one is chosen together with C.
    select : "mean_iou", "mean_recall" or "accuracy"
        The measure by which C, the loss and the threshold are chosen.
    n_iterations : int
        Rounds of StructBoost.
    ramp_width : float
        Minimum width of StructBoost's unary ramps, in deviations of a potential. At 0, ramps are
        steps: scores take few distinct values, which lowers the precision at the break-even point.
        Ramps as wide as the potential's range keep confident superpixels confident.
    validation_blocks : int
        Number of contiguous blocks of training images; C and the loss are chosen by how well
        CRFs learned on the other blocks label each of them.
    longest_side : int or None
        Images with a longer side are scaled down to it before superpixels and features are
        computed, and masks are scaled back. None keeps all sizes.
    seed : int
    """

    preset: str | Mapping[str, Any] = "default"
    method: Method = "structboost"
    group_classifiers: bool = False
    unary: UnarySettings = field(default_factory=_three_folds)
    context: bool | None = None
    tree_booster: BoosterSettings = field(default_factory=_tree_booster)
    context_booster: BoosterSettings = field(default_factory=_context_booster)
    linear_below: int = 20
    linear: LinearSettings = field(default_factory=LinearSettings)
    context_raw_columns: int = 60
    trees_in_crf: bool = False
    average_folds: bool = True
    mirror_images: bool = True
    potentials: PotentialSettings = field(default_factory=_default_potentials)
    borders: BorderSettings = field(default_factory=BorderSettings)
    border_booster: BoosterSettings = field(default_factory=_border_booster)
    C: float | None = None
    C_choices: tuple[float, ...] = C_CHOICES
    losses: tuple[Loss, ...] = ("pixels",)
    select: Measure = "mean_iou"
    n_iterations: int = 50
    ramp_width: float = 20.0
    validation_blocks: int = 3
    longest_side: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        preset = find_preset(self.preset)
        if not isinstance(self.preset, str):
            object.__setattr__(self, "preset", preset.to_config())
        by_words = self.method in ("adaboost", "svm")
        if by_words and "words" not in [group.name for group in preset.groups]:
            raise ValueError(
                f"method {self.method} classifies visual words: choose a preset that has the group "
                "'words', such as classic"
            )
        if self.learns_crf and not (self.uses_context or self.group_classifiers):
            raise ValueError("a CRF needs potentials: context or group_classifiers must be true")
        if not self.C_choices:
            raise ValueError("C_choices must have at least one value")
        check_ranges(asdict(self))
        side = self.longest_side
        if side is not None and (not isinstance(side, int) or side < 32):
            raise ValueError(f"longest_side must be a whole number of at least 32, got {side!r}")
        if not self.losses or set(self.losses) - set(get_args(Loss)):
            known = ", ".join(get_args(Loss))
            raise ValueError(f"losses must be among {known}, got {self.losses!r}")
        if self.select not in get_args(Measure):
            known = ", ".join(get_args(Measure))
            raise ValueError(f"select must be one of {known}, got {self.select!r}")

    @classmethod
    def for_preset(cls, preset: str | Mapping[str, Any], **changes: Any) -> SegmentationConfig:
        """Return the settings of a preset, with changes."""
        settings = dict(PRESET_SETTINGS.get(_base_name(preset), {}))
        if _base_name(preset) == "paper" and not isinstance(preset, str):
            settings["context"] = False  # `paper` itself implies it by its name
        return cls(**{"preset": preset, **settings, **changes})

    @property
    def preset_name(self) -> str:
        """The name of the preset, which may be a user-defined one."""
        return self.preset if isinstance(self.preset, str) else str(self.preset["name"])

    @property
    def learns_crf(self) -> bool:
        """Whether the method learns a CRF; the others classify superpixels one by one."""
        return self.method in ("structboost", "ssvm")

    @property
    def uses_group_classifiers(self) -> bool:
        """Whether feature groups have classifiers; AdaBoost and SVM on words consist of one."""
        return self.group_classifiers or self.method in ("adaboost", "svm")

    @property
    def uses_context(self) -> bool:
        """Whether the two strong potentials, trees and context, are used."""
        if self.method == "trees":
            return True
        if not self.learns_crf:
            return False
        return self.preset_name != "paper" if self.context is None else self.context

    def mirrors(self, n_images: int) -> bool:
        """Whether trees learn from mirrored copies too, with this number of training images.

        Copies have no scores of group classifiers, which the context would need.
        """
        plain = not self.uses_group_classifiers
        return self.mirror_images and plain and n_images >= self.linear_below

    def fixes_crf(self, n_images: int) -> bool:
        """Whether a CRF of this many training images has fixed weights; see `LinearSettings`."""
        linear = self.uses_context and n_images < self.linear_below
        return self.learns_crf and linear and self.linear.smoothness > 0

    def refuse_imports(self, allow: Collection[str]) -> None:
        """Raise ValueError if the preset uses a function or a folder that is not allowed."""
        if not isinstance(self.preset, str):
            refuse_imports(self.preset["groups"], allow, "the preset")

    @property
    def imports(self) -> tuple[str, ...]:
        """The functions and folders that the preset uses."""
        groups = () if isinstance(self.preset, str) else self.preset["groups"]
        return tuple(str(g[k]) for g in groups for k in ("function", "folder") if k in g)

    def crf_potentials(self, loss: Loss) -> PotentialSettings:
        """Return the potentials of a CRF with this loss; agreement needs the strong potentials."""
        agreement = self.potentials.agreement and self.uses_context
        return replace(self.potentials, loss=loss, agreement=agreement)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return json.loads(json.dumps(asdict(self)))

    def resolved(self) -> dict[str, Any]:
        """Return plain JSON values with all settings of the preset written out.

        Saved as a settings file, they reproduce the run.
        """
        preset = find_preset(self.preset).to_config()
        values = {**asdict(self), "preset": preset, "context": self.uses_context}
        return json.loads(json.dumps(values))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], warn: bool = True) -> SegmentationConfig:
        """Return the settings of a JSON document; ValueError names unknown keys and wrong types.

        Settings under an old name are accepted, with a warning unless `warn` is false.
        """
        if not isinstance(values, Mapping):
            raise ValueError(f"config must be an object, got {values!r}")
        values = _current_names(values, warn)
        preset = values.get("preset", "default")
        if not isinstance(preset, str | Mapping):
            raise ValueError(f"preset must be a name or an object, got {preset!r}")
        rest = {name: value for name, value in values.items() if name != "preset"}
        changed: SegmentationConfig = changed_settings(cls.for_preset(preset), rest)
        return changed

    @classmethod
    def read_document(cls, path: Path) -> dict[str, Any]:
        """Return the document of a JSON file of settings, not yet checked."""
        try:
            document = json.loads(path.read_text())
        except OSError as error:
            raise ValueError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise ValueError(f"{path} is not JSON: {error}") from None
        if not isinstance(document, dict):
            raise ValueError(f"{path} must hold one JSON object with settings")
        return document


def _base_name(preset: str | Mapping[str, Any]) -> str:
    """Return the name of the built-in preset whose settings apply to a preset."""
    if isinstance(preset, str):
        return preset
    return str(preset.get("base", preset.get("name")))


def _current_names(values: Mapping[str, Any], warn: bool) -> dict[str, Any]:
    """Return the settings under their current names."""
    current = dict(values)
    for old, new in OLD_NAMES.items():
        if old in current:
            if new in current:
                raise ValueError(f"config has both {new!r} and its old name {old!r}: keep {new!r}")
            if warn:
                logger.warning("the setting %r is now called %r", old, new)
            current[new] = current.pop(old)
    return current
