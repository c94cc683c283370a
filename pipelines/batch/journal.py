"""Journal of the finished images of a batch, so that an interrupted run can be resumed."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from segboost._version import __version__
from segboost.pipelines.batch.image_result import ImageResult
from segboost.pipelines.batch.output_names import OVERLAYS, output_names
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.output_names import has_overlay, image_file_names
from segboost.pipelines.runtime.artefact_key import KeyParts, file_key
from segboost.storage.folder import DOCUMENT
from segboost.storage.output_record import refuse_foreign
from segboost.storage.regular_file import read_regular
from segboost.storage.whole_file import write_whole

JOURNAL = "segment.jsonl.part"
OPENING = b'{"batch"'
FIELDS = fields(ImageResult)
PNG_END = b"IEND\xaeB`\x82"


class BatchJournal:
    """One line per finished image, in a file that is kept until the batch is done.

    A later run trusts a line if the image file, the model, the options and the version of segboost
    are the same, and the output files exist and are complete. All other images are segmented again.

    Parameters
    ----------
    model_folder : Path
    output : Path
    wanted : frozenset of str
        The folders written in addition to the masks.
    n_classes : int
    options : ScientificOptions, optional
    scientific : collection of Path
        The scientific images of the batch, whose files depend on the options.
    """

    def __init__(
        self,
        model_folder: Path,
        output: Path,
        wanted: frozenset[str],
        n_classes: int = 2,
        options: ScientificOptions | None = None,
        scientific: Collection[Path] = (),
    ) -> None:
        self.path = output / JOURNAL
        self._output, self._wanted, self._n_classes = output, wanted, n_classes
        self._options, self._scientific = options or ScientificOptions(), frozenset(scientific)
        key = self._options.to_key() if self._scientific else {}
        self._key = _batch_key(model_folder, wanted, key)

    def read(self, images: Iterable[Path]) -> dict[Path, ImageResult]:
        """Return the results of the images that an earlier run finished."""
        lines = self._lines()
        if not lines or lines[0] != {"batch": self._key}:
            return {}
        by_name = {line["image"]["name"]: line for line in lines[1:] if _is_entry(line)}
        found = {}
        for path in images:
            line = by_name.get(path.name)
            if line is None or line["image"] != _identity(path):
                continue
            # JSON turns tuples into lists.
            shares = tuple(line["result"].get("class_shares", ()))
            result = ImageResult(**{**line["result"], "class_shares": shares})
            if all(_is_complete(self._output / name) for name in self._files(path, result)):
                found[path] = result
        return found

    def record(
        self,
        images: Sequence[Path],
        earlier: Mapping[Path, ImageResult],
        new: Iterable[ImageResult],
    ) -> Iterator[ImageResult]:
        """Yield the results of all images in order, and write a line for each.

        Parameters
        ----------
        images : sequence of Path
        earlier : mapping of Path to ImageResult
            From `read`.
        new : iterable of ImageResult
            Results of the other images, in order.
        """
        self._refuse_foreign()
        begin = [json.dumps({"batch": self._key}) + "\n"]
        begin += [_line(path, result) for path, result in earlier.items()]
        write_whole(self.path, "".join(begin).encode())
        rest = iter(new)
        with open(self.path, "a", encoding="utf-8") as file:
            for path in images:
                result = earlier.get(path)
                if result is None:
                    result = next(rest)
                    if not result.failed:
                        file.write(_line(path, result))
                        file.flush()
                yield result

    def remove(self) -> None:
        """Remove the journal: the batch is complete, and the table holds the results."""
        self.path.unlink(missing_ok=True)

    def _refuse_foreign(self) -> None:
        if self.path.is_file() and self.path.stat().st_size:
            with open(self.path, "rb") as file:
                ours = file.read(len(OPENING)) == OPENING
            if not ours:
                refuse_foreign([self.path])

    def _lines(self) -> list[Any]:
        """Return the complete lines; a killed run may have left a partial one."""
        try:
            text = read_regular(self.path).decode("utf-8", errors="replace")
        except OSError:
            return []
        lines = []
        for line in text.split("\n")[:-1]:
            try:
                lines.append(json.loads(line))
            except (ValueError, RecursionError):
                return lines
        return lines

    def _files(self, image: Path, result: ImageResult) -> list[str]:
        """Return the files that were written for an image with this result."""
        if image not in self._scientific:
            return output_names(image.stem, self._wanted, self._n_classes)
        wanted = self._wanted
        if not has_overlay(result.pages, result.width * result.height, self._options):
            wanted -= {OVERLAYS}
        return image_file_names(image, self._options, wanted)


def _batch_key(model_folder: Path, wanted: frozenset[str], scientific: Mapping[str, object]) -> str:
    """Return a digest of everything the files of a batch depend on except the images."""
    parameters = {"version": __version__, "wanted": sorted(wanted), **scientific}
    # The document holds the digest of the model's arrays.
    return KeyParts(parameters, (file_key(model_folder / DOCUMENT),)).key("batch")


def _identity(path: Path) -> dict[str, Any] | None:
    """Return path, size and modification time, which detect changes without reading the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return {"name": path.name, "path": os.path.realpath(path), "bytes": found.st_size,
            "changed": found.st_mtime_ns}  # fmt: skip


def _line(path: Path, result: ImageResult) -> str:
    return json.dumps({"image": _identity(path), "result": asdict(result)}) + "\n"


def _is_entry(line: Any) -> bool:
    """Whether a line has the expected fields; the file may have been edited."""
    try:
        result = ImageResult(**line["result"])
        names = isinstance(line["image"]["name"], str) and not result.failed
        return names and all(_has_kind(getattr(result, f.name), str(f.type)) for f in FIELDS)
    except (TypeError, KeyError):
        return False


def _has_kind(value: Any, kind: str) -> bool:
    """Whether a value read from JSON has the type given by the annotation of its field."""
    if kind.startswith("tuple"):
        return isinstance(value, list | tuple) and all(_has_kind(v, "float") for v in value)
    if value is None:
        return kind.endswith("| None")
    base = kind.partition(" ")[0]
    if base == "str":
        return isinstance(value, str)
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62
    return whole or (base == "float" and isinstance(value, float) and math.isfinite(value))


def _is_complete(path: Path) -> bool:
    """Whether an output exists; PNG files are also tested for their end."""
    if path.suffix != ".png":  # these are written atomically
        return path.exists()
    try:
        with open(path, "rb") as file:
            file.seek(-len(PNG_END), os.SEEK_END)
            return file.read() == PNG_END
    except OSError:
        return False
