import gzip
import importlib.util
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import COLUMNS, ROWS, SLICES, write_slice

import negato

numpy = pytest.importorskip("numpy")

SHAPE = (SLICES, ROWS, COLUMNS)
#: Sample (slice, row, column) has 100 slice + 10 row + column.
STORED = sum(10**power * axis for power, axis in zip((2, 1, 0), numpy.indices(SHAPE))).astype("<i2")
EXAMPLES = Path(__file__).parents[2] / "examples" / "assistants"


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    for number in range(SLICES):
        write_slice(folder / f"{number}.dcm", number, samples=STORED[number].reshape(-1).tolist(), rescale=(2, -10))
    return folder


@pytest.fixture
def viewer(study):
    with negato.view(study, browser=False, wait="scan") as opened:
        yield opened


def point(slice_, row, column, positive=True):
    # File n is slice n.
    return {"kind": "point", "is_positive": positive, "samples": [[slice_, 0, row, column]]}


def ask(viewer, *prompts, name=None, **more):
    listed = viewer._get_json("/assistants")["assistants"]
    (number,) = [one["id"] for one in listed if name in (None, one["name"])]
    body = {"file_index": 0, "frame_index": 0, "prompts": list(prompts), **more}
    return viewer._send_json("POST", f"/assistants/{number}/answer", body).json()


def to_mask(answer):
    mask = numpy.zeros(SHAPE, bool)
    for one in answer["slices"]:
        told = one["mask"]
        runs = told["runs"]
        inside = numpy.repeat(numpy.arange(len(runs)) % 2 == 1, runs).reshape(told["height"], told["width"])
        top, left = told["top"], told["left"]
        mask[one["file_index"], top : top + told["height"], left : left + told["width"]] = inside
    return mask


