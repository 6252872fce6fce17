"""`view` and the `Viewer` that it returns."""

from __future__ import annotations

import html
import json
import os
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode

from ._errors import NoFiles, RequestError, ViewerGone
from ._http import Answer, Client
from ._process import ViewerProcess

if TYPE_CHECKING:  # pragma: no cover
    import numpy

Source = Union[str, "os.PathLike[str]", Any, Iterable[Any], None]


def view(
    source: Source = None,
    *,
    overlays: Union[str, "os.PathLike[str]", Iterable[Any], None] = None,
    inline: bool = False,
    height: int = 640,
    width: str = "100%",
    block: bool = False,
    browser: Optional[bool] = None,
    port: int = 0,
    host: str = "127.0.0.1",
    recursive: bool = True,
    filters: Union[Iterable[str], Mapping[str, str], None] = None,
    annotations: Union[str, "os.PathLike[str]", None] = None,
    timeout: Optional[int] = None,
    memory: Optional[str] = None,
    token: Optional[str] = None,
    wait: str = "first",
    startup_timeout: float = 30.0,
) -> "Viewer":
    """Opens DICOM files in a viewer and returns at once.

    source: a file, a folder, a pydicom Dataset, or a list of them; None opens the demo study. Datasets are written to a
        private folder that is removed with the viewer.
    overlays: model output (NIfTI, NRRD, NPY, NPZ, PNG) that lies over the images.
    inline: show the viewer in a frame below the cell. Its output then contains the token of this viewer, which is worth
        nothing once the kernel has ended; do not share the notebook before that.
    browser: open the browser; by default outside of a notebook only, where the link is shown instead.
    wait: return when the server listens ("server"), when the first file is listed ("first"), or after the scan ("scan").
    block: return only when the viewer has ended; Ctrl+C ends it.
    """
    if wait not in ("server", "first", "scan"):
        raise ValueError(f"wait must be 'server', 'first' or 'scan', not {wait!r}")
    from ._notebook import embedders, is_notebook

    in_notebook = is_notebook()
    browser = not (in_notebook or inline) if browser is None else browser
    paths, cleanup = _to_paths(source)
    arguments = ["--port", str(port), "--host", host]
    if not recursive:
        arguments.append("--no-recursive")
    for one in _to_filters(filters):
        arguments += ["--filter", one]
    for one in _to_list(overlays):
        arguments += ["--overlay", os.fspath(one)]
    if annotations is not None:
        arguments += ["--annotations", os.fspath(annotations)]
    if timeout is not None:
        arguments += ["--timeout", str(timeout)]
    if memory is not None:
        arguments += ["--memory", memory]
    if inline:
        # Other pages may not frame the viewer. With this option every request needs the token.
        for page in embedders():
            arguments += ["--embed", page]
        arguments += ["--allow-host", "*"]
    elif token is not None:
        arguments.append("--token")
    try:
        process = ViewerProcess(
            [*arguments, *(["--"] if paths else []), *paths],
            {"NEGATO_TOKEN": token} if token is not None else None,
        )
        process.when_closed(cleanup)
        started = process.wait_until_listening(startup_timeout)
    except BaseException:
        cleanup()
        raise
    viewer = Viewer(process, started)
    try:
        if wait != "server":
            viewer.wait(wait, timeout=startup_timeout)
        if inline:
            viewer.show(height, width)
        if browser:
            webbrowser.open(viewer.url)
        if block:
            process.wait()
    except BaseException:
        viewer.close()
        raise
    return viewer


