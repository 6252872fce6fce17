"""`view` and the `Viewer` that it returns."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode

from ._comparison import Comparison, choose_side
from ._errors import NoFiles, RequestError, ViewerGone
from ._http import Answer, Client
from ._labels import LabelQuery, LabelVolume, choose_layers, format_of, read_labels
from ._objects import Overlay, PrivateFolder, split_arrays, to_overlays, to_paths
from ._process import Launch, ViewerProcess
from ._sheet import Sheet, read_sheet, sheet_path

if TYPE_CHECKING:  # pragma: no cover
    import numpy

Source = Union[str, "os.PathLike[str]", Any, Iterable[Any], None]


def view(
    source: Source = None,
    *,
    reference: Source = None,
    overlays: Source = None,
    labels: "Union[Mapping[int, str], Sequence[str], None]" = None,
    series: Optional[str] = None,
    window: "Optional[tuple[float, float]]" = None,
    inline: Optional[bool] = None,
    height: int = 640,
    width: str = "100%",
    block: bool = False,
    browser: Optional[bool] = None,
    port: int = 0,
    host: str = "127.0.0.1",
    recursive: bool = True,
    filters: Union[Iterable[str], Mapping[str, str], None] = None,
    annotations: Union[str, "os.PathLike[str]", None] = None,
    review: Union[str, "os.PathLike[str]", None] = None,
    reader: Optional[str] = None,
    units: Optional[str] = None,
    scheme: Union[str, "os.PathLike[str]", None] = None,
    timeout: Optional[int] = None,
    memory: Optional[str] = None,
    token: Optional[str] = None,
    wait: str = "first",
    startup_timeout: float = 30.0,
) -> "Viewer":
    """Opens DICOM files in a viewer and returns at once.

    source: a file, a folder, a pydicom data set, a numpy array, or a list of them; None opens the demo study. Objects in
        memory are written to a private folder that is removed with the viewer. An array lies nowhere in the patient:
        (rows, columns), (frames, rows, columns), and with a last axis of 3 in uint8 the same in color.
    reference: what the arrays in `source` lie over, as `source`.
    overlays: what lies over the images: arrays of the shape (images, rows, columns) in the order of the series, and files
        of model output (NIfTI, NRRD, NPY, NPZ, PNG).
    labels: names of the values of an array that is a mask: {1: "liver"}, or a list whose first name is that of 1.
    series: the Series Instance UID that arrays lie over; needed only if several series have their shape.
    window: (center, width) of the first image.
    review: the file that the decisions of `reader` are appended to; `units` ("series", "study" or "file") and `scheme` are
        as for `negato --review`.
    inline: show the viewer in a frame below the cell; by default in a notebook. The output of the cell has a ticket
        that can be used once, and never the token.
    browser: open the browser; by default outside of a notebook only.
    wait: return when the server listens ("server"), when the first file is listed ("first"), or after the scan ("scan").
        Arrays over images need the scan.
    block: return only when the viewer has ended; Ctrl+C ends it.
    """
    if wait not in ("server", "first", "scan"):
        raise ValueError(f"wait must be 'server', 'first' or 'scan', not {wait!r}")
    from ._notebook import embedders, is_notebook, shows_frames

    inline = shows_frames() if inline is None else inline
    browser = not (is_notebook() or inline) if browser is None else browser
    options = ["--host", host]
    if not recursive:
        options.append("--no-recursive")
    for one in _to_filters(filters):
        options += ["--filter", one]
    if annotations is not None:
        options += ["--annotations", os.fspath(annotations)]
    for flag, value in (("--review", review), ("--reader", reader), ("--units", units), ("--scheme", scheme)):
        if value is not None:
            options += [flag, os.fspath(value)]
    if timeout is not None:
        options += ["--timeout", str(timeout)]
    if memory is not None:
        options += ["--memory", memory]
    if inline:
        # Other pages may not frame the viewer. With this option every request needs the token.
        for page in embedders():
            options += ["--embed", page]
        options += ["--allow-host", "*"]
    elif token is not None:
        options.append("--token")
    launch = Launch(options, token, startup_timeout)
    folder = PrivateFolder()
    try:
        arrays, others = split_arrays(source) if reference is not None else ([], [])
        opened = source if reference is None else [*_as_list(reference), *others]
        launch.paths += to_paths(opened, folder)
        laid = [*to_overlays(arrays or None, folder, labels), *to_overlays(overlays, folder, labels)]
        launch.overlays += [one.path for one in laid]
        process, started = launch.start(port)
    except BaseException:
        folder.remove()
        raise
    viewer = Viewer(launch, folder, process, started)
    try:
        if wait != "server" or laid:
            viewer.wait("scan" if laid else wait, timeout=None if laid else startup_timeout)
        viewer._lay(laid, series)
        if window is not None:
            viewer.goto(window=window)
        if inline:
            viewer.show(height, width)
        if browser:
            import webbrowser

            webbrowser.open(viewer.url)
        if block:
            process.wait()
    except BaseException:
        viewer.close()
        raise
    return viewer


class Viewer:
    """A running viewer. It stops with `close`, at the end of a `with` block, and when Python ends."""

    def __init__(
        self, launch: Launch, folder: PrivateFolder, process: ViewerProcess, started: Mapping[str, Any]
    ) -> None:
        self._launch = launch
        self._folder = folder
        self._use(process, started)

    def _use(self, process: ViewerProcess, started: Mapping[str, Any]) -> None:
        self._process = process
        self._started = started
        self._client = Client(started["base_url"], started["token"], self._describe_end)
        process.when_closed(self._folder.remove)

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

    def files(self, *, wait: bool = True):
        """One row for each file, with the fields of `/api/files`, after the scan; with `wait=False` those found so far."""
        return _to_table(self._all_files(wait)["files"])

    def series(self, *, wait: bool = True):
        """One row for each stack of images: its series, and how many images it has. `wait` is as in `files`."""
        rows = []
        for series in self._wait_for_series() if wait else self._get_json("/series")["series"]:
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
        try:
            import numpy
        except ImportError as error:
            raise ImportError("frame() returns a numpy array: pip install numpy") from error

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

    def sheet(
        self,
        series: Union[str, int, None] = None,
        path: Union[str, "os.PathLike[str]", None] = None,
        *,
        slices: int = 9,
        columns: Optional[int] = None,
        plane: str = "native",
        window: "Union[str, tuple[float, float]]" = "auto",
        width: int = 480,
        layers: bool = False,
    ) -> Sheet:
        """Key slices of a series as one PNG, which a notebook shows as a picture; also written to `path`.

        series: a Series Instance UID, or the index of one of its files; None for the first series with images.
        plane: "native", "axial", "coronal" or "sagittal". window: "auto", "file", or (center, width).
        layers: with masks, contours and marks.
        """
        if not isinstance(series, int):
            series = self._find_series(series)
        choice = dict(slices=slices, columns=columns, plane=plane, window=window, width=width, layers=layers)
        # The positions of images may still be being read.
        answer = self._client.request("GET", sheet_path(series, **choice), headers={"Prefer": "wait=60"})
        sheet = read_sheet(answer.body, answer.headers)
        if path is not None:
            Path(path).write_bytes(sheet)
        return sheet

    def audit(
        self, name: str, *, where: Optional[str] = None, values: bool = False, pixels: bool = False, wait: bool = True
    ):
        """The findings of an audit, one in a row: "geometry", "protocol", "duplicates", "completeness", "identifiers",
        "burned-in" or "readable". No finding does not mean that there is nothing to find.

        where: a condition on files. values: with the values that identify people, in place of their form. pixels: also
        duplicates of pixels. `wait` is as in `files`.
        """
        if wait:
            with contextlib.suppress(NoFiles):
                self.wait("scan")
        query = {"where": where, "values": "1" if values else None, "pixels": "1" if pixels else None}
        choice = urlencode({key: value for key, value in query.items() if value is not None})
        answer = self._get_json(f"/audit/{name}" + (f"?{choice}" if choice else ""))
        return _to_table(answer["findings"])

    def _find_series(self, series: Optional[str]) -> Union[str, int]:
        """The address of a series: one of its files, because a series without images is in no list of series."""
        if series is None:
            for one in self._wait_for_series():
                return one["id"]
            raise NoFiles("there is no series of images")
        for record in self._all_files()["files"]:
            if record["series_instance_uid"] == series:
                return record["index"]
        raise KeyError(series)

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

    def marks(self):
        """The marks: one row for each mark, or for each drawn slice of a mark through a stack, as in the CSV of marks.

        Numbers are numbers, and points, masks and the details of places are lists and dicts. What a mark does not have
        is None.
        """
        text = self._client.request("GET", "/marks/export?format=csv").body.decode("utf-8")
        limit = csv.field_size_limit(_LONGEST_CELL)
        try:
            reader = csv.DictReader(io.StringIO(text, newline=""))
            rows = [{name: _parse_mark_cell(name, cell) for name, cell in row.items()} for row in reader]
        finally:
            csv.field_size_limit(limit)
        return _to_table(rows, reader.fieldnames)

    def review(self):
        """What was decided in the review of `view(review=…)`: one row for each series, study or file, and columns for each
        reader, such as `verdict:anna`. RequestError with the code `no_review` without one.
        """
        self._all_files()
        text = self._client.request("GET", "/review.jsonl").body.decode("utf-8")
        return _to_table([json.loads(line) for line in text.split("\n") if line])

    def layers(self, series: Optional[str] = None):
        """What lies over the images of a series, one row for each layer, and why others of its study do not."""
        _, layers = self._find_layers(series)
        rows = [{name: value for name, value in one.items() if not isinstance(value, (list, dict))} for one in layers]
        reasons = [one["placement"]["reason"] for one in layers]
        return _to_table([{**row, "reason": reason} for row, reason in zip(rows, reasons)])

    def labels(
        self,
        series: Optional[str] = None,
        *,
        layers: "Optional[Iterable[Union[int, str]]]" = None,
        marks: bool = False,
        parts: "Optional[Iterable[int]]" = None,
        threshold: Optional[float] = None,
        grid: str = "images",
        overlap: str = "volumes",
    ) -> LabelVolume:
        """What lies over a series as one array of labels, with their names and codes.

        series: its Series Instance UID; needed only if layers lie over several series.
        layers: numbers or titles of `layers()`; by default all segmentations, structure sets and labels of model output.
        marks: adds the areas among the marks, one label for each class.
        parts: numbers of parts of a single layer.
        threshold: fractions and probabilities from here on are inside (0.5).
        grid: "images", or "own" for that of a single segmentation.
        overlap: "volumes" puts labels that overlap into several volumes, "last" lets a later one be over an earlier one.
        """
        choice = {"layers": layers, "marks": marks, "parts": parts, "threshold": threshold}
        query = self._to_label_query(series, grid=grid, overlap=overlap, **choice)
        answer = self._client.request("GET", query.path(format="npz"))
        return read_labels(answer.body, answer.headers.get("X-Labels-Left-Out") or "")

    def compare(
        self,
        truth: Union[int, str],
        test: Union[int, str],
        series: Optional[str] = None,
        *,
        pairs: "Optional[Mapping[int, int]]" = None,
        tolerance: Optional[float] = None,
        overlap: Optional[float] = None,
        connectivity: Optional[int] = None,
        threshold: Optional[float] = None,
        grid: str = "truth",
        numbers: str = "all",
    ) -> Comparison:
        """How far two layers over a series agree, part by part: Dice, volumes, distances of surfaces, components.

        truth, test: numbers or titles of `layers()`, or "marks" for the areas among the marks.
        series: its Series Instance UID; needed only if layers lie over several series.
        pairs: parts of the truth and the parts of the test that they are compared with; by default those with the same
            code, label or number.
        tolerance: surfaces that are at most so many millimetres apart agree (1).
        overlap: the part of a component that must be exceeded in the other mask for it to be found (0).
        connectivity: 6, 18 or 26 neighbours of a sample belong to the same component (26).
        threshold: fractions and probabilities from here on are inside (0.5).
        grid: "truth" for that of the truth, if it has its own, or "images".
        numbers: "all", or "overlap" without components and distances, which take longer.
        """
        stack, found = self._find_layers(series)
        sides = {name: choose_side(found, side) for name, side in (("truth", truth), ("test", test))}
        rules = {"tolerance": tolerance, "overlap": overlap, "connectivity": connectivity, "threshold": threshold}
        query = {**sides, "file": stack["file"], "frame": stack["frame"], "grid": grid, "numbers": numbers, **rules}
        if pairs is not None:
            query["pairs"] = ",".join(f"{int(one)}:{int(other)}" for one, other in pairs.items())
        given = {name: value for name, value in query.items() if value is not None}
        return Comparison(self._get_json("/compare?" + urlencode(given)))

    def export_labels(
        self,
        path: Union[str, "os.PathLike[str]"],
        series: Optional[str] = None,
        *,
        format: Optional[str] = None,
        layers: "Optional[Iterable[Union[int, str]]]" = None,
        marks: bool = False,
        parts: "Optional[Iterable[int]]" = None,
        threshold: Optional[float] = None,
        grid: str = "images",
        overlap: str = "volumes",
        overwrite: bool = False,
    ) -> dict:
        """Writes what `labels` returns as a file, and returns what is in it: the plan of the API.

        The ending decides the format: .nii.gz, .nii, .nrrd (.seg.nrrd of 3D Slicer), .npz, or .dcm for a DICOM segmentation.
        A file that exists is a FileExistsError without `overwrite`.
        """
        target = Path(path)
        kind = format_of(target, format)
        choice = {"layers": layers, "marks": marks, "parts": parts, "threshold": threshold}
        query = self._to_label_query(series, grid=grid, overlap=overlap, **choice)
        if target.exists() and not overwrite:
            raise FileExistsError(f"{target} exists; overwrite=True replaces it")
        plan = self._get_json(query.path("/plan"))
        body = self._client.request("GET", query.path(format=kind)).body
        with open(target, "wb" if overwrite else "xb") as file:
            file.write(body)
        return plan

    def _to_label_query(self, series, *, layers, marks, **choice) -> LabelQuery:
        stack, found = self._find_layers(series)
        return LabelQuery(stack["file"], stack["frame"], layers=choose_layers(found, layers), marks=marks, **choice)

    def _find_layers(self, series: Optional[str]) -> "tuple[dict, list[dict]]":
        """A stack, and what may lie over it. Without a name, the only stack that something lies over."""
        stacks = self._list_stacks(series)
        found = [(stack, self._layers_over(stack)) for stack in stacks]
        if len(found) > 1:
            with_layers = [(stack, over) for stack, over in found if any(one["frame_count"] > 0 for one in over)]
            found = with_layers or found
        if len(found) == 1:
            return found[0]
        if not found:
            raise ValueError("no series of images is open" if series is None else f"no open series is {series}")
        uids = ", ".join(sorted({stack["series"] for stack, _ in found}))
        raise ValueError(f"layers may lie over several series; name one as series=: {uids}")

    def _layers_over(self, stack: "Mapping[str, Any]") -> "list[dict]":
        return self._get_json(f"/layers?file={stack['file']}&frame={stack['frame']}")["layers"]

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

    def add(
        self,
        source: Source = None,
        *,
        overlays: Source = None,
        labels: "Union[Mapping[int, str], Sequence[str], None]" = None,
        series: Optional[str] = None,
    ) -> "list[int]":
        """Opens more, and returns the indices of the new files. Arrays lie over the open series of their shape.

        The viewer is started again at the same address: files keep their indices and ROIs stay, and a page that is open
        follows by itself.
        """
        arrays, others = split_arrays(source)
        paths = to_paths(others or None, self._folder)
        laid = [*to_overlays(arrays or None, self._folder, labels), *to_overlays(overlays, self._folder, labels)]
        before = len(self._all_files()["files"])
        rois = self.annotations()
        launch, old = self._launch, (list(self._launch.paths), list(self._launch.overlays))
        launch.paths += paths
        launch.overlays += [one.path for one in laid]
        try:
            self._restart()
            self.wait("scan")
            self._lay(laid, series)
        except BaseException:
            # What was open stays open.
            launch.paths, launch.overlays = old
            self._restart()
            self.wait("scan")
            raise
        finally:
            if len(rois) > 0 and len(self.annotations()) < len(rois):
                self.set_annotations(rois)
        return list(range(before, len(self._all_files()["files"])))

    def _restart(self) -> None:
        port, token = self._started["port"], self._started["token"]
        self._client.close()
        self._process.close(keep=True)
        self._launch.token = token
        restore = ["--restore"] if self._launch.paths else []
        self._use(*self._launch.start(port, *restore))

    def _lay(self, laid: "Sequence[Overlay]", series: Optional[str]) -> None:
        """Lays arrays over the stack of their shape, and makes the page show it."""
        shapes = [one for one in laid if one.shape is not None]
        if not shapes:
            return
        attachments = {one["path"]: one["attachment"] for one in self._all_attachments()}
        stacks = self._list_stacks(series)
        layers, first = [], None
        for one in shapes:
            found = [stack for stack in stacks if stack["shape"] == one.shape]
            if not found:
                known = ", ".join(sorted({str(stack["shape"]) for stack in stacks})) or "none"
                raise ValueError(f"no open series has the shape of the array, {one.shape}; there are: {known}")
            if len({stack["series"] for stack in found}) > 1:
                uids = ", ".join(sorted({stack["series"] for stack in found}))
                raise ValueError(f"several series have the shape {one.shape}; name one as series=: {uids}")
            stack = found[0]
            number = attachments[one.path]
            choice = {"file": stack["file"], "frame": stack["frame"]}
            answer = self._send_json("PUT", f"/attachment/{number}/stack", choice).json()
            (match,) = [match for match in answer["matches"] if match["is_chosen"]]
            # The slowest axis of the array is that of the images, also if all sizes are equal.
            orders = match["orders"]
            if "columns, rows, slices" in orders and orders.index("columns, rows, slices") > 0:
                choice["order"] = orders.index("columns, rows, slices")
                self._send_json("PUT", f"/attachment/{number}/stack", choice)
            first = first or stack
            layers.append(f"layer={quote('~' + '/'.join(one.path.split(os.sep)[-2:]), safe='')}")
        assert first is not None
        record = self._all_files()["files"][first["file"]]
        # As in a link: a file without UID is named by its path.
        name = record["sop_instance_uid"] or f"~{record['path']}"
        self.goto(address="&".join([f"cell={quote(name, safe='')},{first['frame'] + 1}", *layers]))

    def _list_stacks(self, series: Optional[str]) -> "list[dict]":
        files = self._all_files()["files"]
        stacks = []
        for one in self._wait_for_series():
            for stack in one["stacks"]:
                if not stack["frames"]:
                    continue
                file, frame = _first_frame(stack)
                shape = (len(stack["frames"]), files[file]["rows"], files[file]["columns"])
                uid = files[file]["series_instance_uid"]
                if series is None or uid == series:
                    stacks.append({"series": uid, "shape": shape, "file": file, "frame": frame})
        return stacks

    def _wait_for_series(self) -> "list[dict]":
        """All series, once the positions of all images are read: they decide the order of a stack."""
        while True:
            answer = self._get_json("/series")
            if answer["scan_complete"] and answer["geometry_complete"]:
                return answer["series"]
            time.sleep(0.05)

    def _all_attachments(self) -> "list[dict]":
        found: "list[dict]" = []
        while True:
            page = self._get_json(f"/attachments?since={len(found)}")
            found += page["attachments"]
            if not page["attachments"] or len(found) >= page["total"]:
                return found

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

    def not_shown(self, *, wait: bool = True):
        """
        All files that exist and are not shown, one in a row, with the reason. `wait` is as in `files`. Files that
        DICOMDIRs name and that are not there are one row without a path, whose `count` is their number.
        """
        if wait:
            with contextlib.suppress(NoFiles):
                self.wait("scan")
        found: "list[dict]" = []
        while True:
            page = self._get_json(f"/not-shown?offset={len(found)}")
            found += page["entries"]
            if not page["entries"] or len(found) >= page["total"]:
                break
        found = [{**entry, "count": 1} for entry in found]
        for key, reason in (("unlisted", "limit_exceeded"), ("missing", "media_file_missing")):
            if page[key]:
                group = {"disposition": "skipped", "reason": reason, "has_tags": False, "count": page[key]}
                found.append({"id": -1, "path": "", **group})
        return _to_table(found)

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
        import html

        from ._notebook import address

        # The output of a cell is saved, so the link has a ticket that is good once, and not the token.
        ticket = "" if self.token is None else f"#ticket={self._issue_ticket()}"
        place = html.escape(address(self.base_url, self._started["port"]) + ticket)
        return f'negato: <a href="{place}" target="_blank" rel="noopener">{html.escape(self.base_url)}</a>'

    def __repr__(self) -> str:
        return f"<negato.Viewer at {self.base_url}{'' if self.is_running else ', ended'}>"

    def _all_files(self, wait: bool = True) -> "dict[str, Any]":
        """All pages of the list of files: of a list that is complete, unless the caller does not want to wait."""
        if wait:
            with contextlib.suppress(NoFiles):
                self.wait("scan")
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

    def _issue_ticket(self) -> str:
        return self._client.request("POST", "/tickets").json()["ticket"]

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


# Masks are longer than what the csv module reads by itself.
_LONGEST_CELL = 2**30
_MARK_NUMBERS = (
    "length_mm",
    "short_axis_mm",
    "angle_degrees",
    "area_px",
    "area_mm2",
    "volume_ml",
    "length_px",
    "short_axis_px",
)
_MARK_JSON = ("points_px", "points_mm", "mask", "place_details")


def _parse_mark_cell(name: str, cell: str) -> Any:
    if cell == "":
        return "" if name in ("label", "text", "comment", "author", "class_title") else None
    if name in _MARK_JSON:
        return json.loads(cell)
    if name in _MARK_NUMBERS:
        return float(cell)
    if name == "frame_number":
        return int(cell)
    if name == "locked":
        return cell == "true"
    # The CSV puts an apostrophe before texts that a spreadsheet would take for formulas.
    return cell[1:] if cell.startswith("'") else cell


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


def _first_frame(stack: Mapping[str, Any]) -> "tuple[int, int]":
    first = stack["frames"][0]
    return first["file_index"], first["frame_index"]


def _as_list(source) -> "list[Any]":
    arrays, others = split_arrays(source)
    return [*arrays, *others]


__all__ = ["RequestError", "Viewer", "ViewerGone", "view"]