def test_the_function_sees_the_stored_samples_and_their_place_and_its_mask_comes_back(viewer):
    seen = []

    @viewer.assistant("Bright", prompts=("point", "box", "scribble", "mask"))
    def segment(volume, prompts):
        seen.append((volume, prompts, prompts.cancelled))
        return volume.array > 214

    answer = ask(viewer, point(1, 2, 3), point(0, 0, 0, False))
    assert (to_mask(answer) == (STORED > 214)).all()
    assert answer["voxels"] == int((STORED > 214).sum())
    ((volume, prompts, was_cancelled),) = seen
    ours = viewer.volume()
    assert volume.array.dtype == ours.array.dtype == "<i2"
    assert volume.array.tobytes() == ours.array.tobytes() == STORED.tobytes()
    assert (volume.affine_lps == ours.affine_lps).all() and volume.spacing == ours.spacing
    assert (volume.unit, volume.rescale) == ("stored", (2, -10))
    with pytest.raises(ValueError, match="read-only"):
        volume.array[0] = 1
    # Of the export of NIfTI, whose rows run up, so that its row 0 is the last one here.
    file = gzip.decompress(viewer._client.request("GET", "/file/0/volume/nifti").body)
    nifti = numpy.array(struct.unpack("<12f", file[280:328])).reshape(3, 4)
    up = numpy.array([[1, 0, 0, 0], [0, -1, 0, ROWS - 1], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert ((volume.affine_ras @ up)[:3] == nifti).all()
    assert [(one.kind, one.positive, one.points.tolist()) for one in prompts] == [
        ("point", True, [[1, 2, 3]]),
        ("point", False, [[0, 0, 0]]),
    ]
    assert prompts.mask is None and not was_cancelled and prompts.slice == 0
    assert numpy.argwhere(prompts.paint(SHAPE)).tolist() == [[0, 0, 0], [1, 2, 3]]
    assert prompts.paint(SHAPE)[0, 0, 0] == -1


def test_values_boxes_scribbles_and_the_mask_of_a_mark(viewer):
    seen = []

    @viewer.assistant("Values", prompts=("box", "scribble", "mask"), unit="modality", negative=False)
    def segment(volume, prompts):
        seen.append((volume.array.copy(), volume.unit, list(prompts), prompts.mask, prompts.paint(SHAPE)))

    mask = numpy.zeros((ROWS, COLUMNS), bool)
    mask[2, 1:3] = True
    (number,) = viewer.add_marks([{"kind": "brush", "file": 1, "mask": mask}])
    box = {"kind": "box", "is_positive": True, "samples": [[2, 0, 4, 1], [1, 0, 3, 3]]}
    scribble = {"kind": "scribble", "is_positive": True, "samples": [[0, 0, 0, 0], [0, 0, 0, 1]]}
    assert ask(viewer, box, scribble, mark=number) == {"voxels": 0, "slices": []}
    ((array, unit, prompts, given, painted),) = seen
    assert (array == STORED.astype("i4") * 2 - 10).all() and unit == "HU"
    assert [one.points.tolist() for one in prompts] == [[[1, 3, 1], [2, 4, 3]], [[0, 0, 0], [0, 0, 1]]]
    # 2 slices, 2 rows and 3 columns of the box, and two samples.
    assert int(painted.sum()) == 2 * 2 * 3 + 2
    assert (given[1] == mask).all() and int(given.sum()) == 2
    with pytest.raises(negato.RequestError, match="Values takes nothing that is outside"):
        ask(viewer, {**box, "is_positive": False})


def test_an_assistant_of_one_image_may_answer_with_rows_and_columns(viewer):
    @viewer.assistant("Flat", prompts=("point",), dimensions=2)
    def segment(volume, prompts):
        return volume.array[prompts.slice] % 10 == 1

    mask = to_mask(ask(viewer, point(2, 0, 0)))
    assert (mask[2] == (STORED[2] % 10 == 1)).all() and not mask[[0, 1, 3]].any()
    with pytest.raises(negato.RequestError, match="the prompts are in several"):
        ask(viewer, point(2, 0, 0), point(1, 0, 0))


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda volume: numpy.zeros((1, 2, 3), bool), r"the mask has the shape \(1, 2, 3\), and the volume \(4, 6, 5\)"),
        (lambda volume: volume.array, "the mask has other values than 0 and 1"),
        (lambda volume: volume.array * 0.5, "a mask is of bool or whole numbers, and this one is of float64"),
        (lambda volume: 1 / 0, "division by zero"),
        (lambda volume: (_ for _ in ()).throw(KeyError()), "KeyError"),
    ],
)
def test_what_goes_wrong_is_a_sentence(viewer, answer, sentence, capfd):
    viewer.assistant("Wrong")(lambda volume, prompts: answer(volume))
    with pytest.raises(negato.RequestError, match=f"Wrong: {sentence}") as raised:
        ask(viewer, point(0, 0, 0))
    assert raised.value.code == "assistant_failed"


def test_arguments_are_checked(viewer):
    for given, error, message in [
        ({"name": ""}, TypeError, "name must be a text"),
        ({"prompts": ("click",)}, ValueError, "prompts must be"),
        ({"prompts": ("mask",)}, ValueError, "one of 'point', 'box' and 'scribble'"),
        ({"unit": "HU"}, ValueError, "unit must be"),
        ({"dimensions": 4}, ValueError, "dimensions must be 2 or 3"),
        ({"seconds": 0}, TypeError, "seconds must be a number up to 3600"),
    ]:
        with pytest.raises(error, match=message):
            viewer.assistant(**{"name": "x", **given})(lambda volume, prompts: None)
    with pytest.raises(TypeError, match="a function"):
        viewer.assistant("x")(3)


def test_the_same_name_replaces_and_a_viewer_that_is_started_again_still_knows_it(viewer, tmp_path):
    viewer.assistant("Same")(lambda volume, prompts: None)
    viewer.assistant("Same")(lambda volume, prompts: volume.array >= 0)
    assert ask(viewer, point(0, 0, 0))["voxels"] == STORED.size
    more = tmp_path / "more"
    more.mkdir()
    write_slice(more / "0.dcm", 0, series="2.25.77")
    viewer.add(more)
    assert ask(viewer, point(0, 0, 0))["voxels"] == STORED.size