class Viewer:
    """A running viewer. It stops with `close`, at the end of a `with` block, and when Python ends."""

    def __init__(self, process: ViewerProcess, started: Mapping[str, Any]) -> None:
        self._process = process
        self._started = started
        self._client = Client(started["base_url"], started["token"], self._describe_end)

    @property
    def url(self) -> str:
        """The address for a browser. It contains the token, if there is one."""
        return self._started["url"]

    @property
    def base_url(self) -> str:
        return self._started["base_url"]

    @property
    def token(self) -> Optional[str]:
        return self._started["token"]

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.is_running()

    def files(self):
        """One row for each file, with the fields of `/api/files`."""
        return _to_table(self._all_files()["files"])

    def series(self):
        """One row for each stack of images: its series, and how many images it has."""
        rows = []
        for series in self._get_json("/series")["series"]:
            own = {name: value for name, value in series.items() if not isinstance(value, (list, dict))}
            for stack in series["stacks"]:
                plain = {name: value for name, value in stack.items() if not isinstance(value, (list, dict))}
                rows.append({**own, **plain, "frames": len(stack.get("frames", ()))})
        return _to_table(rows)

    def tags(self, file: int = 0) -> "list[dict]":
        """All elements of one file, as `/api/file/N/tags` lists them."""
        return self._get_json(f"/file/{int(file)}/tags")

    def tag(self, path: str, file: int = 0) -> Any:
        """The value of one element, such as `tag("(0010,0010)")` or `tag("(0008,1140)/0/(0008,1155)")`."""
        return self._get_json(f"/file/{int(file)}/tags/select?{urlencode({'path': path})}")["value"]

    def frame(self, file: int = 0, frame: int = 0) -> "numpy.ndarray":
        """The stored samples of one frame: (rows, columns), or (rows, columns, samples) for color, to the bit."""
        import numpy

        answer = self._client.request("GET", f"/file/{int(file)}/frame/{int(frame)}/raw")
        number = lambda name: int(answer.headers[f"X-Frame-{name}"])  # noqa: E731
        rows, columns, samples = number("Rows"), number("Columns"), number("Samples-Per-Pixel")
        bits = number("Bits-Allocated")
        if answer.headers["X-Frame-Sample-Kind"] == "float":
            kind = f"<f{bits // 8}"
        else:
            kind = f"<{'i' if number('Pixel-Representation') else 'u'}{max(1, bits // 8)}"
        shape = (rows, columns) if samples == 1 else (rows, columns, samples)
        return numpy.frombuffer(answer.body, dtype=kind).reshape(shape)

    def goto(
        self,
        file: Optional[int] = None,
        frame: Optional[int] = None,
        *,
        series: Optional[str] = None,
        sop: Optional[str] = None,
        address: Optional[str] = None,
        window: "Optional[tuple[float, float]]" = None,
        cell: Optional[int] = None,
        wait: bool = False,
    ) -> "Optional[dict]":
        """Makes the page show a file (by its index), an image (`sop`), a series (by its UID), or a whole view
        (`address`, as in a link or in `shown()`), with this window (center, width).

        With `wait` it returns when the image is on screen, with what the page then shows; RequestError with the code
        `no_page` if no page is open. Without `wait`, a page that opens later shows it.
        """
        change: "dict[str, Any]" = {"wait": wait}
        places = {"file": file, "frame": frame, "series": series, "sop": sop, "address": address, "cell": cell}
        change.update({name: value for name, value in places.items() if value is not None})
        if window is not None:
            change["window"] = {"center": float(window[0]), "width": float(window[1])}
        return self._send_json("PUT", "/view", change).json()["view"]

    def shown(self) -> "Optional[dict]":
        """What the page shows: `address`, and for each of its `cells` the file, frame and window. None without a page."""
        return self._get_json("/view")["view"]

    def screenshot(
        self,
        path: Union[str, "os.PathLike[str]", None] = None,
        *,
        what: str = "frame",
        file: int = 0,
        frame: int = 0,
        window: "Optional[tuple[float, float]]" = None,
        size: Optional[int] = None,
        cell: Optional[int] = None,
        overlays: bool = True,
    ) -> bytes:
        """A PNG, also written to `path`.

        what="frame": a frame of a file with this window (center, width), else that of the file; at full size, or within
            `size`. No page is needed.
        what="view": what the page shows, with texts, marks and layers unless `overlays` is False; of one `cell`, or of
            all of them. RequestError with the code `no_page` if no page is open.
        """
        if what not in ("frame", "view"):
            raise ValueError(f"what must be 'frame' or 'view', not {what!r}")
        if what == "view":
            choice: "dict[str, Any]" = {"overlays": overlays}
            if cell is not None:
                choice["cell"] = cell
            png = self._send_json("POST", "/view/picture", choice).body
        else:
            png = self._frame_picture(file, frame, window, size)
        if path is not None:
            Path(path).write_bytes(png)
        return png

    def _frame_picture(self, file, frame, window, size) -> bytes:
        query: "dict[str, Any]" = {}
        if window is not None:
            query["wc"], query["ww"] = window
        if size is not None:
            query["size"] = size
        name = "/thumbnail" if size is not None else ""
        text = f"?{urlencode(query)}" if query else ""
        return self._client.request("GET", f"/file/{int(file)}/frame/{int(frame)}{name}{text}").body

    def annotations(self, *, tidy: bool = True):
        """The ROIs: one row for each ROI, or with `tidy=False` one row for each file as in the CSV."""
        files = {record["index"]: record for record in self._all_files()["files"]}
        rows = []
        for listed in self._get_json("/annotations")["files"]:
            record = files[listed["index"]]
            rois = self._get_json(f"/file/{listed['index']}/annotations")
            if tidy:
                rows += _list_rois(record, rois)
            elif rois["num_roi"] > 0:
                rows.append(
                    {
                        "anon_dicom_path": record["path"],
                        "num_ROI": rois["num_roi"],
                        "ROI_coords": json.dumps(rois["roi_coords"]),
                        "ROI_frames": json.dumps(rois["roi_frames"]),
                    }
                )
        return _to_table(rows, TIDY_COLUMNS if tidy else CSV_COLUMNS)

    def set_annotations(self, rois) -> None:
        """Replaces the ROIs of every file that is named in a table as `annotations()` returns it.

        Raises AnnotationConflict, and leaves the ROIs of that file as they are, if somebody else has changed them
        meanwhile. Files that are not named keep theirs.
        """
        known = {record["path"]: record for record in self._all_files()["files"]}
        wanted: "dict[int, list[dict]]" = {}
        for row in _to_records(rois):
            record = known.get(row["path"])
            if record is None:
                raise ValueError(f"{row['path']} is not open")
            wanted.setdefault(record["index"], []).append(row)
        for index, rows in wanted.items():
            tag = self._client.request("GET", f"/file/{index}/annotations").headers["ETag"]
            self._send_json("PUT", f"/file/{index}/annotations", _to_payload(rows), {"If-Match": tag})

    def wait(self, until: str = "scan", timeout: Optional[float] = None) -> None:
        """Waits for the end of the scan, or for the first file. Raises NoFiles if there is none."""
        end = None if timeout is None else time.monotonic() + timeout
        pause = 0.01
        while True:
            progress = self._get_json("/files?limit=1")
            if until == "first" and progress["files"]:
                return
            if progress["scan_complete"]:
                if not progress["files"]:
                    raise NoFiles("nothing that was opened can be shown; see not_shown()")
                return
            if end is not None and time.monotonic() > end:
                # The scan goes on; what is listed so far can be used.
                return
            time.sleep(pause)
            pause = min(0.2, pause * 1.5)

    def not_shown(self):
        """What was found and is not shown, with the reason."""
        return _to_table(self._all_files()["discovery"])

    def show(self, height: int = 640, width: str = "100%") -> None:
        """Shows the viewer below the current cell of a notebook."""
        from ._notebook import display_inline

        display_inline(self, height, width)

    def close(self, timeout: float = 5.0) -> int:
        """Stops the viewer, and returns its exit status."""
        self._client.close()
        return self._process.close(timeout)

    stop = close

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        if not self.is_running:
            return "negato: this viewer has ended"
        return f'negato: <a href="{html.escape(self.base_url)}/" target="_blank">{html.escape(self.base_url)}</a>'

    def __repr__(self) -> str:
        return f"<negato.Viewer at {self.base_url}{'' if self.is_running else ', ended'}>"

    def _all_files(self) -> "dict[str, Any]":
        """All pages of the list of files."""
        first = self._get_json("/files")
        page = first
        while page.get("more"):
            page = self._get_json(f"/files?since={page['revision']}")
            first["files"] += page["files"]
        return first

    def _get_json(self, path: str) -> Any:
        return self._client.request("GET", quote(path, safe="/?=&(),%+:")).json()

    def _send_json(self, method: str, path: str, body: Any, headers: "Optional[Mapping[str, str]]" = None) -> Answer:
        sent = {"Content-Type": "application/json", **(headers or {})}
        return self._client.request(method, path, body=json.dumps(body).encode(), headers=sent)

    def _describe_end(self, error: BaseException) -> str:
        if self.is_running:
            return f"the viewer does not answer: {error}"
        return f"the viewer has ended:\n{self._process.last_lines()}"


