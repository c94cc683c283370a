"""segboost track and segboost reproduce tracking, on synthetic sequences."""

import json

import pytest
from PIL import Image

from segboost.cli.main import run
from segboost.datasets.synthetic.track import draw_track
from tests.datasets.tracks.test_otb import write_sequence


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    for name in ("Coke", "Tiger2", "David", "Girl", "Sylvester"):
        write_sequence(root / "tracking", name, draw_track(4))
    return root


def test_a_folder_of_frames_with_everything_written(root, tmp_path, capsys):
    frames = root / "tracking" / "Coke"
    x, y, w, h = draw_track(1).boxes[0]
    status = run(
        ["track", "--frames", str(frames / "img"), "--box", f"{x},{y},{w},{h}", "--truth",
         str(frames / "groundtruth_rect.txt"), "--output", str(tmp_path), "--overlay", "frames"]
    )  # fmt: skip
    printed = capsys.readouterr()
    assert status == 0, printed.err
    assert "mean overlap 0.9" in printed.out or "mean overlap 1.0" in printed.out
    assert (tmp_path / "boxes.csv").read_text().count("\n") == 5
    assert sorted(p.name for p in (tmp_path / "overlay").iterdir())[-1] == "00003.jpg"
    assert Image.open(tmp_path / "plot.png").size[0] > 300
    assert json.loads((tmp_path / "summary.json").read_text())["frames"] == 4


def test_a_sequence_as_one_json_object(root, tmp_path, capsys):
    status = run(
        ["track", "--dataset", "otb", "--sequence", "Girl", "--data-root", str(root),
         "--output", str(tmp_path), "--method", "fragments", "--json"]
    )  # fmt: skip
    printed = capsys.readouterr()
    assert status == 0, printed.err
    document = json.loads(printed.out)
    assert document["method"] == "fragments"
    assert document["mean_overlap"] > 0.8
    assert document["n_frames"] == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "either --frames"),
        (["--frames", "x"], "--box"),
        (["--frames", "x", "--box", "1,2,3"], "X,Y,W,H"),
        (["--frames", "x", "--box", "1,2,nan,4"], "X,Y,W,H"),
        (["--frames", "x", "--box", "1,2,0,4"], "X,Y,W,H"),
        (["--frames", "x", "--box", "1,2,3,4", "--sequence", "a"], "--sequence goes with"),
        (["--dataset", "otb"], "--sequence"),
        (["--dataset", "vot", "--sequence", "a"], "otb"),
        (["--frames", "x", "--box", "1,2,3,4", "--method", "psychic"], "unknown tracker 'psychic'"),
        (["--frames", "x", "--box", "1,2,3,4", "--overlay", "3d"], "frames, video"),
    ],
)
def test_misuse_is_one_line_and_status_2(arguments, said, capsys):
    assert run(["track", *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--frames", "/nowhere", "--box", "1,2,3,4"], "neither a folder"),
        (["--dataset", "otb", "--sequence", "Mug"], "no sequence 'Mug'"),
    ],
)
def test_missing_files_are_reported_in_one_line(arguments, said, root, tmp_path, capsys):
    status = run(["track", *arguments, "--data-root", str(root), "--output", str(tmp_path)])
    printed = capsys.readouterr()
    assert status == 1
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_a_box_outside_the_frame_is_reported(root, tmp_path, capsys):
    frames = str(root / "tracking" / "Coke" / "img")
    status = run(["track", "--frames", frames, "--box", "900,1,5,5", "-o", str(tmp_path)])
    assert status == 1
    assert "outside the frame" in capsys.readouterr().err


def test_the_quick_table_of_all_sequences(root, tmp_path, capsys):
    status = run(
        ["reproduce", "tracking", "--data-root", str(root), "--output", str(tmp_path), "--quick",
         "--method", "fragments", "--json"]
    )  # fmt: skip
    printed = capsys.readouterr()
    assert status == 0, printed.err
    document = json.loads(printed.out)
    assert [row["sequence"] for row in document["rows"]] == [
        "Coke", "Tiger2", "David", "Girl", "Sylvester",
    ]  # fmt: skip
    assert document["quick"] is True
    assert document["rows"][2]["published_overlap"] == 0.169
    assert run(["reproduce", "tracking", "--data-root", str(root), "--method", "x"]) == 2
