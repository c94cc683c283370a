"""The server: access control, storage, and broken images."""

from __future__ import annotations

import gzip
import http.client
import io
import json

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("uvicorn", reason="the extra label is not installed")

from segboost.features.superpixels.methods import find_superpixels
from segboost.label.listing import choose_next
from segboost.label.serve import _listen
from segboost.label.session import LabelSession
from tests.label.folders import HEIGHT, WIDTH, runs, scenes, serving, write_images


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("label") / "images"
    write_images(folder, 3)
    (folder / "broken.png").write_bytes(b"no image")
    whole = io.BytesIO()
    Image.fromarray(scenes(1)[0].image()).save(whole, "JPEG")
    (folder / "cut.jpg").write_bytes(whole.getvalue()[:1500])
    (folder.parent / "secret.png").write_bytes(whole.getvalue())
    return folder


@pytest.fixture(scope="module")
def client(folder):
    with serving(LabelSession(folder, 0)) as client:
        client.state()
        yield client


def raw(client, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


ALL = ["/", "/static/page.js", "/api/state", "/api/train", "/api/export", "/api/mask/x", "/nothing"]


@pytest.mark.parametrize("token", ["", "wrong", "secret-toke", "secret-token-", "static"])
@pytest.mark.parametrize("path", ALL)
def test_without_the_token_everything_is_403(client, path, token):
    for method in ("GET", "POST", "PUT"):
        answer = client.ask(path, method, b"" if method != "GET" else None, token=token)
        assert answer.status == 403
        assert b"segboost label" in answer.body
        assert client.token.encode() not in answer.body


def test_a_request_without_a_path_is_403(client):
    assert raw(client, "*", "OPTIONS")[0] == 403


def test_a_websocket_needs_the_token_too(client):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    headers = {**upgrade, "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    assert raw(client, "/wrong/api/state", **headers)[0] == 403


def test_other_host_names_are_403(client):
    # DNS rebinding: the page of another site whose host name resolves to this machine.
    for host in ("evil.example", f"evil.example:{client.port}", "127.0.0.1", "127.0.0.1:1"):
        assert raw(client, f"/{client.token}/api/state", Host=host)[0] == 403
    assert raw(client, f"/{client.token}/api/state", Host=f"localhost:{client.port}")[0] == 200


def test_requests_from_other_sites_are_403(client):
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        assert client.ask("/api/export", "POST", b"", Origin=origin).status == 403


def test_the_server_listens_on_loopback_only():
    with _listen(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_a_port_in_use_is_reported():
    with _listen(0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port} is already in use"):
            _listen(port)


@pytest.mark.parametrize(
    "path",
    [
        "/static/..%2f..%2fserver.py",
        "/static/../server.py",
        "/api/image/..%2f..%2fsecret.png",
        "/api/image/%2e%2e%2fsecret.png",
        "/api/image/secret.png",
        "/api/thumbnail/scene_0.png",
        "/api/mask/../../secret",
    ],
)
def test_no_path_leaves_the_folder(client, path):
    status, body = raw(client, f"/{client.token}{path}", Host=f"127.0.0.1:{client.port}")
    assert status == 404
    assert b"def " not in body


def test_there_are_no_uploads(client, folder):
    before = sorted(p.name for p in folder.iterdir())
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        for path in ("/api/image/new", "/new.png", "/static/new.js", "/"):
            assert client.ask(path, method, b"data").status in (404, 405)
    assert sorted(p.name for p in folder.iterdir()) == before


def test_the_page_may_load_nothing_from_elsewhere(client):
    answer = client.ask("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    for name in ("/", "/static/page.css", "/static/page.js", "/static/canvas.js"):
        text = client.ask(name).body.decode()
        assert "http://" not in text
        assert "https://" not in text


def test_images_superpixels_and_masks_have_one_size(client):
    key = client.key("scene_0.png")
    picture = Image.open(io.BytesIO(client.ask(f"/api/image/{key}").body))
    assert picture.size == (WIDTH, HEIGHT)
    answer = client.ask(f"/api/superpixels/{key}")
    assert answer.headers["content-encoding"] == "gzip"
    found = np.frombuffer(gzip.decompress(answer.body), "<i4").reshape(HEIGHT, WIDTH)
    assert np.array_equal(found, find_superpixels(scenes(1)[0].image()))
    mask = client.ask(f"/api/mask/{key}")
    assert len(gzip.decompress(mask.body)) == HEIGHT * WIDTH
    small = Image.open(io.BytesIO(client.ask(f"/api/thumbnail/{key}").body))
    assert max(small.size) <= 192


def test_a_stroke_is_on_disk_before_the_response(client, folder):
    key = client.key("scene_1.png")
    mask = np.full((HEIGHT, WIDTH), 255, np.uint8)
    mask[10:20, 10:20] = 1
    answer = client.ask(f"/api/mask/{key}", "PUT", runs(mask), If_Match='"none"')
    assert answer.status == 200
    stored = np.array(Image.open(folder / "segboost-label" / "masks" / "scene_1.png"))
    assert np.array_equal(stored, mask)
    fresh = client.ask(f"/api/mask/{key}")
    assert fresh.headers["etag"].strip('"') == answer.json["version"]
    entry = next(i for i in client.state()["images"] if i["key"] == key)
    assert entry["painted"] == [1]


def test_two_tabs_do_not_overwrite_each_other(client):
    key = client.key("scene_2.png")
    first, second = (np.full((HEIGHT, WIDTH), 255, np.uint8) for _ in range(2))
    first[:5], second[-5:] = 1, 0
    saved = client.ask(f"/api/mask/{key}", "PUT", runs(first), If_Match='"none"').json["version"]
    refused = client.ask(f"/api/mask/{key}", "PUT", runs(second), If_Match='"none"')
    assert refused.status == 409
    assert refused.json["version"] == saved
    found = np.frombuffer(gzip.decompress(client.ask(f"/api/mask/{key}").body), np.uint8)
    assert np.array_equal(found, first.ravel())
    assert client.ask(f"/api/mask/{key}", "PUT", runs(second)).status == 409  # names no version


@pytest.mark.parametrize("body", [b"", b"abc", b"\x07" + (HEIGHT * WIDTH).to_bytes(4, "little")])
def test_bodies_that_are_not_masks_are_refused(client, body):
    key = client.key("scene_0.png")
    assert client.ask(f"/api/mask/{key}", "PUT", body, If_Match='"none"').status == 400


def test_a_body_that_is_too_large_is_refused(client):
    key = client.key("scene_0.png")
    status = client.ask(f"/api/mask/{key}", "PUT", bytes(17 * 2**20), If_Match='"none"').status
    assert status == 413


def test_broken_images_are_shown_as_broken(client):
    images = {i["name"]: i for i in client.state()["images"]}
    assert "not an image" in images["broken.png"]["problem"]
    assert client.ask(f"/api/image/{images['broken.png']['key']}").status == 422
    # Its header is intact: the truncation only shows when it is decoded.
    assert client.ask(f"/api/thumbnail/{images['cut.jpg']['key']}").status == 422
    images = {i["name"]: i for i in client.state()["images"]}
    assert "broken" in images["cut.jpg"]["problem"]
    assert images["scene_0.png"]["problem"] == ""


def test_the_list_does_not_wait_for_masks_to_be_counted(tmp_path, monkeypatch):
    write_images(tmp_path, 2)
    session = LabelSession(tmp_path, 0)
    for image in session.images.scan():
        session.masks.save(image, np.zeros(image.shown_shape, np.uint8), "none")
    with monkeypatch.context() as patch:
        patch.setattr("segboost.label.session.COUNTING", -1.0)
        shown = session.state()
        assert [i["unpainted"] for i in shown["images"]] == [None, None]
        assert shown["next"] == shown["images"][0]["key"]  # it may not be complete
    assert [i["unpainted"] for i in session.state()["images"]] == [0, 0]
    assert session.state()["next"] is None
    monkeypatch.setattr("segboost.label.session.COUNTING", -1.0)
    assert session.state()["images"][0]["painted"] == [0]  # known by now


def test_a_file_that_changes_has_another_stamp_and_other_superpixels(tmp_path):
    write_images(tmp_path, 2)
    session = LabelSession(tmp_path, 0)
    before = session.images.scan()[0]
    first = session.superpixels(before)
    (tmp_path / "scene_1.png").replace(tmp_path / "scene_0.png")
    after = session.images.scan()[0]
    assert (after.key, after.stamp != before.stamp) == (before.key, True)
    assert session.state()["images"][0]["stamp"] == after.stamp
    assert not np.array_equal(session.superpixels(after), first)


def test_a_painted_class_is_removed_only_after_confirmation(tmp_path):
    write_images(tmp_path, 1)
    with serving(LabelSession(tmp_path, 0)) as client:

        def change(classes, **more):
            asked = {"classes": classes, "revision": client.state()["revision"], **more}
            return client.ask("/api/classes", "PUT", json.dumps(asked).encode())

        two = client.state()["classes"]
        three = [*two, {"value": None, "name": "wheel", "colour": None}]
        assert change(three).status == 200
        image = client.state()["images"][0]
        mask = np.full((HEIGHT, WIDTH), 2, np.uint8)
        path = f"/api/mask/{image['key']}?{image['stamp']}"
        assert client.ask(path, "PUT", runs(mask), If_Match='"none"').status == 200
        refused = change(two)
        assert (refused.status, refused.json["painted"]) == (409, [2])
        assert "strokes of wheel" in refused.json["problem"]
        assert change(two, erase="all").status == 400
        assert len(client.state()["classes"]) == 3
        assert change(two, erase=[2]).status == 200
        assert len(client.state()["classes"]) == 2


def test_training_needs_both_classes(client):
    answer = client.ask("/api/train", "POST", b"")
    assert answer.status == 409
    assert "paint some" in answer.json["problem"] or "no background" in answer.json["problem"]


def entry(key, version="none", uncertainty=None, unpainted=1, problem=""):
    return {
        "key": key,
        "version": version,
        "uncertainty": uncertainty,
        "unpainted": unpainted,
        "problem": problem,
    }


def test_the_least_certain_image_without_paint_is_next():
    images = [entry("a", uncertainty=0.2), entry("b", uncertainty=0.7), entry("c", problem="x")]
    assert choose_next(images) == "b"
    assert choose_next([entry("p", "v1", 0.9), *images]) == "b"
    assert choose_next([entry("p", "v1", 0.9), entry("q", "v2", 0.1)]) == "p"
    assert choose_next([entry("a"), entry("b")]) == "a"
    assert choose_next([entry("p", "v1", 0.9, unpainted=0)]) is None
    assert choose_next([]) is None
