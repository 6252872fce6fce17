"""Functions of the user that answer clicks, boxes and scribbles of the page with masks."""

from __future__ import annotations

import collections
import hashlib
import hmac
import json
import secrets
import select
import socket
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple, Optional, Sequence

from ._options import check_choice, check_switch, refuse
from ._volume import affine_to_ras

if TYPE_CHECKING:  # pragma: no cover
    import numpy

    from ._viewer import Viewer

PROTOCOL = "negato-assistant/1"
KINDS = ("point", "box", "scribble", "mask")
#: Volumes that are kept: that of the series that is open, and the one before.
MOST_VOLUMES = 2
LONGEST_SECONDS = 3600
MOST_WORDS = 64 * 2**20


class AssistantVolume(NamedTuple):
    """The samples that an assistant is asked about. It is the same array for all prompts on a series: do not write to it."""

    #: (slices, rows, columns).
    array: numpy.ndarray
    #: From column, row and slice to millimetres to the left, back and head, 4 x 4; None if slices are not equally far apart.
    affine_lps: Optional[numpy.ndarray]
    #: Millimetres between slices, rows and columns.
    spacing: tuple[float, float, float]
    #: "stored", or that of the modality values, such as "HU".
    unit: str
    #: (slope, intercept) that make modality values of stored samples; None if they differ from image to image.
    rescale: Optional[tuple[float, float]]
    #: The same for the same samples: by it, a function may keep what it has computed of them.
    key: str

    @property
    def affine_ras(self) -> Optional[numpy.ndarray]:
        """The same as `affine_lps`, to the right, front and head (NIfTI, nibabel)."""
        return None if self.affine_lps is None else affine_to_ras(self.affine_lps)


class Prompt(NamedTuple):
    """Something that the user has pointed at."""

    #: "point", "box" or "scribble".
    kind: str
    #: True for what is inside, False for what is outside.
    positive: bool
    #: (slice, row, column) in each row: of a point one, of a box its first and last sample, of a scribble all in their order.
    points: numpy.ndarray