TIDY_COLUMNS = (
    "path",
    "sop_instance_uid",
    "series_instance_uid",
    "file",
    "roi",
    "frames",
    "ymin",
    "xmin",
    "ymax",
    "xmax",
)
CSV_COLUMNS = ("anon_dicom_path", "num_ROI", "ROI_coords", "ROI_frames")


def _list_rois(record: Mapping[str, Any], rois: Mapping[str, Any]) -> "list[dict]":
    frames = rois["roi_frames"] or [[] for _ in rois["roi_coords"]]
    return [
        {
            "path": record["path"],
            "sop_instance_uid": record["sop_instance_uid"],
            "series_instance_uid": record["series_instance_uid"],
            "file": record["index"],
            "roi": number,
            # An empty list means all frames.
            "frames": list(own),
            "ymin": box[0],
            "xmin": box[1],
            "ymax": box[2],
            "xmax": box[3],
        }
        for number, (box, own) in enumerate(zip(rois["roi_coords"], frames))
    ]


def _to_payload(rows: "Sequence[Mapping[str, Any]]") -> "dict[str, Any]":
    boxes = [[int(row[name]) for name in ("ymin", "xmin", "ymax", "xmax")] for row in rows]
    frames = [[int(frame) for frame in row.get("frames", ())] for row in rows]
    return {"num_roi": len(boxes), "roi_coords": boxes, "roi_frames": frames if any(frames) else []}


