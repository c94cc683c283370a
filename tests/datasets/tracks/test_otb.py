"""Sequences in OTB's layout, folders of frames and videos."""

import sys

import numpy as np
import pytest
from PIL import Image

from segboost.datasets import DatasetError
from segboost.datasets.synthetic.track import draw_track
from segboost.datasets.tracks.otb import list_sequences, load_sequence, read_boxes
from segboost.datasets.tracks.verify import verify_sequence
from segboost.datasets.tracks.video import read_frames


def write_sequence(root, name, track, separator=","):
    folder = root / name
    (folder / "img").mkdir(parents=True)
    for number, frame in enumerate(track.frames, 1):
        Image.fromarray(frame).save(folder / "img" / f"{number:04d}.png")
    rows = [separator.join(f"{v:g}" for v in (x + 1, y + 1, w, h)) for x, y, w, h in track.boxes]
    (folder / "groundtruth_rect.txt").write_text("\n".join(rows) + "\n")
    return folder


@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_a_sequence_comes_back_zero_based(tmp_path, separator):
    track = draw_track(4)
    write_sequence(tmp_path / "tracking", "Cup", track, separator)
    assert list_sequences(tmp_path) == ["Cup"]
    sequence = load_sequence(tmp_path, "Cup")
    np.testing.assert_array_equal(sequence.boxes, track.boxes)
    np.testing.assert_array_equal(np.stack(list(sequence.frames())), track.frames)


def test_grey_files_stay_grey_and_a_bare_folder_of_sequences_is_accepted(tmp_path):
    track = draw_track(2, colour=False)
    write_sequence(tmp_path, "Cup", track)
    assert next(load_sequence(tmp_path, "Cup").frames()).ndim == 2


def test_david_begins_at_its_300th_frame_if_all_are_present(tmp_path):
    folder = write_sequence(tmp_path, "David", draw_track(2))
    for number in range(3, 302):
        (folder / "img" / f"{number:04d}.png").write_bytes(
            (folder / "img" / "0001.png").read_bytes()
        )
    files = load_sequence(tmp_path, "David").files
    assert [f.name for f in files] == ["0300.png", "0301.png"]


def test_missing_sequences_and_frames_are_named(tmp_path):
    folder = write_sequence(tmp_path, "Cup", draw_track(3))
    with pytest.raises(DatasetError, match=r"no sequence 'Mug'.*it has Cup"):
        load_sequence(tmp_path, "Mug")
    (folder / "img" / "0002.png").unlink()
    with pytest.raises(DatasetError, match="2 frames and 3 boxes"):
        load_sequence(tmp_path, "Cup")


def test_unknown_boxes_become_nan(tmp_path):
    path = tmp_path / "boxes.txt"
    path.write_text("1,2,3,4\nNaN,NaN,NaN,NaN\n5,6,0,0\n\n")
    boxes = read_boxes(path)
    np.testing.assert_array_equal(boxes[0], [0, 1, 3, 4])
    assert np.isnan(boxes[1:]).all()


@pytest.mark.parametrize(
    ("text", "said"), [("1,2,3\n", "line 1"), ("a,b,c,d\n", "line 1"), ("", "no boxes")]
)
def test_broken_box_files_are_refused(tmp_path, text, said):
    path = tmp_path / "boxes.txt"
    path.write_text(text)
    with pytest.raises(DatasetError, match=said):
        read_boxes(path)


def test_frames_of_a_folder_and_files_that_are_not_frames(tmp_path):
    write_sequence(tmp_path, "Cup", draw_track(3))
    assert len(list(read_frames(tmp_path / "Cup" / "img"))) == 3
    with pytest.raises(DatasetError, match="no images"):
        read_frames(tmp_path)
    with pytest.raises(DatasetError, match="neither a folder"):
        read_frames(tmp_path / "none.mp4")


def test_a_video_is_read_if_opencv_is_installed(tmp_path):
    cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
    track = draw_track(5)
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 25, (160, 120))
    if not writer.isOpened():
        pytest.skip("this OpenCV cannot write videos")
    for frame in track.frames:
        writer.write(frame[:, :, ::-1].copy())
    writer.release()
    frames = list(read_frames(path))
    assert len(frames) == 5
    assert np.abs(frames[2].astype(float) - track.frames[2]).mean() < 12


@pytest.mark.parametrize("reader", ["cv2", "imageio"])
def test_a_file_that_is_not_a_video_is_one_clear_error(tmp_path, monkeypatch, reader):
    pytest.importorskip(reader)
    if reader == "imageio":  # it is used if OpenCV is not installed
        monkeypatch.setitem(sys.modules, "cv2", None)
    path = tmp_path / "film.mp4"
    path.write_bytes(b"no video")
    with pytest.raises(DatasetError) as error:
        list(read_frames(path))
    assert str(error.value).startswith(f"{path} cannot be read as a video: ")
    assert "\n" not in str(error.value)


def test_without_a_video_reader_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"no video")
    for module in ("cv2", "imageio", "imageio.v3"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DatasetError, match=r"pip install 'segboost\[track\]'"):
        list(read_frames(path))


def test_verification_names_frames_that_are_broken_or_of_another_size(tmp_path):
    folder = write_sequence(tmp_path, "Cup", draw_track(4))
    found = verify_sequence(tmp_path, "Cup")
    assert found.usable
    assert found.size == "4 frames of 160×120 pixels"
    Image.new("RGB", (20, 30)).save(folder / "img" / "0002.png")
    (folder / "img" / "0003.png").write_bytes(b"torn")
    reports = []
    found = verify_sequence(tmp_path, "Cup", reports.append)
    assert [report.done for report in reports] == [1, 2, 3, 4]
    assert not found.usable
    assert {f.name for f in found.findings} == {"Cup/0002.png", "Cup/0003.png"}
    assert not verify_sequence(tmp_path, "Mug").usable
