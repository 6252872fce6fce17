"""One table of all files, series or studies."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union
from urllib.parse import urlencode

from ._tables import Table, to_table

if TYPE_CHECKING:  # pragma: no cover
    from ._viewer import Viewer

LEVELS = ("file", "series", "study")
# Texts, names in double quotes, and words of a condition.
_WORDS = re.compile(r"'(?:[^']|'')*'|\"((?:[^\"]|\"\")+)\"|([A-Za-z_]\w*)")
_SQL = {"and", "or", "not", "in", "is", "null", "like", "between", "true", "false"}
_TAG = re.compile(r"\([0-9A-Fa-fxX]{4},[0-9A-Fa-fxX]{4}\)")

Names = Union[str, Iterable[str], None]


def read_cohort(viewer: Viewer, level: str, columns: Names, where: Optional[str], sort: Names) -> Table:
    if level not in LEVELS:
        raise ValueError(f"level must be 'file', 'series' or 'study', not {level!r}")
    if where is not None and not isinstance(where, str):
        raise TypeError(f"where must be a text, not {where!r}")
    chosen, order = _list("columns", columns), _list("sort", sort)
    named = [*chosen, *(name[1:] if name.startswith("-") else name for name in order), *_names_in(where or "")]
    viewer._all_files()
    _read_columns(viewer, [name for name in named if name != "*"])
    choice = {"level": level, "columns": _join(chosen), "where": where, "sort": _join(order)}
    query = urlencode({name: value for name, value in choice.items() if value})
    text = viewer._client.request("GET", f"/table.jsonl?{query}").body.decode("utf-8")
    return to_table([json.loads(line) for line in text.split("\n") if line])


def _read_columns(viewer: Viewer, named: list[str]) -> None:
    """Has the columns read that nobody has asked for yet; those of others stay."""
    columns = viewer._get_json("/columns")["columns"]
    known = {one["name"].lower() for one in columns} | {(one["tag"] or "").lower() for one in columns}
    missing = list(dict.fromkeys(name for name in named if name.lower() not in known))
    if missing:
        before = [one["name"] for one in columns if one["origin"] == "header"]
        viewer._send_json("PUT", "/columns", {"paths": before + missing})
    pause = 0.01
    while any(one["state"] == "harvesting" for one in viewer._get_json("/columns")["columns"]):
        time.sleep(pause)
        pause = min(0.2, pause * 1.5)


def _names_in(where: str) -> list[str]:
    found = [quoted.replace('""', '"') or word for quoted, word in _WORDS.findall(where)]
    return [name for name in found if name and name.lower() not in _SQL]


def _list(argument: str, names: Names) -> list[str]:
    listed: list[Any] = [] if names is None else [names] if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be names of columns, not {name!r}")
    return listed


def _join(names: list[str]) -> str:
    """A name with commas of its own stands in double quotes; those of tags separate nothing."""
    return ",".join(name if "," not in _TAG.sub("", name) else '"' + name.replace('"', '""') + '"' for name in names)
