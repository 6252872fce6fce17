"""Lets negato ask the models of a MONAI Label server: DeepGrow, DeepEdit and those of segmentation.

    pip install simpleitk numpy
    python monailabel_bridge.py http://gpu-server:8000 /data/study

Each model is an assistant. Points that are inside and outside are its `foreground` and `background`, or of DeepEdit its first
label and `background`. Models of segmentation take no prompts: a click anywhere asks them. Of several labels, all but the background
are one mask; append the name of one: `python monailabel_bridge.py http://gpu-server:8000 /data/study spleen`.
"""

import json
import sys
import tempfile
import urllib.request
import uuid
from pathlib import Path

import numpy
import SimpleITK as sitk

import negato

POINTED = ("deepgrow", "deepedit", "annotation")


class Server:
    def __init__(self, url):
        self.url = url.rstrip("/")
        #: The image that was sent last, and the session that it is in.
        self.sent = ("", "")

    def models(self):
        with urllib.request.urlopen(f"{self.url}/info/", timeout=60) as response:
            return json.load(response)["models"]

    def open_session(self, volume):
        """Sends an image once for all questions about it."""
        known, session = self.sent
        if known == volume.key:
            return session
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{uuid.uuid4().hex}.nii.gz"
            sitk.WriteImage(to_image(volume), str(path))
            answer = self.send("PUT", "/session/", [("files", path.name, path.read_bytes())])
        session = json.loads(answer)["session_id"]
        self.sent = (volume.key, session)
        return session

    def infer(self, model, volume, parameters):
        parts = [("params", None, json.dumps(parameters).encode())]
        session = self.open_session(volume)
        answer = self.send("POST", f"/infer/{model}?session_id={session}&output=image", parts)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "answer.nii.gz"
            path.write_bytes(answer)
            return sitk.GetArrayFromImage(sitk.ReadImage(str(path)))

    def send(self, method, place, parts):
        border = uuid.uuid4().hex
        body = b""
        for name, file, data in parts:
            named = "" if file is None else f'; filename="{file}"'
            body += f'--{border}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode() + data + b"\r\n"
        body += f"--{border}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={border}"}
        request = urllib.request.Request(self.url + place, body, kind, method=method)
        with urllib.request.urlopen(request, timeout=600) as response:
            return response.read()


def to_image(volume):
    image = sitk.GetImageFromArray(volume.array)
    affine = volume.affine_lps
    if affine is None:
        raise ValueError("MONAI Label needs slices that are equally far apart")
    lengths = numpy.linalg.norm(affine[:3, :3], axis=0)
    image.SetSpacing([float(one) for one in lengths])
    image.SetDirection([float(one) for one in (affine[:3, :3] / lengths).reshape(-1)])
    image.SetOrigin([float(one) for one in affine[:3, 3]])
    return image


def to_parameters(about, prompts, label):
    """Places are (column, row, slice), as MONAI Label counts them in a NIfTI file."""
    inside, outside = ([one.points[0, ::-1].tolist() for one in prompts if one.positive is sign] for sign in (True, False))
    if about["type"] not in POINTED:
        return {}
    if about["type"] == "deepedit":
        names = [name for name in about["labels"] if name != "background"]
        return {"label": label or names[0], (label or names[0]): inside, "background": outside}
    return {"foreground": inside, "background": outside}


def add_to(viewer, server, label=None):
    for model, about in server.models().items():

        def segment(volume, prompts, model=model, about=about):
            labels = server.infer(model, volume, to_parameters(about, prompts, label))
            if label is not None and isinstance(about["labels"], dict):
                return labels == about["labels"][label]
            return labels > 0

        is_pointed = about["type"] in POINTED
        viewer.assistant(model, prompts=("point",), negative=is_pointed, unit="modality", seconds=600)(segment)


if __name__ == "__main__":
    with negato.view(sys.argv[2]) as viewer:
        add_to(viewer, Server(sys.argv[1]), *sys.argv[3:4])
        input("Enter ends the viewer. ")
