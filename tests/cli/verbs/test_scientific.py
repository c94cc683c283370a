from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
import tifffile
from PIL import Image

from segboost.cli.main import run
from segboost.io.scientific.intensities import IntensityScale
from segboost.pipelines.batch.overlay import draw_overlay
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter, save_segmenter
from tests.pipelines.segmentation.tiny_models import tiny_data, trained, write_settings

WIDE = IntensityScale(3, (0, 1, 2), (0.0,) * 3, (255.0 * 16,) * 3)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    plain = trained().model
    wide = replace(plain, preset=plain.preset.with_intensities(WIDE))
    return str(save_segmenter(wide, tmp_path_factory.mktemp("model")))


def segment(model, output, *rest):
    return run(["segment", "--model", model, "--output", str(output), "--jobs", "1", *rest])


def write_wide(path, image):
    tifffile.imwrite(path, image.astype(np.uint16) * 16, photometric="rgb")


def test_objects_of_a_folder_with_bad_images(model, tmp_path, capsys):
    images, output = tmp_path / "images", tmp_path / "out"
    images.mkdir()
    for item in tiny_data().test:
        write_wide(images / f"{item.name}.tif", item.image())
    names = sorted(path.name for path in images.iterdir())
    (images / "zz.tif").write_bytes((images / names[0]).read_bytes()[:3000])
    tifffile.imwrite(images / "zy.tif", np.zeros((2, 30, 30), np.uint16), photometric="minisblack")
    options = ["--min-area", "20", "--touching", "split", "--annotations", "coco,geojson"]
    assert segment(model, output, str(images), *options) == 1
    printed = capsys.readouterr()
    assert "3 of 5 images segmented" in printed.out
    assert "failed: zy.tif: 1 channels, but the training images had 3" in printed.err
    assert "failed: zz.tif: " in printed.err
    assert "Traceback" not in printed.err
    rows = list(csv.DictReader((output / "results.csv").open()))
    objects = list(csv.DictReader((output / "objects.csv").open()))
    assert sum(int(row["objects"] or 0) for row in rows) == len(objects) > 0
    assert [row["name"] for row in rows] == [*names, "zy.tif", "zz.tif"]
    coco = json.loads((output / "annotations.json").read_text())
    assert len(coco["images"]) == 3
    assert len(coco["annotations"]) == len(objects)
    for name, item in zip(names, tiny_data().test, strict=True):
        mask = tifffile.imread(output / name)
        assert (mask == trained().model.predict(item.image()).mask * 255).all()
        assert tifffile.imread(output / "labels" / name).dtype == np.int32
    # Repeating the command replaces what it wrote.
    assert segment(model, output, str(images), *options) == 1


def test_masks_never_replace_their_image(model, tmp_path, capsys):
    path = tmp_path / "a.tif"
    write_wide(path, tiny_data().test[0].image())
    before = path.read_bytes()
    assert segment(model, tmp_path, str(path)) == 2
    assert "overwritten" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_overlays_and_notes_on_omitted_outputs(model, tmp_path, capsys):
    image, output = tiny_data().test[0].image(), tmp_path / "out"
    write_wide(tmp_path / "a.tif", image)
    write_wide(tmp_path / "stack.tif", np.stack([image, image]))
    paths = [str(tmp_path / "a.tif"), str(tmp_path / "stack.tif")]
    assert segment(model, output, "--overlay", "--scores", "--axes", "QYXS", *paths) == 1
    assert segment(model, output, "--overlay", "--scores", *paths) == 0
    printed = capsys.readouterr().err
    assert "note: a.tif: no scores: written only for photographs" in printed
    assert "see --axes; no scores: written only for photographs; no overlay: drawn" in printed
    [overlay] = (output / "overlays").iterdir()
    expected = draw_overlay(image, trained().model.predict(image).mask)
    assert (np.array(Image.open(overlay)) == expected).all()


def test_png_in_png_out(tmp_path):
    plain = str(save_segmenter(trained().model, tmp_path / "model"))
    image, output = tiny_data().test[0].image(), tmp_path / "out"
    Image.fromarray(image).save(tmp_path / "a.png")
    options = ["--objects", "--probabilities", "--overlay", str(tmp_path / "a.png")]
    for _ in range(2):  # the second run replaces the files of the first
        assert segment(plain, output, *options) == 0
    found = trained().model.predict(image)
    assert (np.array(Image.open(output / "a.png")) == found.mask * 255).all()
    unit = np.array(Image.open(output / "probabilities" / "a.png"))
    np.testing.assert_allclose(
        unit / 65535, trained().model.probabilities(found.scores), atol=1 / 255
    )
    assert not list(output.glob("*.tif"))
    assert tifffile.imread(output / "labels" / "a.tif").dtype == np.int32
    assert (output / "overlays" / "a.png").is_file()


@pytest.mark.parametrize(
    "options",
    [["--touching", "cut"], ["--channels", "a"], ["--intensities", "3"], ["--tile", "100"],
     ["--annotations", "svg"]],
)  # fmt: skip
def test_bad_options_are_misuse(options, model, tmp_path, capsys):
    assert segment(model, tmp_path / "out", *options, str(tmp_path)) == 2
    printed = capsys.readouterr().err
    assert options[0].strip("-").split("-")[0][:5] in printed
    assert "Traceback" not in printed


def test_train_and_evaluate_on_five_channels(tmp_path, capsys):
    images, masks = tmp_path / "images", tmp_path / "masks"
    images.mkdir()
    masks.mkdir()
    for item in tiny_data().train[:3]:
        image, mask = item.load()
        further = np.stack(
            [mask.astype(np.uint16) * 1000 + 50, image[..., 0].astype(np.uint16) * 3], axis=2
        )
        values = np.concatenate([image.astype(np.uint16) * 16, further], axis=2)
        kind = {"photometric": "minisblack", "planarconfig": "contig", "metadata": None}
        tifffile.imwrite(images / f"{item.name}.tif", values.astype(np.uint16), **kind)
        Image.fromarray(mask * 255).save(masks / f"{item.name}.png")
    folders = ["--images", str(images), "--masks", str(masks)]
    own = {"preset": {"name": "own", "superpixels": {"kind": "graph"},
                      "groups": [{"kind": "colour"}]}}  # fmt: skip
    settings = write_settings(tmp_path / "settings.json", **own)
    output = tmp_path / "model"
    command = ["train", *folders, *settings, "--output", str(output), "--jobs", "1"]
    assert run([*command, "--test-fraction", "0.34", "--channels", "2,1,0,3,4"]) == 0
    found = load_segmenter(output)
    assert found.preset.intensities.channels == (2, 1, 0, 3, 4)
    assert found.preset.n_further == 2
    capsys.readouterr()
    assert run(["evaluate", "--model", str(output), *folders, "--json", "--jobs", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["mean_iou"] > 0.6
    paths = [str(path) for path in sorted(images.iterdir())]
    assert segment(str(output), tmp_path / "out", *paths) == 0
