"""What lies over a series, as labels of its samples."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

if TYPE_CHECKING:  # pragma: no cover
    import numpy

# By the ending of a name. `.dcm` is a DICOM segmentation.
FORMATS = {".nii.gz": "nii.gz", ".nii": "nii", ".nrrd": "nrrd", ".npz": "npz", ".dcm": "seg"}


class LabelVolume(NamedTuple):
    """Labels of the samples of a series, as `Viewer.labels` returns them."""

    #: (slices, rows, columns) in the order of the series; where labels overlap, (volumes, slices, rows, columns).
    array: numpy.ndarray
    #: One for each label: value, name, color, the codes of category and type, and of several volumes the one it is in.
    labels: list[dict[str, Any]]
    #: From column, row and slice to millimetres (LPS), 4 x 4; None if slices are not equally far apart.
    affine: Optional[numpy.ndarray]
    #: What was asked for and is not in it; empty if that is nothing.
    left_out: str

    @property
    def names(self) -> dict[int, str]:
        """The name of each value."""
        return {one["value"]: one["name"] for one in self.labels}

    def mask(self, label: Union[int, str]) -> numpy.ndarray:
        """The samples of one label, by its value or name, as (slices, rows, columns) of bool."""
        found = [one for one in self.labels if label in (one["value"], one["name"])]
        if len(found) != 1:
            raise KeyError(f"{'no' if not found else 'more than one'} label is {label!r}; there are {self.names}")
        volume = self.array if self.array.ndim == 3 else self.array[found[0]["volume"]]
        return volume == found[0]["value"]


class LabelQuery:
    """What becomes labels of a series: the fields of `/api/file/N/volume/labels`."""

    def __init__(
        self,
        file: int,
        frame: int,
        *,
        layers: Sequence[int],
        marks: bool,
        parts: Optional[Iterable[int]],
        threshold: Optional[float],
        grid: str,
        overlap: str,
    ) -> None:
        for name, value, known in (("grid", grid, ("images", "own")), ("overlap", overlap, ("volumes", "last"))):
            if value not in known:
                raise ValueError(f"{name} must be {known[0]!r} or {known[1]!r}, not {value!r}")
        self.file = file
        self._fields: dict[str, Any] = {"frame": frame, "grid": grid, "overlap": overlap}
        if layers:
            self._fields["layers"] = ",".join(map(str, layers))
        if marks:
            self._fields["marks"] = "add"
        if parts is not None:
            self._fields["parts"] = ",".join(str(int(part)) for part in parts)
        if threshold is not None:
            self._fields["threshold"] = float(threshold)

    def path(self, of: str = "", **more: str) -> str:
        fields = {**self._fields, **more}
        return f"/file/{self.file}/volume/labels{of}?" + "&".join(f"{name}={value}" for name, value in fields.items())


def choose_layers(found: Sequence[Mapping[str, Any]], wanted: Optional[Iterable[Union[int, str]]]) -> list[int]:
    """The numbers of layers by number or title; without a choice, of all whose parts are areas."""
    over = [one for one in found if one["frame_count"] > 0]
    if wanted is None:
        return [one["layer"] for one in over if one["kind"] in ("mask", "contour")]
    numbers = []
    for name in [wanted] if isinstance(wanted, (int, str)) else wanted:
        named = [one["layer"] for one in over if name in (one["layer"], one["title"])]
        if len(named) != 1:
            known = ", ".join(f"{one['layer']}: {one['title']}" for one in over) or "none"
            raise ValueError(f"{'no' if not named else 'more than one'} layer is {name!r}; there are {known}")
        numbers += named
    return numbers


def format_of(path: "Path", format: Optional[str]) -> str:
    if format is not None:
        if format not in FORMATS.values():
            raise ValueError(f"format must be one of {', '.join(FORMATS.values())}, not {format!r}")
        return format
    for ending, found in FORMATS.items():
        if path.name.lower().endswith(ending):
            return found
    raise ValueError(f"{path.name}: the name of a label volume ends in {', '.join(FORMATS)}; or pass format=")


def read_labels(packed: bytes, left_out: str) -> LabelVolume:
    try:
        import numpy
    except ImportError as error:
        raise ImportError("labels() returns a numpy array: pip install numpy") from error

    with zipfile.ZipFile(io.BytesIO(packed)) as members:
        load = lambda name: numpy.load(io.BytesIO(members.read(name)), allow_pickle=False)  # noqa: E731
        affine = load("affine.npy") if "affine.npy" in members.namelist() else None
        about = json.loads(members.read("labels.json"))
        return LabelVolume(load("labels.npy"), about["labels"], affine, left_out)
