"""Key slices of a series as one picture."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union
from urllib.parse import quote, urlencode


class Sheet(bytes):
    """A PNG, which a notebook shows as a picture.

    `tiles`: what each picture shows, as (file, frame), or as a text for planes and slides. `columns`: pictures in a row.
    `problems`: by number of the picture, why it is damaged or missing. `left_out`: layers, errors and marks that are not
    drawn.
    """

    tiles: list[Union[tuple[int, int], str]]
    columns: int
    problems: dict[int, str]
    left_out: list[str]

    def _repr_png_(self) -> bytes:
        return bytes(self)


def read_sheet(body: bytes, headers: Mapping[str, str]) -> Sheet:
    sheet = Sheet(body)
    sheet.tiles = [_to_tile(tile) for tile in _listed(headers.get("X-Sheet-Tiles"), ",")]
    sheet.columns = int(headers.get("X-Sheet-Columns") or 1)
    problems = (one.partition(":") for one in _listed(headers.get("X-Sheet-Problems"), ","))
    sheet.problems = {int(tile): code for tile, _, code in problems}
    sheet.left_out = _listed(headers.get("X-Sheet-Left-Out"), "; ")
    return sheet


def sheet_path(
    series: Union[str, int],
    *,
    slices: int,
    columns: Optional[int],
    plane: str,
    window: Union[str, tuple[float, float]],
    width: int,
    layers: bool,
    errors: Optional[tuple[int, int]] = None,
) -> str:
    query: dict[str, Any] = {"slices": int(slices), "plane": plane, "w": int(width), "layers": int(layers)}
    query["window"] = window if isinstance(window, str) else ",".join(str(float(one)) for one in window)
    if columns is not None:
        query["columns"] = int(columns)
    if errors is not None:
        query["errors"] = f"{errors[0]}:{errors[1]}"
    name = f"file/{series}" if isinstance(series, int) else quote(series, safe="/")
    return f"/series/{name}/sheet?{urlencode(query)}"


def _to_tile(text: str) -> Union[tuple[int, int], str]:
    file, _, frame = text.partition("/")
    return (int(file), int(frame)) if file.isdigit() and frame.isdigit() else text


def _listed(text: Optional[str], separator: str) -> list[str]:
    return text.split(separator) if text else []
