"""An assistant of negato in one file: HTTP with the standard library, and numpy. See docs/assistants.md.

    python reference_server.py 8500
    negato /data/study --assist http://127.0.0.1:8500

It answers with everything within 10 mm of the positive points and not within 10 mm of the negative ones.
"""

import io
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy

RADIUS_MM = 10.0
ABOUT = {
    "protocol": "negato-assistant/1",
    "name": "Ball",
    "prompts": ["point"],
    "negative": True,
    "dimensions": 3,
    "unit": "stored",
    "seconds": 30,
}
volumes = {}


def segment(volume, question):
    """The mask: replace this by your model. `volume` is (slices, rows, columns)."""
    spacing = numpy.array(question["volume"]["spacing"])
    axes = numpy.ogrid[tuple(slice(0, size) for size in volume.shape)]
    mask = numpy.zeros(volume.shape, bool)
    for prompt in question["prompts"]:
        squared = sum(((axis - at) * mm) ** 2 for axis, at, mm in zip(axes, prompt["at"], spacing))
        mask[squared <= RADIUS_MM**2] = prompt["positive"]
    return mask


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, json.dumps(ABOUT).encode())

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        volumes.clear()
        volumes[self.path.split("/")[-1]] = numpy.load(io.BytesIO(body), allow_pickle=False)
        self.answer(200, b"{}")

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        volume = volumes.get(question["volume"]["key"])
        if volume is None:
            self.answer(409, b'{"error": "the volume has to be sent first"}')
            return
        try:
            mask = numpy.ascontiguousarray(segment(volume, question), bool)
        except Exception as error:
            self.answer(500, json.dumps({"error": str(error)}).encode())
            return
        self.answer(200, mask.tobytes(), "application/octet-stream")

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
