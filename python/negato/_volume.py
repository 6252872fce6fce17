"""The samples of a volume as one array, with their place in the patient."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Mapping, NamedTuple, Optional, Union

from ._errors import Error, RequestError, VolumeRefused
from ._http import Client

if TYPE_CHECKING:  # pragma: no cover
    import numpy

UNITS = ("stored", "modality", "SUVbw")


class Volume(NamedTuple):
    """The samples of a series, as `Viewer.volume` returns them."""

    #: (slices, rows, columns); of several times (times, slices, rows, columns).
    array: numpy.ndarray
    #: From column, row and slice to millimetres to the left, back and head (DICOM, ITK), 4 x 4; None if slices are not
    #: equally far apart.
    affine_lps: Optional[numpy.ndarray]
    #: Millimetres between slices, rows and columns; of slices that are not equally far apart the usual distance.
    spacing: tuple[float, float, float]
    #: One dict for each time: label, kind, value and unit.
    times: list[dict[str, Any]]
    #: Of the samples: "stored", "SUVbw", or that of modality values, such as "HU"; empty if it is unknown.
    unit: str
    #: (slope, intercept) that make modality values of stored samples; None if they differ from image to image.
    rescale: Optional[tuple[float, float]]
    #: The centre of the first sample of each slice in millimetres (LPS): (slices, 3).
    origins: numpy.ndarray
    #: (file, frame) of each slice, time after time.
    frames: list[tuple[int, int]]
    #: What somebody who uses the volume must know.
    warnings: list[str]

    @property
    def affine_ras(self) -> Optional[numpy.ndarray]:
        """The same as `affine_lps`, to the right, front and head (NIfTI, nibabel)."""
        return None if self.affine_lps is None else affine_to_ras(self.affine_lps)

    def to_mm(self, index: Any) -> numpy.ndarray:
        """Millimetres (LPS) of places in the array, which are (slice, row, column), as of `numpy.argwhere`."""
        import numpy

        places = numpy.asarray(index, float)
        affine = self._grid()
        return places[..., ::-1] @ affine[:3, :3].T + affine[:3, 3]

    def to_index(self, mm: Any) -> numpy.ndarray:
        """Places in the array as (slice, row, column), not rounded, of points in millimetres (LPS)."""
        import numpy

        affine = self._grid()
        return ((numpy.asarray(mm, float) - affine[:3, 3]) @ numpy.linalg.inv(affine[:3, :3]).T)[..., ::-1]

    def _grid(self) -> numpy.ndarray:
        if self.affine_lps is None:
            raise ValueError("the slices are not equally far apart, so no affine leads to millimetres; see origins")
        return self.affine_lps


def affine_to_ras(affine: numpy.ndarray) -> numpy.ndarray:
    flipped = affine.copy()
    # Of 0, the negative is 0.
    flipped[:2] = 0 - affine[:2]
    return flipped


def read_volume(
    client: Client,
    file: int,
    frame: int,
    time: Optional[int],
    unit: str,
    path: Union[str, os.PathLike[str], None],
    overwrite: bool,
) -> Volume:
    try:
        import numpy
    except ImportError as error:
        raise ImportError("volume() returns a numpy array: pip install numpy") from error

    query = f"frame={frame}&unit={unit}" + ("" if time is None else f"&time={time}")
    place = f"/file/{file}/volume/array"
    try:
        plan = client.request("GET", f"{place}/plan?{query}").json()
        if path is None:
            array = client.receive(f"{place}?{query}", lambda body: _read_array(body, plan))
        else:
            array = _receive_file(client, f"{place}?{query}", plan, Path(path), overwrite)
    except RequestError as error:
        if error.code != "volume_unavailable":
            raise
        reason = _find_reason(client, file, frame, unit)
        raise VolumeRefused(error.status, error.code, error.message, reason) from None
    affine = None
    if plan["affine"] is not None:
        affine = numpy.array([*plan["affine"], 0, 0, 0, 1], float).reshape(4, 4)
    rescale = plan["rescale"]
    return Volume(
        array if array.shape[0] > 1 else array[0],
        affine,
        tuple(plan["spacing_mm"]),
        plan["times"],
        unit if unit == "stored" else plan["unit"],
        None if rescale is None else (rescale["slope"], rescale["intercept"]),
        numpy.array(plan["origins"], float).reshape(-1, 3),
        list(zip(plan["file_indices"], plan["frame_indices"])),
        plan["warnings"],
    )


def _find_reason(client: Client, file: int, frame: int, unit: str) -> str:
    refusal = client.request("GET", f"/file/{file}/volume?frame={frame}").json()["refusal"]
    if refusal is None:
        return "no_suv" if unit == "SUVbw" else "no_stored_samples"
    reason = str(refusal["reason"])
    if reason != "single_place":
        return reason
    # A single image is no volume for planes, but may be an array of one slice, which then has modality values.
    try:
        client.request("GET", f"/file/{file}/volume/array/plan?frame={frame}&unit=modality")
    except RequestError:
        return reason
    return "no_suv" if unit == "SUVbw" else "no_stored_samples"


def _read_array(body: BinaryIO, plan: Mapping[str, Any]) -> numpy.ndarray:
    import numpy

    _skip_header(body)
    array = numpy.empty(plan["shape"], plan["type"])
    _fill(body, array)
    return array


def _receive_file(
    client: Client, place: str, plan: Mapping[str, Any], path: Path, overwrite: bool
) -> numpy.ndarray:
    """Writes the samples as they come, so that they are never in memory as a whole."""
    import numpy

    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; overwrite=True replaces it")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        shape = tuple(plan["shape"])
        # Of one time, the file has no axis of times, as the array that is returned.
        saved = shape if shape[0] > 1 else shape[1:]
        array = numpy.lib.format.open_memmap(part, mode="w+", dtype=numpy.dtype(plan["type"]), shape=saved)
        client.receive(place, lambda body: _fill(_skip_header(body), array))
        array.flush()
        del array
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
    return numpy.lib.format.open_memmap(path, mode="r+").reshape(shape)


def _skip_header(body: BinaryIO) -> BinaryIO:
    """What is before the elements of a NumPy file: ten bytes, and as many as the last two of them say."""
    head = body.read(10)
    if head[:8] != b"\x93NUMPY\x01\x00" or len(head) != 10:
        raise Error("the viewer sent no array")
    body.read(int.from_bytes(head[8:], "little"))
    return body


def _fill(body: BinaryIO, array: numpy.ndarray) -> None:
    wanted = memoryview(array.reshape(-1).view("u1"))  # type: ignore[arg-type]
    at = 0
    while at < len(wanted):
        count = body.readinto(wanted[at:])  # type: ignore[attr-defined]
        if not count:
            raise Error(
                f"the volume ended after {at} of {len(wanted)} bytes: a slice may be damaged, or its file has changed"
            )
        at += count
