"""Too few images are refused before they are read."""

from __future__ import annotations

import pytest

from segboost.cli.main import run
from segboost.io.legend import default_legend
from segboost.pipelines.segmentation.checked_training import check_enough_images
from segboost.pipelines.segmentation.config.stage_settings import LinearSettings
from tests.pipelines.segmentation.tiny_class_models import class_config, class_items
from tests.pipelines.segmentation.tiny_models import (
    array_items,
    tiny_config,
    tiny_data,
    write_folders,
    write_settings,
)


def test_the_loss_weight_is_not_chosen_on_a_single_image():
    two, four = array_items(), class_items()
    with pytest.raises(
        ValueError, match=r"on a single training image: give --C, .* or more images"
    ):
        check_enough_images(two[:1], tiny_config(C=None, linear_below=0))
    with pytest.raises(ValueError, match="C cannot be chosen on a single training image"):
        check_enough_images(four[:1], class_config(C=None), default_legend(4))


def test_a_single_image_is_enough_if_nothing_is_chosen():
    one, legend = array_items()[:1], default_legend(4)
    check_enough_images(one, tiny_config(C=10.0))
    check_enough_images(one, tiny_config(C=None, C_choices=(10.0,)))
    check_enough_images(one, tiny_config(C=None, method="trees"))
    fixed = LinearSettings(smoothness=1.0)
    check_enough_images(one, tiny_config(C=None, linear_below=20, linear=fixed))
    check_enough_images(class_items()[:1], class_config(C=1.0), legend)
    check_enough_images(class_items()[:2], class_config(C=None), legend)


def test_train_refuses_a_single_image_before_any_work(tmp_path, capsys):
    folders = write_folders(tmp_path / "data", tiny_data().train[:1])
    settings = write_settings(tmp_path / "settings.json", C=None, linear_below=0)
    output = tmp_path / "model"
    assert run(["train", *folders, *settings, "--test-fraction", "0", "--output", str(output)]) == 2
    printed = capsys.readouterr()
    assert "give --C, such as --C 10, or more images" in printed.err
    assert len(printed.err.splitlines()) == 1
    assert printed.out == ""
    assert not output.exists()
