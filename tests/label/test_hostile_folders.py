"""Unusual folders, folders that change while they are open, and leftovers of a killed server."""

from __future__ import annotations

import http.client
import os
import shlex
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
import tifffile
from PIL import Image

pytest.importorskip("uvicorn", reason="the extra label is not installed")

import segboost.label.connection as connection
from segboost.label.export import Exported, export_masks, remove_unfinished
from segboost.label.images import ImageFolder
from segboost.label.listing import choose_next
from segboost.label.project import LabelProject
from segboost.label.session import LabelSession
from tests.label.folders import HEIGHT, WIDTH, runs, serving, write_images

BAD = os.fsdecode(b"bad\xff")
ONES = np.ones((HEIGHT, WIDTH), np.uint8)


@pytest.fixture
def folder(tmp_path):
    write_images(tmp_path / "images", 2)
    return tmp_path / "images"


def put(client, key, mask, stamp="", version="none"):
    return client.ask(f"/api/mask/{key}?{stamp}", "PUT", runs(mask), If_Match=f'"{version}"')


def first(client):
    return client.state()["images"][0]


def test_links_are_exported_as_their_targets(folder):
    (folder / "scene_0.png").rename(folder.parent / "elsewhere.png")
    (folder / "scene_0.png").symlink_to("../elsewhere.png")
    session = LabelSession(folder, 0)
    session.masks.save(session.images.scan()[0], ONES, "none")
    for _ in range(2):  # the second export replaces the first
        made = session.export()
        exported = made.images / "scene_0.png"
        assert not exported.is_symlink()
        assert exported.read_bytes() == (folder.parent / "elsewhere.png").read_bytes()


@pytest.mark.parametrize("name", ["a $(touch x)", "it's", "a b;c", '"', BAD])
def test_a_shell_can_run_the_export_command(tmp_path, name):
    work = tmp_path / name / "segboost-label" / "export"
    places = work / "images", work / "masks"
    command = Exported(*places, 2, work / "classes.json").command
    expected = ["--images", places[0], "--masks", places[1], "--test-fraction", "0"]
    expected += ["--classes", work / "classes.json", "--output", f"{name}-model"]
    if name != BAD:
        assert shlex.split(command)[2:] == list(map(str, expected))
    said = subprocess.run(
        ["bash", "-c", command.replace("segboost train", "printf '%s\\0'")],
        capture_output=True,
        cwd=tmp_path,
        check=True,
    ).stdout.split(b"\0")
    assert said[:-1] == [os.fsencode(part) for part in expected]
    assert os.listdir(tmp_path) == []


