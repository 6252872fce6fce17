"""What `/api/series` says of stacks, as rows of a table."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

Describe = Callable[[int, int], "dict[str, Any]"]


def describe_stacks(
    series: Sequence[Mapping[str, Any]], files: Sequence[Mapping[str, Any]], describe: Optional[Describe]
) -> list[dict[str, Any]]:
    return [_to_row(one, stack, files, describe) for one in series for stack in one["stacks"]]


def _to_row(series, stack, files, describe: Optional[Describe]) -> dict[str, Any]:
    frames = stack["frames"]
    first = frames[0] if frames else None
    # A list that is not complete may not have the file yet.
    file = files[first["file_index"]] if first is not None and first["file_index"] < len(files) else {}
    row = {
        "series_instance_uid": series["series_instance_uid"],
        "study_instance_uid": series["study_instance_uid"],
        "modality": file.get("modality"),
        "description": file.get("series_description"),
        "series_number": file.get("series_number"),
        "study_date": file.get("study_date"),
        "patient_id": file.get("patient_id"),
        "patient_name": file.get("patient_name"),
        "kind": stack["kind"],
        "distinction": ", ".join(f"{one['name']} {one['value']}" for one in stack["distinction"]),
        "frames": len(frames),
        "shape": (len(frames), file.get("rows"), file.get("columns")),
        "spacing": _find_spacing(stack),
        "file_indices": list(dict.fromkeys(frame["file_index"] for frame in frames)),
        "warnings": [one["message"] for one in stack["warnings"]],
    }
    if describe is not None:
        answer = describe(first["file_index"], first["frame_index"]) if first is not None else None
        volume = None if answer is None else answer["volume"]
        refusal = None if answer is None else answer["refusal"]
        row["volume"] = volume is not None
        row["refusal"] = None if refusal is None else refusal["message"]
        row["times"] = 0 if volume is None else len(volume["times"])
        if volume is not None:
            row["spacing"] = (volume["spacing_mm"], *volume["pixel_spacing_mm"])
    return row


def _find_spacing(stack) -> Optional[tuple[Optional[float], float, float]]:
    """Between slices (of a volume only), rows and columns."""
    for run in stack["planes"]:
        if run["pixel_spacing_mm"] is not None:
            return (None, *run["pixel_spacing_mm"])
    return None


class Plane:
    """Where the pixels of a frame are: the centre of the first one, unit vectors along a row and down a column, and the
    millimetres between rows and columns."""

    def __init__(self, origin, orientation, spacing) -> None:
        self.origin = tuple(map(float, origin))
        self.row, self.column = tuple(orientation[:3]), tuple(orientation[3:])
        self.spacing = tuple(map(float, spacing))

    def to_mm(self, x: float, y: float) -> tuple[float, float, float]:
        """A point of a mark, in pixels from the corner of the first one."""
        right, down = (x - 0.5) * self.spacing[1], (y - 0.5) * self.spacing[0]
        return tuple(o + right * r + down * c for o, r, c in zip(self.origin, self.row, self.column))  # type: ignore[return-value]

    def to_pixels(self, point: Sequence[float]) -> tuple[float, float, float]:
        """The nearest point of the plane in pixels, x and y, and its distance in millimetres along row x column."""
        way = [float(p) - o for p, o in zip(point, self.origin)]
        (a, b, c), (d, e, f) = self.row, self.column
        normal = (b * f - c * e, c * d - a * f, a * e - b * d)
        right, down, away = (sum(w * v for w, v in zip(way, axis)) for axis in (self.row, self.column, normal))
        return right / self.spacing[1] + 0.5, down / self.spacing[0] + 0.5, away


def list_planes(series: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, int, int, Plane]]:
    """Series Instance UID, file, frame and plane of each frame in the patient whose place and pixel size are known."""
    for one in series:
        for stack in one["stacks"]:
            for run in stack["planes"]:
                known = run["origins_mm"], run["orientation"], run["pixel_spacing_mm"]
                if run["space"] != "patient" or None in known:
                    continue
                origins, step = run["origins_mm"], run["origin_step"]
                frames = stack["frames"][run["first"] : run["first"] + run["count"]]
                for at, frame in enumerate(frames):
                    if step is None:
                        origin = origins[3 * at : 3 * at + 3]
                    else:
                        far = frame["position_along_normal_mm"] - frames[0]["position_along_normal_mm"]
                        origin = [o + far * s for o, s in zip(origins, step)]
                    plane = Plane(origin, run["orientation"], run["pixel_spacing_mm"])
                    yield one["series_instance_uid"], frame["file_index"], frame["frame_index"], plane
