"""Registry of the estimators that can be saved as a document and arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from segboost.estimators.ensemble_files import Arrays, Kinds
from segboost.saving import baselines, structboost
from segboost.storage.folder import ModelFileError, PackedModel, one_line


@dataclass(frozen=True)
class Family:
    """Estimators that share a file format.

    Parameters
    ----------
    kind : str
        The kind of their folders, and the key of their documents that holds the class name.
    classes : mapping of str to type
        The classes that files may name.
    pack : callable
        From a fitted model to its document and arrays.
    unpack : callable
        From a class, a document, arrays and user-defined hypothesis classes to a model.
    """

    kind: str
    classes: Mapping[str, type[Any]]
    pack: Callable[[Any], tuple[dict[str, Any], Arrays]]
    unpack: Callable[[type[Any], Mapping[str, Any], Arrays, Kinds | None], Any]


FAMILIES = {
    family.kind: family
    for family in (
        Family("estimator", structboost.CLASSES, structboost.pack, structboost.unpack),
        Family("baseline", baselines.CLASSES, baselines.pack, baselines.unpack),
    )
}
"""The families by the kind of their folders."""


def pack_model(model: Any) -> PackedModel:
    """Return a fitted model as a document and arrays.

    Raises
    ------
    ValueError
        For classes that are not registered, class names that JSON cannot hold, and hypotheses
        that cannot be stored.
    """
    name = type(model).__name__
    for family in FAMILIES.values():
        if family.classes.get(name) is type(model):
            check_is_fitted(model)
            document, arrays = family.pack(model)
            return PackedModel(family.kind, {family.kind: name, **document}, arrays)
    known = ", ".join(name for family in FAMILIES.values() for name in family.classes)
    raise ValueError(f"{name} cannot be saved; only these classes can: {known}")


def unpack_model(packed: PackedModel, source: object, hypotheses: Kinds | None = None) -> Any:
    """Return the fitted model that `pack_model` stored; it predicts the same, bit for bit.

    Parameters
    ----------
    packed : PackedModel
    source : object
        Where the parts come from, for error messages.
    hypotheses : mapping of kind to class, optional
        Hypothesis classes from outside the package that the model uses.

    Raises
    ------
    ModelFileError
        If the parts do not make up a model, with a one-line reason.
    """
    family = FAMILIES[packed.kind]
    try:
        name = packed.document[family.kind]
        if name not in family.classes:
            raise ModelFileError(
                f"{source} holds an unknown {family.kind} {name!r}; upgrade segboost"
            )
        return family.unpack(family.classes[name], packed.document, packed.arrays, hypotheses)
    except ModelFileError:
        raise
    except Exception as error:  # invalid content may fail in any way
        raise ModelFileError(f"{source} does not describe a model: {one_line(error)}") from None
