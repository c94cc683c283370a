import pytest

from tests.crashes.command_processes import finish
from tests.pipelines.segmentation.tiny_models import (
    train_command,
)


@pytest.fixture(scope="package")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("crashes")


@pytest.fixture(scope="package")
def command(place):
    return train_command(place)


@pytest.fixture(scope="package")
def undisturbed(place, command):
    """The folder of an uninterrupted run."""
    folder = place / "undisturbed"
    assert finish([*command, "--output", str(folder)], place / "printed") == 0, (
        place / "printed"
    ).read_text()
    return folder


@pytest.fixture(scope="package")
def segment_command(place, undisturbed):
    images = place / "many"
    images.mkdir()
    sources = sorted((place / "images").iterdir())
    for number in range(2):
        for source in sources:
            (images / f"{source.stem}-{number}.png").write_bytes(source.read_bytes())
    return ["segment", str(images), "--model", str(undisturbed), "--scores", "--jobs", "1"]


@pytest.fixture(scope="package")
def masks(place, segment_command):
    folder = place / "segmented"
    assert finish([*segment_command, "--output", str(folder)]) == 0
    return folder