def test_questions_are_answered_one_at_a_time_and_one_that_was_given_up_is_not_begun(viewer):
    began, go_on, calls = threading.Event(), threading.Event(), []

    @viewer.assistant("Slow")
    def segment(volume, prompts):
        calls.append(prompts[0].points[0].tolist())
        began.set()
        while not prompts.cancelled and not go_on.is_set():
            time.sleep(0.01)
        return volume.array >= 0

    import http.client
    import json

    def send(prompt):
        connection = http.client.HTTPConnection("127.0.0.1", viewer._started["port"])
        headers = {"Content-Type": "application/json"}
        if viewer.token is not None:
            headers["Authorization"] = f"Bearer {viewer.token}"
        body = {"file_index": 0, "frame_index": 0, "prompts": [prompt]}
        connection.request("POST", "/api/assistants/0/answer", json.dumps(body), headers)
        return connection

    first = send(point(0, 0, 0))
    assert began.wait(30)
    second = send(point(0, 0, 1))
    # The first sees that nobody waits for it any more; it is the third that is answered.
    second.close()
    first.close()
    go_on_after = send(point(0, 0, 2))
    deadline = time.monotonic() + 30
    while len(calls) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    go_on.set()
    assert go_on_after.getresponse().status == 200
    assert [0, 0, 0] in calls and [0, 0, 2] in calls


