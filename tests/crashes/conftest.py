import pytest

from tests.crashes.work import finish
from tests.pipelines.segmentation_sets import tiny_data, write_folders, write_settings


@pytest.fixture(scope="package")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("crashes")


@pytest.fixture(scope="package")
def command(place):
    data = tiny_data()
    options = write_folders(place, data.train + data.test)
    (place / "train.txt").write_text("\n".join(item.name for item in data.train))
    options += ["--train-list", str(place / "train.txt"), "--jobs", "1"]
    return ["train", *options, *write_settings(place / "settings.json")]


@pytest.fixture(scope="package")
def undisturbed(place, command):
    """The folder of a run that nobody stopped."""
    folder = place / "undisturbed"
    assert finish([*command, "--output", str(folder)], place / "told") == 0, (
        place / "told"
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