class Prompts(Sequence[Prompt]):
    """What the user has pointed at since the last mask was taken, in order."""

    def __init__(
        self, prompts: list[Prompt], mask: Optional[numpy.ndarray], is_cancelled: Callable[[], bool]
    ) -> None:
        self._prompts = prompts
        #: (slices, rows, columns) of bool: the mask that the answer begins from; None without one.
        self.mask = mask
        self._is_cancelled = is_cancelled

    def __len__(self) -> int:
        return len(self._prompts)

    def __getitem__(self, at: Any) -> Any:
        return self._prompts[at]

    def __iter__(self) -> Iterator[Prompt]:
        return iter(self._prompts)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more: long work may then return None."""
        return self._is_cancelled()

    @property
    def slice(self) -> int:
        """The image of the last prompt."""
        return int(self._prompts[-1].points[0, 0])

    def paint(self, shape: Sequence[int]) -> numpy.ndarray:
        """An array of this shape: 1 at points, scribbles and in boxes that are inside, -1 where they are outside, else 0."""
        import numpy

        painted = numpy.zeros(shape, "i1")
        for one in self._prompts:
            sign = 1 if one.positive else -1
            if one.kind == "box":
                low, high = one.points
                painted[tuple(slice(a, b + 1) for a, b in zip(low, high))] = sign
            else:
                painted[tuple(one.points.T)] = sign
        return painted


Function = Callable[[AssistantVolume, Prompts], Any]


class AssistantServer:
    """Lets the viewer ask a function of this process, one question at a time."""

    def __init__(
        self,
        function: Function,
        name: str,
        prompts: Sequence[str],
        negative: bool,
        unit: str,
        dimensions: int,
        seconds: float,
    ) -> None:
        try:
            import numpy  # noqa: F401
        except ImportError as error:
            raise ImportError("an assistant gets numpy arrays: pip install numpy") from error

        if not isinstance(name, str) or not name.strip():
            raise refuse("name", "a text", name)
        kinds = (prompts,) if isinstance(prompts, str) else tuple(prompts)
        for kind in kinds:
            check_choice("prompts", kind, KINDS)
        if not set(kinds) - {"mask"}:
            raise ValueError("prompts must have one of 'point', 'box' and 'scribble'")
        check_switch("negative", negative)
        check_choice("unit", unit, ("stored", "modality"))
        check_choice("dimensions", dimensions, (2, 3))  # type: ignore[arg-type]
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= LONGEST_SECONDS:
            raise refuse("seconds", f"a number up to {LONGEST_SECONDS}", seconds)
        self.name = name
        self.function = function
        self.dimensions = dimensions
        self.description = {
            "protocol": PROTOCOL,
            "name": name,
            "prompts": kinds,
            "negative": negative,
            "dimensions": dimensions,
            "unit": unit,
            "seconds": seconds,
        }
        #: Of the viewer, once it knows this.
        self.number: Optional[int] = None
        self.secret = secrets.token_urlsafe(32)
        self.expected = "Bearer " + _sign(self.secret, "negato")
        self.proof = _sign(self.secret, "assistant")
        self.volumes: collections.OrderedDict[str, numpy.ndarray] = collections.OrderedDict()
        self.lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"assistant": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, name=f"negato {name}", daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, question: Mapping[str, Any], is_cancelled: Callable[[], bool]) -> Optional[_Box]:
        """The mask, cut to what is inside; None if nothing is. ValueError for what is no mask."""
        import numpy

        told = question["volume"]
        array = self.volumes[told["key"]]
        affine = told["affine"]
        volume = AssistantVolume(
            array,
            None if affine is None else numpy.array([*affine, 0, 0, 0, 1], float).reshape(4, 4),
            tuple(told["spacing"]),
            told["unit"],
            None if told["rescale"] is None else (told["rescale"]["slope"], told["rescale"]["intercept"]),
            told["key"],
        )
        prompts = Prompts(
            [_read_prompt(one) for one in question["prompts"]],
            None if question["mask"] is None else _read_mask(question["mask"], array.shape),
            is_cancelled,
        )
        with self.lock:
            # Who waits for the turn may have gone in the meantime.
            if is_cancelled():
                return None
            made = self.function(volume, prompts)
        if made is None:
            return None
        mask = _check_mask(numpy.asarray(made), array.shape, prompts.slice if self.dimensions == 2 else None)
        return _cut(mask)


class _Box(NamedTuple):
    start: tuple[int, ...]
    mask: numpy.ndarray


def _sign(secret: str, who: str) -> str:
    return hmac.new(secret.encode(), who.encode(), hashlib.sha256).hexdigest()


def _read_prompt(told: Mapping[str, Any]) -> Prompt:
    import numpy

    kind = told["kind"]
    points = [told["at"]] if kind == "point" else [told["from"], told["to"]] if kind == "box" else told["points"]
    return Prompt(kind, told["positive"], numpy.array(points, int))


def _read_mask(slices: Sequence[Mapping[str, Any]], shape: Sequence[int]) -> numpy.ndarray:
    import numpy

    mask = numpy.zeros(shape, bool)
    for one in slices:
        runs = one["runs"]
        inside = numpy.repeat(numpy.arange(len(runs)) % 2 == 1, runs).reshape(one["height"], one["width"])
        top, left = one["top"], one["left"]
        mask[one["slice"], top : top + one["height"], left : left + one["width"]] = inside
    return mask


def _check_mask(mask: numpy.ndarray, shape: Sequence[int], only: Optional[int]) -> numpy.ndarray:
    import numpy

    if mask.dtype.kind not in "bui":
        raise ValueError(f"a mask is of bool or whole numbers, and this one is of {mask.dtype}")
    if only is not None and mask.shape == tuple(shape[1:]):
        whole = numpy.zeros(shape, bool)
        whole[only] = _to_bool(mask)
        return whole
    if mask.shape != tuple(shape):
        raise ValueError(f"the mask has the shape {mask.shape}, and the volume {tuple(shape)}")
    return _to_bool(mask)


def _to_bool(mask: numpy.ndarray) -> numpy.ndarray:
    if mask.dtype.kind == "b":
        return mask
    inside = mask == 1
    if int(inside.sum()) != int((mask != 0).sum()):
        raise ValueError("the mask has other values than 0 and 1")
    return inside


def _cut(mask: numpy.ndarray) -> Optional[_Box]:
    """The smallest box with all that is inside."""
    import numpy

    ends = []
    for axis in range(3):
        others = tuple(one for one in range(3) if one != axis)
        found = numpy.flatnonzero(mask.any(axis=others))
        if len(found) == 0:
            return None
        ends.append((int(found[0]), int(found[-1]) + 1))
    part = mask[tuple(slice(a, b) for a, b in ends)]
    return _Box(tuple(a for a, _ in ends), numpy.ascontiguousarray(part).view("u1"))


class _Handler(BaseHTTPRequestHandler):
    assistant: AssistantServer
    protocol_version = "HTTP/1.1"
    timeout = 300

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self._is_known():
            self._say(200, self.assistant.description)

    def do_PUT(self) -> None:
        if not self._is_known():
            return
        key = self.path.rsplit("/", 1)[-1]
        try:
            array = _read_array(self.rfile, self._length())
        except (ValueError, OSError, EOFError) as error:
            self._say(400, {"error": f"the volume cannot be read: {error}"})
            return
        except MemoryError:
            self._say(507, {"error": "there is not enough memory for the volume"})
            return
        volumes = self.assistant.volumes
        volumes[key] = array
        while len(volumes) > MOST_VOLUMES:
            volumes.popitem(last=False)
        self._say(200, {})

    def do_POST(self) -> None:
        if not self._is_known():
            return
        length = self._length()
        if length > MOST_WORDS:
            self._say(413, {"error": "the question is too long"})
            return
        question = json.loads(self.rfile.read(length))
        key = question["volume"]["key"]
        if key not in self.assistant.volumes:
            self._say(409, {"error": "the volume has to be sent first"})
            return
        self.assistant.volumes.move_to_end(key)
        try:
            box = self.assistant.answer(question, self._is_gone)
        except Exception as error:  # noqa: BLE001 - whatever the function of the user raises is told
            if not isinstance(error, ValueError):
                traceback.print_exc(file=sys.stderr)
            self._say(500, {"error": str(error) or type(error).__name__})
            return
        if box is None:
            self._send(204, b"", {})
            return
        three = lambda numbers: ",".join(map(str, numbers))  # noqa: E731
        place = {"X-Mask-From": three(box.start), "X-Mask-Size": three(box.mask.shape)}
        self._send(200, box.mask.reshape(-1).data, {"Content-Type": "application/octet-stream", **place})

    def _is_known(self) -> bool:
        """Other users of the machine can connect too."""
        if hmac.compare_digest(self.headers.get("Authorization", ""), self.assistant.expected):
            return True
        self._send(401, b"", {})
        return False

    def _length(self) -> int:
        return int(self.headers.get("Content-Length") or 0)

    def _is_gone(self) -> bool:
        """Whether the viewer has closed the connection: nobody waits for the answer."""
        try:
            if not select.select([self.connection], [], [], 0)[0]:
                return False
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return True

    def _say(self, status: int, words: Mapping[str, Any]) -> None:
        self._send(status, json.dumps(words).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        try:
            self.send_response_only(status)
            self.send_header("X-Assistant-Proof", self.assistant.proof if status != 401 else "")
            # Of 204, there is no body and no length.
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            # The viewer has left.
            pass
        self.close_connection = True


def _read_array(body: Any, length: int) -> numpy.ndarray:
    """The array of a NumPy file, read into its own memory at once."""
    import numpy
    from numpy.lib import format as npy

    version = npy.read_magic(body)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, kind = read(body)
    if is_fortran or kind.hasobject or kind.kind not in "iuf" or len(shape) != 3:
        raise ValueError(f"an array of {kind} with the shape {shape}")
    array = numpy.empty(shape, kind)
    if array.nbytes > length:
        raise ValueError("it is shorter than it says")
    wanted = memoryview(array.reshape(-1).view("u1"))  # type: ignore[arg-type]
    at = 0
    while at < len(wanted):
        count = body.readinto(wanted[at:])
        if not count:
            raise EOFError(f"it ended after {at} of {len(wanted)} bytes")
        at += count
    array.flags.writeable = False
    return array


class Assistants:
    """The functions that a viewer can ask."""

    def __init__(self, viewer: "Viewer") -> None:
        self._viewer = viewer
        self._servers: dict[str, AssistantServer] = {}

    def add(self, server: AssistantServer) -> None:
        old = self._servers.pop(server.name, None)
        if old is not None:
            self._remove(old)
        try:
            self._announce(server)
        except BaseException:
            server.close()
            raise
        self._servers[server.name] = server

    def announce(self) -> None:
        """Tells a viewer that was started again."""
        for server in self._servers.values():
            self._announce(server)

    def close(self) -> None:
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    def _announce(self, server: AssistantServer) -> None:
        body = {"address": server.address, "secret": server.secret}
        server.number = self._viewer._send_json("POST", "/assistants", body).json()["id"]

    def _remove(self, server: AssistantServer) -> None:
        self._viewer._client.request("DELETE", f"/assistants/{server.number}")
        server.close()
