"""Marks as tables: what users draw and measure, read, made, changed, imported and exported."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union
from urllib.parse import urlencode

from ._errors import MarkConflict, MarksRefused
from ._options import check_whole
from ._stacks import list_planes
from ._tables import to_records, to_table

if TYPE_CHECKING:  # pragma: no cover
    from ._stacks import Plane
    from ._viewer import Viewer

# Masks are longer than what the csv module reads by itself.
_LONGEST_CELL = 2**30
_NUMBERS = (
    "length_mm",
    "short_axis_mm",
    "angle_degrees",
    "area_px",
    "area_mm2",
    "volume_ml",
    "length_px",
    "short_axis_px",
    "time_s",
    "velocity_cm_s",
    "distance_mm",
    "frequency_hz",
    "velocity_time_integral_cm",
)
_JSON = ("points_px", "points_mm", "mask", "place_details")
_WORDS = ("label", "class", "text", "comment", "author")
_WRITTEN = ("uid", "kind", "place", *_WORDS, "locked", "created", "modified", "sop_instance_uid", "frame_number", "file")

#: By the ending of a name, longest first. `.dcm` is a report or a segmentation, so its format is named.
EXPORTED = {
    ".coco.json": "coco",
    ".geojson": "geojson",
    ".json": "json",
    ".csv": "csv",
    ".nii.gz": "nii.gz",
    ".nii": "nii",
    ".nrrd": "nrrd",
}
_VOLUMES = ("nii.gz", "nii", "nrrd", "seg")
EXPORT_FORMATS = ("csv", "coco", "geojson", "json", "sr", *_VOLUMES)
_IMPORTED = {**EXPORTED, ".nii.gz": "nifti", ".nii": "nifti"}
IMPORT_FORMATS = ("csv", "coco", "geojson", "json", "nifti", "nrrd")
_MEDIA_TYPES = {"csv": "text/csv", "nifti": "application/octet-stream", "nrrd": "application/octet-stream"}


def list_marks(viewer: "Viewer") -> Any:
    text = viewer._client.request("GET", "/marks/export?format=csv").body.decode("utf-8")
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""))
        rows = [{name: _parse_cell(name, cell) for name, cell in row.items()} for row in reader]
    finally:
        csv.field_size_limit(limit)
    known = {mark["uid"]: mark for mark in _wire_marks(viewer)}
    for row in rows:
        mark = known.get(row["uid"], {})
        row["id"], row["etag"] = mark.get("id"), mark.get("etag")
    return to_table(rows, [*(reader.fieldnames or ()), "id", "etag"])


def _parse_cell(name: str, cell: str) -> Any:
    if cell == "":
        return "" if name in ("label", "text", "comment", "author", "class_title") else None
    if name in _JSON:
        return json.loads(cell)
    if name in _NUMBERS:
        return float(cell)
    if name == "frame_number":
        return int(cell)
    if name == "locked":
        return cell == "true"
    # The CSV puts an apostrophe before texts that a spreadsheet would take for formulas.
    return cell[1:] if cell.startswith("'") else cell


def add_marks(viewer: "Viewer", marks: Any) -> list[int]:
    rows = to_records(marks, "marks")
    maker = _RowMaker(viewer)
    made = [maker.make(row, at) for at, row in enumerate(rows)]
    if not made:
        return []
    uids = list(dict.fromkeys(row["uid"] for row in made))
    answer = _import(viewer, _write_csv(made), "csv", None)
    if answer["refused"]:
        raise MarksRefused(answer)
    ids = {mark["uid"]: mark["id"] for mark in _wire_marks(viewer)}
    return [ids[one] for one in uids]


def _write_csv(rows: Sequence[Mapping[str, str]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*_WRITTEN, "points_px", "mask", "place_details"], restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("utf-8")


class _RowMaker:
    """Rows of the CSV of marks, of what a user says of them."""

    def __init__(self, viewer: "Viewer") -> None:
        self._viewer = viewer
        self._files = viewer._all_files()["files"]
        self._planes: Optional[list[tuple[str, int, int, Plane]]] = None

    def make(self, row: Mapping[str, Any], at: int) -> dict[str, str]:
        try:
            return self._make(row)
        except (TypeError, ValueError) as error:
            raise type(error)(f"marks[{at}]: {error}") from None

    def _make(self, row: Mapping[str, Any]) -> dict[str, str]:
        if not isinstance(row.get("kind"), str):
            raise ValueError(f"a mark needs kind, such as 'box' or 'length'; there is {', '.join(row) or 'nothing'}")
        out = {name: _guard(row[name]) for name in _WORDS if row.get(name) is not None}
        out["kind"], out["uid"] = row["kind"], row.get("uid") or f"2.25.{uuid.uuid4().int}"
        out["locked"] = "true" if row.get("locked") else "false"
        for name in ("created", "modified", "place"):
            if row.get(name) is not None:
                out[name] = str(row[name])
        points = next((row[name] for name in ("points", "points_px") if row.get(name) is not None), None)
        millimetres = row.get("points_mm") if points is None and row.get("mask") is None else None
        place = self._find_place(row, millimetres)
        if isinstance(place, tuple):
            file, frame = place
            record = self._files[file]
            out["sop_instance_uid"], out["file"] = record["sop_instance_uid"] or "", _guard(record["path"])
            if out.get("place") != "slide":
                out["frame_number"] = str(frame + 1)
        else:
            out.update(place)
        if millimetres is not None:
            points = self._to_pixels(place, millimetres)
        elif points is None and row.get("mask") is None and out.get("place") != "volume":
            raise ValueError("a mark needs points (pixels), points_mm (millimetres) or a mask")
        if points is not None:
            out["points_px"] = json.dumps([[float(one) for one in _as_list(point)] for point in _as_list(points)])
        if row.get("place_details") is not None:
            out["place_details"] = json.dumps(row["place_details"])
        if row.get("mask") is not None:
            mask = row["mask"]
            out["mask"] = json.dumps(mask if isinstance(mask, Mapping) else _pack_mask(mask))
            if "place_details" not in out:
                end = {"sop_instance_uid": out["sop_instance_uid"], "frame_number": int(out["frame_number"])}
                end["file"] = self._files[place[0]]["path"] if isinstance(place, tuple) else out.get("file", "")
                out["place"], out["place_details"] = "stack", json.dumps({"from": end, "to": end})
        return out

    def _find_place(self, row: Mapping[str, Any], millimetres: Any) -> Union[tuple[int, int], dict[str, str]]:
        frame = 0
        has_frame = row.get("frame") is not None or row.get("frame_number") is not None
        if row.get("frame") is not None:
            frame = check_whole("frame", _to_int(row["frame"]))
        elif row.get("frame_number") is not None:
            frame = check_whole("frame_number", _to_int(row["frame_number"]), 1) - 1
        file, uid = row.get("file"), row.get("sop_instance_uid")
        if isinstance(file, float) and file.is_integer():
            file = int(file)
        if isinstance(file, int) and not isinstance(file, bool):
            if not 0 <= file < len(self._files):
                raise ValueError(f"file {file} is not open; there are {len(self._files)}")
        elif file is not None or uid is not None:
            # Of several files with one UID, the path decides, as the viewer does itself.
            named = {"sop_instance_uid": uid or "", "file": _guard(file or ""), "frame_number": str(frame + 1)}
            found = [one["index"] for one in self._files if (one["path"] == file if file else True)]
            if uid is not None:
                with_uid = [one["index"] for one in self._files if one["sop_instance_uid"] == uid]
                found = [one for one in with_uid if one in found] or with_uid
            if len(found) != 1:
                return named
            file = int(found[0])
        elif millimetres is None:
            raise ValueError("a mark needs file (an index or a path) or sop_instance_uid")
        if millimetres is not None and not has_frame:
            return self._nearest(millimetres, row.get("series") or row.get("series_instance_uid"), file)
        return int(file or 0), frame

    def planes(self) -> list[tuple[str, int, int, Plane]]:
        if self._planes is None:
            self._planes = list(list_planes(self._viewer._wait_for_series()))
        return self._planes

    def _nearest(self, points: Any, series: Optional[str], file: Optional[int]) -> tuple[int, int]:
        return nearest_frame(self.planes(), _as_list(points)[0], series, file)[:2]

    def _to_pixels(self, place: Any, points: Any) -> list[list[float]]:
        found = [one for _, file, frame, one in self.planes() if (file, frame) == place]
        if not found:
            raise ValueError("points_mm need an image whose place and pixel size are known")
        return [list(found[0].to_pixels(_as_list(point))[:2]) for point in _as_list(points)]


def nearest_frame(
    planes: Iterable[tuple[str, int, int, Plane]], point: Sequence[float], series: Optional[str], file: Optional[int]
) -> tuple[int, int, float]:
    """File, frame and distance of the image that is nearest to a point."""
    found = [
        (abs(plane.to_pixels(point)[2]), number, frame, uid)
        for uid, number, frame, plane in planes
        if (series is None or uid == series) and (file is None or number == file)
    ]
    if not found:
        raise ValueError("no open image has a place in the patient and a size of pixels" + _of(series, file))
    if series is None and file is None and len({uid for *_, uid in found}) > 1:
        raise ValueError("points_mm need series= or a file, because several series are open")
    distance, number, frame, _ = min(found)
    return number, frame, distance


def _of(series: Optional[str], file: Optional[int]) -> str:
    return f" in series {series}" if series is not None else f" in file {file}" if file is not None else ""


def _as_list(value: Any) -> list[Any]:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise ValueError(f"points must be a list of [x, y] or [x, y, z], not {value!r:.80}")
    return list(value)


def _to_int(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _guard(text: Any) -> str:
    """Reading takes one apostrophe away."""
    return f"'{text}" if str(text).startswith("'") else str(text)


def _pack_mask(mask: Any) -> dict[str, Any]:
    """A mask of (rows, columns) as the rectangle around it and runs."""
    rows = [_as_list(row) for row in _as_list(mask)]
    inside = [(y, x) for y, row in enumerate(rows) for x, value in enumerate(row) if value]
    if not inside:
        raise ValueError("the mask has no pixel")
    top, bottom = inside[0][0], inside[-1][0]
    left, right = min(x for _, x in inside), max(x for _, x in inside)
    runs, now = [0], False
    for row in rows[top : bottom + 1]:
        for value in row[left : right + 1]:
            if bool(value) != now:
                runs.append(0)
                now = not now
            runs[-1] += 1
    return {"left": left, "top": top, "width": right - left + 1, "height": bottom - top + 1, "runs": runs}


def _wire_marks(viewer: "Viewer") -> list[dict[str, Any]]:
    return [mark for mark in viewer._get_json("/marks")["marks"] if mark["kind"] != "roi"]


def set_marks(viewer: "Viewer", marks: Any) -> int:
    rows = to_records(marks, "marks")
    known = {mark["uid"]: mark for mark in _wire_marks(viewer)}
    changes: dict[str, dict[str, Any]] = {}
    stale = []
    files: Optional[dict[str, int]] = None
    for at, row in enumerate(rows):
        uid = row.get("uid")
        if uid is None:
            raise ValueError(f"marks[{at}] needs uid, as marks() returns it; add_marks makes new ones")
        mark = known.get(uid)
        if mark is None or (row.get("etag") is not None and row["etag"] != mark["etag"]):
            stale.append(uid)
            continue
        change = changes.setdefault(uid, {})
        for name in (*_WORDS, "locked"):
            if name not in row:
                continue
            empty = None if name == "class" else False if name == "locked" else ""
            wanted = empty if row[name] is None else row[name]
            if wanted != mark[name]:
                change[name] = wanted
        points = row.get("points_px")
        if points is None:
            continue
        points = [[float(one) for one in point] for point in points]
        if mark["place"]["type"] != "stack":
            if points != mark["points"]:
                change["points"] = points
            continue
        if files is None:
            files = {one["sop_instance_uid"]: one["index"] for one in viewer._all_files()["files"]}
        here = {"file_index": files.get(row.get("sop_instance_uid") or ""), "frame_index": int(row["frame_number"]) - 1}
        old = [one for one in mark["slices"] if {name: one[name] for name in here} == here]
        if old and old[0]["points"] != points:
            change.setdefault("slices", []).append({**here, "points": points})
    if stale:
        raise _conflict(stale)
    changed = 0
    for uid, change in changes.items():
        if change:
            viewer._send_json("PATCH", f"/mark/{known[uid]['id']}", change, {"If-Match": known[uid]["etag"]})
            changed += 1
    return changed


def _conflict(uids: Sequence[str]) -> MarkConflict:
    listed = ", ".join(uids[:3]) + (f" and {len(uids) - 3} others" if len(uids) > 3 else "")
    message = f"these marks were changed or deleted since they were read, and nothing was written: {listed}"
    return MarkConflict(412, "stale_mark", message)


def choose_marks(viewer: "Viewer", which: Any) -> list[dict[str, Any]]:
    """Ids, and ETags where a table has them."""
    if isinstance(which, (int, str)) and not isinstance(which, bool):
        which = [which]
    is_list = isinstance(which, Iterable) and not isinstance(which, Mapping) and not hasattr(which, "columns")
    listed = list(which) if is_list else None  # type: ignore[arg-type]
    if listed is not None and not any(isinstance(one, Mapping) for one in listed):
        rows = [{"uid": one} if isinstance(one, str) else {"id": check_whole("marks", one)} for one in listed]
    else:
        rows = to_records(which if listed is None else listed, "marks")
    ids: Optional[dict[str, int]] = None
    chosen: dict[int, dict[str, Any]] = {}
    for at, row in enumerate(rows):
        number = row.get("id")
        if number is None:
            if row.get("uid") is None:
                raise ValueError(f"marks[{at}] needs id or uid, as marks() returns them")
            if ids is None:
                ids = {mark["uid"]: mark["id"] for mark in _wire_marks(viewer)}
            if row["uid"] not in ids:
                raise KeyError(row["uid"])
            number = ids[row["uid"]]
        etag = {"etag": row["etag"]} if row.get("etag") is not None else {}
        chosen[int(number)] = {"id": int(number), **etag}
    return list(chosen.values())


def change_marks(viewer: "Viewer", which: Any, change: Mapping[str, Any]) -> int:
    chosen = choose_marks(viewer, which)
    if chosen and change:
        viewer._send_json("PATCH", "/marks", {"marks": chosen, "change": change})
    return len(chosen)


def delete_marks(viewer: "Viewer", which: Any) -> int:
    chosen = choose_marks(viewer, which)
    if chosen:
        viewer._send_json("DELETE", "/marks", {"marks": chosen})
    return len(chosen)


def find_format(path: Path, format: Optional[str], known: Mapping[str, str], formats: Sequence[str]) -> str:
    if format is not None:
        if format not in formats:
            raise ValueError(f"format must be one of {', '.join(formats)}, not {format!r}")
        return format
    for ending, found in known.items():
        if path.name.lower().endswith(ending):
            return found
    raise ValueError(f"{path.name}: the name of a file of marks ends in {', '.join(known)}; or pass format=")


def export_marks(
    viewer: "Viewer",
    path: Union[str, os.PathLike[str]],
    format: Optional[str],
    series: Union[str, int, None],
    filters: Mapping[str, Any],
    overwrite: bool,
) -> list[str]:
    target = Path(path)
    kind = find_format(target, format, EXPORTED, EXPORT_FORMATS)
    query = {name: value for name, value in filters.items() if value is not None}
    for name, value in query.items():
        query[name] = str(value).lower() if isinstance(value, bool) else value
    if kind in _VOLUMES:
        file, frame = viewer._find_stack(series)
        query.pop("file", None)
        place = f"/file/{file}/volume/marks?" + urlencode({"format": kind, "frame": frame, **query})
    elif kind == "json":
        if query:
            raise ValueError(f"format json has all marks, so it takes no {', '.join(query)}")
        place = "/marks/export.json"
    else:
        place = "/marks/export?" + urlencode({"format": kind, **query})
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} exists; overwrite=True replaces it")
    answer = viewer._client.request("GET", place)
    with open(target, "wb" if overwrite else "xb") as out:
        out.write(answer.body)
    left = answer.headers.get("X-Marks-Left-Out")
    return left.split(", ") if left else []


def import_marks(
    viewer: "Viewer", source: Any, format: Optional[str], series: Union[str, int, None], labels: Any
) -> dict[str, Any]:
    from ._arrays import is_array

    if is_array(source):
        return _import(viewer, _write_labels(viewer, source, series, labels), "nrrd", viewer._find_stack(series)[0])
    path = Path(source)
    kind = find_format(path, format, _IMPORTED, IMPORT_FORMATS)
    needs_file = kind in ("nifti", "nrrd") or series is not None
    return _import(viewer, path.read_bytes(), kind, viewer._find_stack(series)[0] if needs_file else None)


def _write_labels(viewer: "Viewer", array: Any, series: Union[str, int, None], labels: Any) -> bytes:
    """Labels on the grid of a series, as a file that says where it lies."""
    import tempfile

    from ._arrays import write_overlay

    file, frame = viewer._find_stack(series)
    plan = viewer._get_json(f"/file/{file}/volume/array/plan?frame={frame}&time=0")
    shape = tuple(plan["shape"][1:])
    wanted = tuple(array.shape) if array.ndim == 3 else (1, *array.shape)
    if wanted != shape:
        raise ValueError(f"the array has the shape {tuple(array.shape)}, and the series {shape}")
    if plan["affine"] is None:
        raise ValueError("the slices of the series are not equally far apart, which a label volume needs")
    with tempfile.TemporaryDirectory(prefix="negato-") as folder:
        path = os.path.join(folder, "labels.nrrd")
        write_overlay(array, path, labels, affine=plan["affine"])
        return Path(path).read_bytes()


def _import(viewer: "Viewer", body: bytes, format: str, file: Optional[int]) -> dict[str, Any]:
    query = {"format": format, **({} if file is None else {"file": file})}
    headers = {"Content-Type": _MEDIA_TYPES.get(format, "application/json")}
    return viewer._client.request("POST", "/marks/import?" + urlencode(query), body=body, headers=headers).json()


def measure_marks(viewer: "Viewer", which: Any) -> Any:
    return to_table([viewer._get_json(f"/mark/{one['id']}/statistics") for one in choose_marks(viewer, which)])


def read_classes(source: Any) -> dict[str, Any]:
    if isinstance(source, (str, os.PathLike)):
        return json.loads(Path(source).read_text(encoding="utf-8"))
    if isinstance(source, Mapping) and "classes" in source:
        return dict(source)
    rows = to_records(source, "classes")
    wholes = [{name: value for name, value in row.items() if value is not None} for row in rows]
    for row in wholes:
        with contextlib.suppress(KeyError):
            # A column with a gap has floats.
            row["digit"] = _to_int(row["digit"])
    return {"classes": wholes}