def test_a_killed_export_is_removed_at_the_next_start(folder):
    project = LabelProject(folder)
    images, masks = ImageFolder(folder).scan(), LabelSession(folder, 0).masks
    masks.save(images[0], ONES, "none")
    code = (
        "import os, sys; from pathlib import Path; import segboost.label.export as e;"
        "from segboost.label.images import ImageFolder;"
        "from segboost.label.masks import MaskFolder;"
        "p = e.LabelProject(Path(sys.argv[1])); e._record = lambda place: os.kill(os.getpid(), 9);"
        "e.export_masks(p, ImageFolder(p.folder).scan(), MaskFolder(p.masks))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(folder)]).returncode == -9
    (left,) = project.work.glob(".export-*")
    assert (left / "images" / "scene_0.png").exists()
    mine = project.work / ".export-notes"
    mine.mkdir()
    (mine / "mine.txt").write_text("mine")
    foreign = project.work / ".export-abcd1234"
    (foreign / "images").mkdir(parents=True)
    (foreign / "images" / "mine.txt").write_text("mine")
    remove_unfinished(project)
    assert not left.exists()
    assert (mine / "mine.txt").exists()
    assert (foreign / "images" / "mine.txt").exists()
    assert (folder / "scene_0.png").exists()
    assert export_masks(project, images, masks).count == 1


def test_the_last_names_of_a_foreign_file_are_not_removed(folder):
    session = LabelSession(folder, 0)
    image = session.images.scan()[0]
    session.save(image, np.zeros(image.shown_shape, np.uint8), "none")
    session.export()
    mine = session.project.export / "images" / "mine.txt"
    mine.write_text("mine")
    os.link(mine, mine.with_name("again.txt"))
    with pytest.raises(ValueError, match="was not written by the export"):
        session.export()
    assert mine.read_text() == "mine"
    os.link(mine, folder / "elsewhere.txt")  # now nothing is lost
    assert session.export().count == 1
    assert (folder / "elsewhere.txt").read_text() == "mine"


def test_stacks_are_reported_and_not_cut_to_one_page(folder):
    for name, shape in (("stack", (4, 20, 30)), ("page", (20, 30))):
        values = np.zeros(shape, np.uint16)
        tifffile.imwrite(folder / f"{name}.tif", values, photometric="minisblack")
    problems = {i["name"]: i["problem"] for i in LabelSession(folder, 0).state()["images"]}
    assert problems["stack.tif"] == "it has 4 pages: save each of them as an image"
    assert problems["page.tif"] == ""


def test_pipes_do_not_hang_the_state(folder):
    os.mkfifo(folder / "pipe.png")
    session = LabelSession(folder, 0)
    session.masks.folder.mkdir(parents=True)
    os.mkfifo(session.masks.folder / "scene_0.png")
    problems = {i["name"]: i["problem"] for i in session.state()["images"]}
    assert "pipe" in problems["pipe.png"]
    assert "is not a file: remove it" in problems["scene_0.png"]
    assert problems["scene_1.png"] == ""


def test_undecodable_names_are_shown(tmp_path):
    folder = tmp_path / BAD
    write_images(folder, 1)
    for name in (f"{BAD}.png", f"{BAD}.jpg"):
        Image.new("RGB", (40, 30)).save(folder / name)
    with serving(LabelSession(folder, 0)) as client:
        state = client.ask("/api/state")
        assert state.status == 200
        assert [i["name"] for i in state.json["images"]] == ["bad?.jpg", "bad?.png", "scene_0.png"]
        assert "rename one of the two" in state.json["images"][1]["problem"]
        assert put(client, client.key("scene_0.png"), ONES).status == 200
        assert put(client, client.key("bad?.jpg"), np.ones((30, 40), np.uint8)).status == 200
        answer = client.ask("/api/export", "POST", b"")
        assert (answer.status, answer.json["count"]) == (200, 2)
        assert "$'" in answer.json["command"]


@pytest.mark.parametrize("kind", ["folder in place of a mask", "file in place of the masks"])
def test_obstacles_to_masks_are_named_and_their_removal_is_noticed(folder, kind):
    session = LabelSession(folder, 0)
    masks = session.masks.folder
    if kind.startswith("folder"):
        way = masks / "scene_0.png"
        way.mkdir(parents=True)
    else:
        way = masks
        way.write_text("x")
    with serving(session) as client:
        entry = first(client)
        assert "remove it" in entry["problem"]
        assert str(way) in entry["problem"]
        for path, method in (("train", "POST"), ("export", "POST")):
            assert client.ask(f"/api/{path}", method, b"").status == 409
        assert put(client, entry["key"], ONES).status == 422
        way.rmdir() if way.is_dir() else way.unlink()
        assert first(client)["problem"] == ""
        assert put(client, entry["key"], ONES).status == 200


def test_a_temporary_read_error_is_not_remembered(folder, monkeypatch):
    import segboost.io.opening as opening

    session = LabelSession(folder, 0)
    whole = opening._file

    def fail(source):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(opening, "_file", fail)
    assert session.state()["images"][0]["problem"] == "input/output error"
    monkeypatch.setattr(opening, "_file", whole)
    (image, _) = session.images.scan()
    assert image.problem == ""
    monkeypatch.setattr(opening, "_file", fail)
    with pytest.raises(ValueError, match="input/output error"):
        session.picture(image)
    monkeypatch.setattr(opening, "_file", whole)
    assert session.state()["images"][0]["problem"] == ""
    assert session.picture(image)


def test_a_stroke_on_a_deleted_or_replaced_image_is_refused_at_once(folder):
    with serving(LabelSession(folder, 0)) as client:
        entry = first(client)
        kept = (folder / "scene_0.png").read_bytes()
        # The page has not requested the state since.
        (folder / "scene_0.png").unlink()
        assert put(client, entry["key"], ONES, entry["stamp"]).status == 404
        Image.new("RGB", (50, 20)).save(folder / "scene_0.png")
        answer = put(client, entry["key"], ONES, entry["stamp"])
        assert (answer.status, "replaced" in answer.json["problem"]) == (410, True)
        assert not (folder / "segboost-label" / "masks" / "scene_0.png").exists()
        (folder / "scene_0.png").write_bytes(kept)
        assert put(client, entry["key"], ONES, first(client)["stamp"]).status == 200


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
def test_masks_of_turned_tiffs_have_the_upright_size(tmp_path, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.new("RGB", (40, 20)).save(tmp_path / "a.tif", exif=exif)
    upright = np.full((40, 20), 255, np.uint8)
    upright[:7, :3] = 1
    with serving(LabelSession(tmp_path, 0)) as client:
        entry = first(client)
        assert (entry["width"], entry["height"]) == (20, 40)
        assert put(client, entry["key"], upright).status == 200
    with Image.open(tmp_path / "segboost-label" / "masks" / "a.png") as mask:
        np.testing.assert_array_equal(np.asarray(mask), upright)


def test_half_open_connections_are_closed(folder, monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.3)
    with serving(LabelSession(folder, 0)) as client:
        key = first(client)["key"]
        path = f"/{client.token}/api/mask/{key}"
        host = f"Host: 127.0.0.1:{client.port}\r\n"
        whole = f"GET /{client.token}/api/state HTTP/1.1\r\n{host}\r\n"
        for begun in (
            "",
            "GET / HT",
            f"PUT {path} HTTP/1.1\r\n{host}Content-Length: 1000\r\n\r\nabc",
            f"{whole}GET / HT",  # after an answer
        ):
            with socket.create_connection(("127.0.0.1", client.port), timeout=20) as half:
                half.sendall(begun.encode())
                try:
                    while half.recv(65536):
                        pass  # a timeout here is the failure
                except ConnectionResetError:
                    pass
        assert client.ask("/api/state").status == 200


def test_a_client_that_goes_away_leaves_no_traceback(folder, capfd):
    with serving(LabelSession(folder, 0)) as client:
        key = first(client)["key"]
        for _ in range(3):
            gone = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
            gone.putrequest("PUT", f"/{client.token}/api/mask/{key}")
            gone.putheader("Content-Length", "100000")
            gone.endheaders(b"abc")
            gone.close()
        time.sleep(0.5)
        assert client.ask("/api/state").status == 200
    assert capfd.readouterr().err == ""


def test_choosing_the_next_of_many_images_is_fast():
    shared = {"problem": "", "uncertainty": None, "unpainted": 1}
    images = [{"key": str(k), "version": "none", **shared} for k in range(40_000)]
    start = time.process_time()
    assert choose_next(images) == "0"
    assert time.process_time() - start < 2.0