PROGRAM = """
import sys, time, negato
viewer = negato.view(sys.argv[1], browser=False, wait="scan")
viewer.assistant("Mine")(lambda volume, prompts: time.sleep(60))
print(viewer.base_url, viewer.token or "", viewer.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_a_python_that_is_killed_leaves_no_viewer_and_no_assistant(study):
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(study)], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        _, *_, pid = program.stdout.readline().split()
        program.kill()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return
        # Nobody has waited for it yet.
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
            return
        time.sleep(0.05)
    raise AssertionError("the viewer goes on")


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def block(tmp_path):
    """A bright block on a dark ground, with a little noise: rows 1 to 4 and columns 1 to 3 of all slices."""
    noise = numpy.random.default_rng(1).integers(-3, 4, SHAPE)
    truth = numpy.zeros(SHAPE, bool)
    truth[:, 1:5, 1:4] = True
    array = noise + 200 * truth
    folder = tmp_path / "block"
    folder.mkdir()
    for number in range(SLICES):
        write_slice(folder / f"{number}.dcm", number, samples=array[number].reshape(-1).tolist())
    with negato.view(folder, browser=False, wait="scan") as opened:
        yield opened, truth


def scribble(slice_, *places, positive=True):
    return {"kind": "scribble", "is_positive": positive, "samples": [[slice_, 0, row, column] for row, column in places]}


def test_the_example_that_grows_by_confidence_finds_the_block(block):
    pytest.importorskip("SimpleITK")
    viewer, truth = block
    load_example("confidence_connected").add_to(viewer)
    # The noise is at most 3, and 2.5 of its standard deviations are about 5.
    assert (to_mask(ask(viewer, point(1, 2, 2))) == truth).all()
    assert ask(viewer, point(1, 2, 2), point(1, 3, 2, False))["voxels"] == 0
    with pytest.raises(negato.RequestError, match="click on what is inside first"):
        ask(viewer, point(1, 2, 2, False))


def test_the_example_of_the_random_walker_finds_the_square_in_its_image(block):
    pytest.importorskip("skimage")
    viewer, truth = block
    load_example("random_walker").add_to(viewer)
    outside = scribble(1, (0, 0), (5, 4), (0, 4), (5, 0), positive=False)
    found = to_mask(ask(viewer, scribble(1, (2, 2), (3, 2)), outside))
    assert (found[1] == truth[1]).all() and not found[[0, 2, 3]].any()
    with pytest.raises(negato.RequestError, match="scribble inside first"):
        ask(viewer, scribble(1, (1, 1)))


def test_the_example_that_grows_from_seeds_finds_the_block(block):
    pytest.importorskip("skimage")
    viewer, truth = block
    load_example("grow_from_seeds").add_to(viewer)
    outside = [scribble(slice_, (0, 4), (5, 0), (5, 4), positive=False) for slice_ in (0, 1, 2, 3)]
    found = to_mask(ask(viewer, scribble(1, (2, 1), (2, 2)), scribble(2, (2, 1), (2, 2)), *outside))
    # The border is found to a voxel.
    assert found[1, 2, 1] and found[2, 2, 2] and not found[0, 0, 4] and not found[3, 5, 0]


def test_the_reference_server_speaks_the_protocol(study):
    with subprocess.Popen(
        [sys.executable, "-u", str(EXAMPLES / "reference_server.py"), "0"], stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            port = find_port(program.pid)
            with negato.view(study, browser=False, wait="scan", assist=f"http://127.0.0.1:{port}") as viewer:
                (one,) = viewer._get_json("/assistants")["assistants"]
                assert (one["name"], one["prompts"], one["problem"]) == ("Ball", ["point"], None)
                # Slices are 3 mm, rows 2 mm and columns 1 mm apart, so that everything is within 10 mm of the middle but
                # what lies 3 rows, 2 columns and 2 or 3 slices away: 36 + 4 + 81 > 100 in the last slice from the first.
                distances = sum(((axis - at) * mm) ** 2 for axis, at, mm in zip(numpy.indices(SHAPE), (0, 0, 0), (3, 2, 1)))
                assert (to_mask(ask(viewer, point(0, 0, 0))) == (distances <= 100)).all()
        finally:
            program.kill()


def find_port(pid):
    """The port on which a process listens, of Linux; elsewhere there is no such test."""
    if not Path("/proc/net/tcp").exists():
        pytest.skip("the system does not say which process listens where")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        inodes = set()
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = os.readlink(descriptor)
            except OSError:
                continue
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes and fields[3] == "0A":
                return int(fields[1].split(":")[1], 16)
        time.sleep(0.05)
    raise AssertionError("the server does not listen")


class FakeSession:
    """What the client of nnInteractive has: it answers with all samples of the value under the points that are inside."""

    supports_initial_label = True
    supported_interactions = {"points": True, "bbox2d": True, "bbox3d": False, "scribble": True, "lasso": True}

    def __init__(self):
        self.calls = []
        self.target_buffer = None

    def set_image(self, image, image_properties=None):
        assert image.ndim == 4 and image.dtype == "float32"
        self.calls.append("image")
        self.image = image[0]

    def set_target_buffer(self, buffer):
        self.target_buffer = buffer

    def reset_interactions(self):
        self.target_buffer.fill(0)
        self.values = set()

    def add_initial_seg_interaction(self, mask, run_prediction=False):
        self.target_buffer[:] = mask

    def add_point_interaction(self, coordinates, include_interaction, run_prediction=True):
        self.calls.append(("point", coordinates, include_interaction, run_prediction))
        self._add(self.image[tuple(coordinates)], include_interaction, run_prediction)

    def add_bbox_interaction(self, bbox_coords, include_interaction, run_prediction=True):
        self.calls.append(("box", bbox_coords, include_interaction, run_prediction))
        self._add(None, include_interaction, run_prediction)

    def add_scribble_interaction(self, scribble_image, include_interaction, run_prediction=True):
        self.calls.append(("scribble", int(scribble_image.sum()), include_interaction, run_prediction))
        self._add(None, include_interaction, run_prediction)

    def _add(self, value, include, run):
        (self.values.add if include else self.values.discard)(value)
        if run:
            self.target_buffer[:] = numpy.isin(self.image, [one for one in self.values if one is not None])


def test_the_bridge_to_nninteractive_sends_the_image_once_and_all_prompts_in_its_own_terms(viewer):
    session = FakeSession()
    load_example("nninteractive_bridge").add_to(viewer, lambda: session)
    box = {"kind": "box", "is_positive": False, "samples": [[1, 0, 1, 1], [1, 0, 3, 2]]}
    assert (to_mask(ask(viewer, scribble(0, (0, 0), (0, 1)), box, point(1, 2, 3))) == (STORED == 123)).all()
    assert (to_mask(ask(viewer, point(2, 0, 0))) == (STORED == 200)).all()
    # Boxes of nnInteractive end behind their last voxel.
    assert session.calls == [
        "image",
        ("scribble", 2, True, False),
        ("box", [[1, 2], [1, 4], [1, 3]], False, False),
        ("point", [1, 2, 3], True, True),
        ("point", [2, 0, 0], True, True),
    ]


class FakeMonaiLabel:
    """`/info/`, `/session/` and `/infer/{model}` of MONAI Label 0.8.5, with a model that finds all samples of a value."""

    def __init__(self, folder):
        import re
        from email.parser import BytesParser
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        import SimpleITK as sitk

        self.requests = requests = []
        sessions = {}

        def read_parts(handler):
            body = handler.rfile.read(int(handler.headers["Content-Length"]))
            head = f"Content-Type: {handler.headers['Content-Type']}\r\n\r\n".encode()
            message = BytesParser().parsebytes(head + body)
            return {one.get_param("name", header="content-disposition"): one for one in message.get_payload()}

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def say(self, body):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                import json

                assert self.path == "/info/"
                models = {
                    "deepedit": {"type": "deepedit", "labels": {"spleen": 1, "background": 0}, "dimension": 3},
                    "whole": {"type": "segmentation", "labels": {"body": 1}, "dimension": 3},
                }
                self.say(json.dumps({"models": models}).encode())

            def do_PUT(self):
                assert self.path == "/session/"
                file = read_parts(self)["files"]
                path = folder / file.get_filename()
                path.write_bytes(file.get_payload(decode=True))
                sessions["s1"] = sitk.ReadImage(str(path))
                requests.append("session")
                self.say(b'{"session_id": "s1"}')

            def do_POST(self):
                import json

                model, session = re.fullmatch(r"/infer/(\w+)\?session_id=(\w+)&output=image", self.path).groups()
                given = json.loads(read_parts(self)["params"].get_payload(decode=True))
                requests.append((model, given))
                image = sessions[session]
                array = sitk.GetArrayFromImage(image)
                labels = numpy.zeros(array.shape, "u1")
                for place in given.get("spleen", []):
                    labels[array == image[[int(one) for one in place]]] = 1
                answer = sitk.GetImageFromArray(labels)
                answer.CopyInformation(image)
                path = folder / "answer.nii.gz"
                sitk.WriteImage(answer, str(path))
                self.say(path.read_bytes())

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"


def test_the_bridge_to_monai_label_sends_the_image_once_and_counts_columns_first(viewer, tmp_path):
    pytest.importorskip("SimpleITK")
    fake = FakeMonaiLabel(tmp_path)
    bridge = load_example("monailabel_bridge")
    bridge.add_to(viewer, bridge.Server(fake.url))
    listed = viewer._get_json("/assistants")["assistants"]
    assert [(one["name"], one["takes_negative"]) for one in listed] == [("deepedit", True), ("whole", False)]
    found = to_mask(ask(viewer, point(1, 2, 3), point(0, 0, 4, False), name="deepedit"))
    assert (found == (STORED == 123)).all()
    assert ask(viewer, point(1, 2, 3), name="whole")["voxels"] == 0
    assert fake.requests == [
        "session",
        ("deepedit", {"label": "spleen", "spleen": [[3, 2, 1]], "background": [[4, 0, 0]]}),
        ("whole", {}),
    ]
    fake.http.shutdown()
