import importlib.util
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import pixel_rows, write_image

import negato

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def rows_of(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else table


@pytest.fixture
def viewer(folder):
    with negato.view(folder, browser=False, wait="scan") as opened:
        yield opened


def test_files_are_listed_with_the_fields_of_the_api(viewer, folder):
    files = rows_of(viewer.files())
    assert [os.path.basename(one["path"]) for one in files] == ["1.dcm", "2.dcm"]
    assert files[0]["sop_instance_uid"] == "2.25.1001"


def test_tables_are_data_frames_if_pandas_is_installed(viewer):
    assert hasattr(viewer.files(), "to_dict") == HAS_PANDAS


def test_tables_are_complete_also_if_they_are_asked_for_before_the_end_of_the_scan(tmp_path):
    for number in range(300):
        write_image(tmp_path / f"{number}.dcm", number=number, columns=2, samples=[1, 2])
    with negato.view(tmp_path, browser=False, wait="server") as viewer:
        assert len(rows_of(viewer.files())) == 300
    with negato.view(tmp_path, browser=False, wait="server") as viewer:
        assert [one["frames"] for one in rows_of(viewer.series())] == [300]


def test_a_series_is_one_row_for_each_stack(viewer):
    assert [one["frames"] for one in rows_of(viewer.series())] == [2]


@pytest.mark.skipif(HAS_NUMPY, reason="numpy is installed")
def test_a_frame_without_numpy_says_what_to_install(viewer):
    with pytest.raises(ImportError, match="pip install numpy"):
        viewer.frame(1)


@pytest.mark.skipif(not HAS_NUMPY, reason="numpy is not installed")
def test_a_frame_has_the_stored_samples(viewer):
    samples = viewer.frame(1)
    assert samples.dtype.str == "<i2"
    assert samples.tolist() == [[2, -2, 300], [-32768, 32767, 0]]


def test_a_screenshot_is_the_frame_as_png(viewer, tmp_path):
    png = viewer.screenshot(tmp_path / "one.png", window=(0, 100))
    assert pixel_rows(png) == 2
    assert (tmp_path / "one.png").read_bytes() == png


def test_a_view_is_asked_of_the_page_and_an_error_says_that_none_is_open(viewer):
    assert viewer.shown() is None
    assert viewer.goto(1, window=(0, 100)) is None
    for ask in (lambda: viewer.goto(1, wait=True), lambda: viewer.screenshot(what="view")):
        with pytest.raises(negato.RequestError) as failure:
            ask()
        assert (failure.value.status, failure.value.code) == (409, "no_page")
    with pytest.raises(negato.RequestError) as failure:
        viewer.goto(9)
    assert failure.value.code == "not_found"


def test_a_page_that_opens_is_asked_to_show_what_was_wanted_before(viewer):
    viewer.goto(1, window=(40, 400))
    report = {"page": "a page of this test", "state": "visible", "focused_at_ms": 1, "answer": None}
    asked = viewer._send_json("PUT", "/view/page", report).json()["next"]
    assert asked["show"] == {"file": 1, "window": {"center": 40, "width": 400}}


def test_a_tag_is_read_by_its_path(viewer):
    assert viewer.tag("(0010,0010)")["value"] == "Test^Python"


def test_rois_come_back_as_they_were_written(viewer):
    path = rows_of(viewer.files())[0]["path"]
    viewer.set_annotations([{"path": path, "ymin": 0, "xmin": 1, "ymax": 1, "xmax": 2, "frames": []}])
    (roi,) = rows_of(viewer.annotations())
    assert [roi[name] for name in ("path", "ymin", "xmin", "ymax", "xmax", "frames")] == [path, 0, 1, 1, 2, []]
    viewer.set_annotations(viewer.annotations())
    assert len(rows_of(viewer.annotations())) == 1
    assert rows_of(viewer.annotations(tidy=False))[0]["num_ROI"] == 1


def test_marks_are_rows_with_points_and_millimetres(viewer):
    place = {"type": "frame", "file_index": 0, "frame_index": 0}
    body = {"kind": "length", "place": place, "points": [[0, 0], [1.5, 0]], "label": "=1"}
    viewer._send_json("POST", "/marks", body)
    (mark,) = rows_of(viewer.marks())
    assert (mark["kind"], mark["label"], mark["points_px"]) == ("length", "=1", [[0, 0], [1.5, 0]])
    assert (mark["sop_instance_uid"], mark["frame_number"], mark["locked"]) == ("2.25.1001", 1, False)


def test_rois_that_somebody_else_changed_are_a_conflict(viewer):
    path = rows_of(viewer.files())[0]["path"]
    original = viewer._client.request

    def change_between(method, where, **options):
        answer = original(method, where, **options)
        if method == "GET" and where.endswith("/annotations") and where.startswith("/file"):
            viewer._client.request = original
            other = [{"path": path, "ymin": 0, "xmin": 0, "ymax": 1, "xmax": 1, "frames": []}]
            viewer.set_annotations(other)
        return answer

    viewer._client.request = change_between
    with pytest.raises(negato.AnnotationConflict):
        viewer.set_annotations([{"path": path, "ymin": 1, "xmin": 1, "ymax": 2, "xmax": 2, "frames": []}])


def test_what_is_not_open_is_an_error_with_the_code_of_the_api(viewer):
    with pytest.raises(negato.RequestError) as failure:
        viewer.screenshot(file=99)
    assert (failure.value.status, failure.value.code) == (404, "not_found")


def test_a_folder_without_images_is_an_error_that_says_so(tmp_path):
    with pytest.raises(negato.NoFiles):
        negato.view(tmp_path, browser=False)


def test_a_path_that_does_not_exist_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(FileNotFoundError):
        negato.view(tmp_path / "none")


def test_a_failed_start_tells_the_last_lines_of_the_viewer(folder):
    with pytest.raises(negato.StartupError, match="filter"):
        negato.view(folder, browser=False, filters=["nonsense"])


def test_a_token_is_required_of_others_and_sent_by_this_client(folder):
    token = "a-token-of-at-least-thirty-two-characters"
    with negato.view(folder, browser=False, token=token, wait="scan") as viewer:
        assert viewer.token == token and token in viewer.url
        assert len(rows_of(viewer.files())) == 2


def test_after_the_end_every_request_says_that_the_viewer_is_gone(folder):
    viewer = negato.view(folder, browser=False)
    assert viewer.close() == 0
    assert not viewer.is_running
    with pytest.raises(negato.ViewerGone):
        viewer.files()


def test_a_missing_node_is_told_with_the_command_that_installs_it(folder, monkeypatch):
    monkeypatch.setenv("NEGATO_NODE", "/nowhere/node")
    with pytest.raises(negato.NodeNotFound, match="NEGATO_NODE"):
        negato.view(folder, browser=False)


CHILD = """
import signal, sys, time, negato
# A shell starts what runs in the background with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
viewer = negato.view(sys.argv[1], browser=False, wait="server")
print(viewer.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_viewer_ends_with_python_however_it_ends(folder, how):
    python = subprocess.Popen([sys.executable, "-c", CHILD, str(folder)], stdout=subprocess.PIPE, text=True)
    pid = int(python.stdout.readline())
    python.send_signal(how)
    python.wait()
    end = time.monotonic() + 20
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_alive(pid)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    # A process that ended and that nobody has waited for is still listed.
    try:
        with open(f"/proc/{pid}/stat") as status:
            return status.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return True


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_does_not_stop_the_viewer_of_its_parent(viewer):
    child = os.fork()
    if child == 0:
        viewer.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert viewer.is_running and len(rows_of(viewer.files())) == 2


def test_the_import_loads_nothing_that_is_not_needed():
    code = """
import sys, negato
print([n for n in ("numpy", "pandas", "pydicom", "IPython", "http.client", "negato._viewer") if n in sys.modules])
print({"view", "Viewer", "Error"} <= set(dir(negato)), negato.view.__name__, "negato._viewer" in sys.modules)
print(hasattr(negato, "other"))
"""
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.splitlines() == ["[]", "True view True", "False"]


def test_data_sets_in_memory_are_opened_and_removed_with_the_viewer(folder):
    pydicom = pytest.importorskip("pydicom")
    data_set = pydicom.dcmread(folder / "1.dcm")
    viewer = negato.view(data_set, browser=False, wait="scan")
    (record,) = rows_of(viewer.files())
    assert record["sop_instance_uid"] == "2.25.1001" and os.path.exists(record["path"])
    assert viewer.frame(0).tolist() == data_set.pixel_array.tolist()
    viewer.close()
    assert not os.path.exists(os.path.dirname(record["path"]))


def test_what_is_neither_path_nor_data_set_is_refused():
    with pytest.raises(TypeError, match="overlays="):
        negato.view([object()])


def test_dcmview_habits(folder):
    from negato.compat.dcmview import view

    with pytest.raises(ValueError):
        view([])
    with view(str(folder), browser=False, block=False) as handle:
        assert handle.url.startswith("http://127.0.0.1:")
    assert handle.stop() == 0
    with pytest.raises(subprocess.CalledProcessError):
        view([str(folder / "none")], browser=False, block=False)


def test_an_audit_lists_what_is_odd(viewer):
    names = {row["unit"]["id"]: row["values"] for row in rows_of(viewer.audit("identifiers", values=True))}
    assert names["(0010,0010)"]["listed"] == ["Test^Python"]
    forms = {row["unit"]["id"]: row["values"] for row in rows_of(viewer.audit("identifiers", where="Rows > 0"))}
    assert forms["(0010,0010)"]["listed"] == ["Xxxx^Xxxxxx"]
    with pytest.raises(negato.RequestError) as failure:
        viewer.audit("nothing")
    assert failure.value.code == "invalid_path"


def test_a_sheet_is_a_picture_of_a_series(viewer, tmp_path):
    sheet = viewer.sheet(path=tmp_path / "sheet.png", width=64)
    assert sheet[:8] == b"\x89PNG\r\n\x1a\n"
    assert (tmp_path / "sheet.png").read_bytes() == sheet == sheet._repr_png_()
    assert sheet.tiles == [(0, 0), (1, 0)]
    assert (sheet.columns, sheet.problems, sheet.left_out) == (2, {}, [])
    # Width and height are in the header of the file.
    assert int.from_bytes(sheet[16:20], "big") == 64
    uid = rows_of(viewer.files())[0]["series_instance_uid"]
    assert viewer.sheet(uid, width=64) == viewer.sheet(1, width=64) == sheet
    assert viewer.sheet(1, slices=1, window=(0, 100)).tiles == [(0, 0)]
    with pytest.raises(KeyError):
        viewer.sheet("2.25.404")
    with pytest.raises(negato.RequestError) as caught:
        viewer.sheet(99)
    assert caught.value.code == "not_found"


def test_a_review_is_one_row_for_each_series_with_columns_for_each_reader(folder, tmp_path):
    path = tmp_path / "verdicts.jsonl"
    with negato.view(folder, review=path, reader="anna", browser=False, wait="scan") as viewer:
        viewer._send_json("PUT", "/review/0", {"verdict": "reject", "comment": "blurred"})
        [row] = rows_of(viewer.review())
        assert (row["files"], row["verdict:anna"], row["comment:anna"]) == (2, "reject", "blurred")
    assert path.read_text(encoding="utf-8").count("\n") == 1
    with negato.view(folder, review=path, reader="ben", browser=False, wait="scan") as viewer:
        [row] = rows_of(viewer.review())
        assert (row["verdict:anna"], row["verdict:ben"]) == ("reject", None)


def test_without_a_review_there_is_no_table_of_it(viewer):
    with pytest.raises(negato.RequestError) as raised:
        viewer.review()
    assert raised.value.code == "no_review"