def _to_table(rows: "Sequence[Mapping[str, Any]]", columns: Optional[Sequence[str]] = None):
    try:
        import pandas
    except ImportError:
        return list(rows)
    return pandas.DataFrame(list(rows), columns=None if columns is None else list(columns))


def _to_records(table) -> "list[dict]":
    return table.to_dict("records") if hasattr(table, "to_dict") else list(table)


def _to_filters(filters) -> "list[str]":
    if filters is None:
        return []
    if isinstance(filters, Mapping):
        return [f"{field}={value}" for field, value in filters.items()]
    return [filters] if isinstance(filters, str) else list(filters)


def _to_list(value) -> "list[Any]":
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)):
        return [value]
    return list(value)


def _to_paths(source: Source):
    """The paths to open, and what removes those that were written for it."""
    given = [] if source is None else [source] if _is_one(source) else list(source)
    if source is not None and not given:
        raise ValueError("there is nothing to open: the list is empty")
    paths, objects = [], []
    for one in given:
        if isinstance(one, (str, os.PathLike)):
            path = os.path.abspath(os.path.expanduser(os.fspath(one)))
            if not os.path.exists(path):
                raise FileNotFoundError(path)
            paths.append(path)
        else:
            objects.append(one)
    if not objects:
        return paths, lambda: None
    from ._objects import write_objects

    folder, remove = write_objects(objects)
    return [*paths, folder], remove


def _is_one(source) -> bool:
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "SOPClassUID") or hasattr(source, "to_json_dict")


__all__ = ["RequestError", "Viewer", "ViewerGone", "view"]
