"""`view` and the `Viewer` that it returns."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Literal, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode

from ._cohort import Names, read_cohort
from ._comparison import Comparison, choose_side
from ._errors import NoFiles, RequestError, ViewerGone
from ._http import Answer, Client
from ._labels import LabelQuery, LabelVolume, choose_layers, format_of, read_labels
from ._objects import Overlay, PrivateFolder, split_arrays, to_overlays, to_paths
from ._options import PARAMETERS, check_choice, check_pair, check_switch, check_whole, refuse, to_arguments
from ._process import Launch, ViewerProcess
from ._sheet import Sheet, read_sheet, sheet_path
from ._marks import (
    add_marks,
    change_marks,
    delete_marks,
    export_marks,
    import_marks,
    list_marks,
    measure_marks,
    nearest_frame,
    read_classes,
    set_marks,
)
from ._stacks import Plane, describe_stacks, list_planes
from ._tables import Table, require, to_records, to_table
from ._volume import UNITS, Volume, read_volume

if TYPE_CHECKING:  # pragma: no cover
    import numpy

    from ._assistants import Assistants, Function

PathLike = Union[str, "os.PathLike[str]"]
Source = Union[str, "os.PathLike[str]", Any, Iterable[Any], None]


def view(
    source: Source = None,
    *,
    reference: Source = None,
    overlays: Source = None,
    labels: Union[Mapping[int, str], Sequence[str], None] = None,
    series: Optional[str] = None,
    window: Optional[tuple[float, float]] = None,
    index: Union[PathLike, Iterable[PathLike], None] = None,
    where: Optional[str] = None,
    filters: Union[str, Iterable[str], Mapping[str, str], None] = None,
    recursive: bool = True,
    archives: bool = True,
    watch: Union[bool, float] = False,
    mask: bool = False,
    mask_key: Optional[PathLike] = None,
    annotations: Optional[PathLike] = None,
    classes: Union[PathLike, Mapping[str, Any], Sequence[Mapping[str, Any]], None] = None,
    restore: Optional[bool] = None,
    hanging: Union[PathLike, Mapping[str, Any], Sequence[Any], None] = None,
    scores: Optional[PathLike] = None,
    review: Union[PathLike, Iterable[PathLike], None] = None,
    reader: Optional[str] = None,
    units: Optional[Literal['series', 'study', 'file']] = None,
    scheme: Union[PathLike, Mapping[str, Any], None] = None,
    blind: Union[str, int, None] = None,
    second: bool = False,
    inline: Optional[bool] = None,
    height: int = 640,
    width: str = "100%",
    block: bool = False,
    browser: Optional[bool] = None,
    wait: Literal['server', 'first', 'scan'] = "first",
    startup_timeout: float = 30.0,
    port: int = 0,
    host: str = "127.0.0.1",
    token: Union[str, bool, None] = None,
    allow_hosts: Union[str, Iterable[str], None] = None,
    embed: Union[str, Iterable[str], None] = None,
    base_path: Optional[str] = None,
    tunnel: Optional[str] = None,
    tunnel_port: Optional[int] = None,
    dicomweb: bool = False,
    dicomweb_origins: Union[str, Iterable[str], None] = None,
    timeout: Optional[int] = None,
    memory: Union[str, int, None] = None,
    cache_budget: Union[str, int, None] = None,
    anonymous: bool = False,
    profile: Optional[str] = None,
    endpoint: Optional[str] = None,
    region: Optional[str] = None,
    bearer_command: Optional[str] = None,
    origin_requests: Optional[int] = None,
    origin_timeout: Optional[float] = None,
    max_objects: Optional[int] = None,
    cache_dir: Optional[PathLike] = None,
    cache_size: Union[str, int, None] = None,
    insecure_http: bool = False,
    assist: Union[str, Iterable[str], None] = None,
    log_level: Optional[Literal['silent', 'error', 'warn', 'info', 'debug']] = None,
) -> Viewer:
    """Opens DICOM files in a viewer and returns at once.

    >>> viewer = negato.view(folder, browser=False)
    >>> viewer.is_running
    True
    >>> viewer.close()
    0

    What is opened:

    source: a file, a folder, an address (https://, s3://, gs://, az:// and others), a pydicom data set, a numpy array, or a list
        of them; None opens the files of `index`, else the demo study. Objects in memory are written to a private
        folder that is removed with the viewer. An array lies nowhere in the patient: (rows, columns), (frames, rows,
        columns), and with a last axis of 3 in uint8 the same in color.
    reference: what the arrays in `source` lie over, as `source`.
    overlays: what lies over the images: arrays of the shape (images, rows, columns) in the order of the series, and files
        of model output (NIfTI, NRRD, NPY, NPZ, PNG).
    labels: names of the values of an array that is a mask: {1: "liver"}, or a list whose first name is that of 1.
    series: the Series Instance UID that arrays lie over; needed only if several series have their shape.
    window: (center, width) of the first image.
    index: files of `negato index`, which are opened without a scan. where: a condition such as "Modality='MR'".
    filters: {"modality": "MR"}, or texts as of the command. recursive, archives: False leaves out subfolders, archives.
    watch: True shows files that appear or change; a number looks every so many seconds.
    mask: True masks names, dates, UIDs and other identifiers in everything that is shown and returned; mask_key is a file
        with a secret, by which they are masked in every run in the same way.
    annotations: a CSV of ROIs. classes: those that marks can have, as a JSON file, a dict or a list. restore: True restores,
        and False forgets, ROIs and marks that an earlier run kept.
    hanging: rules for what a study shows, as a JSON file or what is in it.
    scores: a file that `negato compare` has written, whose scores are columns of `table`.
    review: the file that the decisions of `reader` are appended to, and others to read. `units`, `scheme`, `blind` (a seed)
        and `second` are as of the command.
    assist: addresses of servers that make masks of clicks, boxes and scribbles; for functions see Viewer.assistant.
    anonymous, profile, endpoint, region, bearer_command, origin_requests, origin_timeout, max_objects, cache_dir,
        cache_size, insecure_http: for files on other machines, as of the command.

    How it is shown:

    inline: show the viewer in a frame of `height` pixels and `width` below the cell; by default in a notebook. The output
        of the cell has a ticket that can be used once, and never the token.
    browser: open the browser; by default outside of a notebook only.
    wait: return when the server listens ("server"), when the first file is listed ("first"), or after the scan ("scan").
        Arrays over images need the scan. A viewer that does not listen after startup_timeout seconds is a StartupError.
    block: return only when the viewer has ended; Ctrl+C ends it.

    How it is served: port, host, token (True makes one, False never requires one), allow_hosts, embed, base_path, tunnel,
    tunnel_port, dicomweb, dicomweb_origins, timeout (seconds without a request), memory, cache_budget and log_level are
    as of the command: `negato --help` says more of each.
    """
    given = {name: value for name, value in locals().items() if name in PARAMETERS}
    check_choice("wait", wait, ("server", "first", "scan"))
    if units is not None:
        check_choice("units", units, ("series", "study", "file"))
    if window is not None:
        window = check_pair("window", window)
    for name, switch in (("block", block), ("inline", inline), ("browser", browser)):
        if switch is not None:
            check_switch(name, switch)
    if isinstance(token, str) and len(token) < 32:
        raise ValueError("token must have at least 32 characters")
    port, height = check_whole("port", port), check_whole("height", height, 1)
    from ._notebook import embedders, is_notebook, shows_frames

    inline = shows_frames() if inline is None else inline
    browser = not (is_notebook() or inline) if browser is None else browser
    folder = PrivateFolder()
    try:
        if inline:
            # Other pages may not frame the viewer. With this option every request needs the token.
            given["embed"] = [*([embed] if isinstance(embed, str) else embed or ()), *embedders()]
            given["allow_hosts"] = "*"
            if token is None or token is True:
                given["token"] = None
        launch = Launch(to_arguments(given, folder), token if isinstance(token, str) else None, startup_timeout)
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
            viewer.wait("first" if wait == "first" and not laid else "scan", timeout=None if laid else startup_timeout)
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
        self._assistants: Optional[Assistants] = None
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

    def files(self, *, wait: bool = True) -> Table:
        """One row for each file, with the fields of `/api/files`, after the scan; with `wait=False` those found so far."""
        return to_table(self._all_files(wait)["files"])

    def series(self, *, volumes: bool = True, wait: bool = True) -> Table:
        """One row for each stack of images: its series, patient, modality, description, shape (images, rows, columns), spacing in
        millimetres (between slices, rows and columns), the indices of its files, and whether it is a volume, else
        the `refusal`.

        >>> viewer.series().columns[:4].tolist()
        ['series_instance_uid', 'study_instance_uid', 'modality', 'description']

        volumes: False leaves out what takes reading all headers: whether a stack is a volume. `wait` is as in `files`.
        """
        listed = self._wait_for_series() if wait else self._get_json("/series")["series"]
        files = self._all_files(wait)["files"]
        return to_table(describe_stacks(listed, files, self._describe_volume if volumes else None))

    def _describe_volume(self, file: int, frame: int) -> dict[str, Any]:
        return self._get_json(f"/file/{file}/volume?frame={frame}")

    def volume(
        self,
        series: Union[str, int, None] = None,
        time: Optional[int] = None,
        unit: Literal['stored', 'modality', 'SUVbw'] = "stored",
        *,
        frame: Optional[int] = None,
        path: Optional[PathLike] = None,
        overwrite: bool = False,
    ) -> Volume:
        """The samples of a series as one array (slices, rows, columns), and where they are in the patient.

        >>> volume = viewer.volume()
        >>> volume.array.shape, volume.spacing
        ((4, 6, 5), (3, 2, 1))
        >>> volume.affine_ras[:3, 3].tolist()
        [-10.0, -20.0, 0.0]

        series: a Series Instance UID, or the index of one of its files; needed only if there are several. Of a file with
            several orientations, `frame` chooses one.
        time: one of several; by default all of them, along a first axis.
        unit: "stored" for the samples as stored, bit for bit, "modality" for values such as HU, "SUVbw" for a PET by body weight.
        path: a new .npy file, which the samples are written to; the array is then mapped into memory, and may be larger
            than it. A file that exists is a FileExistsError without `overwrite`.

        VolumeRefused, with its `reason`, if the images are no volume or have no such samples.
        """
        check_choice("unit", unit, UNITS)
        if time is not None:
            time = check_whole("time", time)
        file, first = self._find_stack(series)
        if frame is not None:
            first = check_whole("frame", frame)
        return read_volume(self._client, file, first, time, unit, path, overwrite)

    def _find_stack(self, series: Union[str, int, None]) -> tuple[int, int]:
        """A file and frame of the stack that a series is, or that a file belongs to."""
        if series is not None and not isinstance(series, str):
            wanted = check_whole("series", series)
            for one in self._wait_for_series():
                for stack in one["stacks"]:
                    for place in stack["frames"]:
                        if place["file_index"] == wanted:
                            return wanted, place["frame_index"]
            return wanted, 0
        stacks = self._list_stacks(series)
        if len(stacks) > 1:
            # Several enhanced files may be one volume.
            described = [(stack, self._describe_volume(stack["file"], stack["frame"])["volume"]) for stack in stacks]
            same = {None if one is None else (one["file_index"], one["frame_indices"][0]) for _, one in described}
            if len(same) == 1 and None not in same:
                stacks = stacks[:1]
        if len(stacks) == 1:
            return stacks[0]["file"], stacks[0]["frame"]
        if not stacks:
            raise ValueError("no series of images is open" if series is None else f"no open series is {series}")
        uids = sorted({stack["series"] for stack in stacks})
        if len(uids) > 1:
            raise ValueError(f"several series are open; name one as series=: {', '.join(uids)}")
        known = ", ".join(f"{stack['file']} {stack['shape']}" for stack in stacks)
        raise ValueError(f"the series has several stacks; name one by the index of a file as series=: {known}")

    def tags(self, file: int = 0) -> list[dict[str, Any]]:
        """All elements of one file, as `/api/file/N/tags` lists them."""
        return self._get_json(f"/file/{int(file)}/tags")

    def tag(self, path: str, file: int = 0) -> Any:
        """The value of one element, such as `tag("(0010,0010)")` or `tag("(0008,1140)/0/(0008,1155)")`."""
        return self._get_json(f"/file/{int(file)}/tags/select?{urlencode({'path': path})}")["value"]

    def frame(self, file: int = 0, frame: int = 0) -> numpy.ndarray:
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
        window: Optional[tuple[float, float]] = None,
        cell: Optional[int] = None,
        wait: bool = False,
    ) -> Optional[dict[str, Any]]:
        """Makes the page show a file (by its index), an image (`sop`), a series (by its UID), or a whole view
        (`address`, as in a link or in `shown()`), with this window (center, width).

        With `wait` it returns when the image is on screen, with what the page then shows; RequestError with the code
        `no_page` if no page is open. Without `wait`, a page that opens later shows it.
        """
        change: dict[str, Any] = {"wait": wait}
        places = {"file": file, "frame": frame, "series": series, "sop": sop, "address": address, "cell": cell}
        change.update({name: value for name, value in places.items() if value is not None})
        if window is not None:
            center, width = check_pair("window", window)
            change["window"] = {"center": center, "width": width}
        return self._send_json("PUT", "/view", change).json()["view"]

    def shown(self) -> Optional[dict[str, Any]]:
        """What the page shows: `address`, and for each of its `cells` the file, frame and window. None without a page."""
        return self._get_json("/view")["view"]

    def screenshot(
        self,
        path: Union[str, "os.PathLike[str]", None] = None,
        *,
        what: str = "frame",
        file: int = 0,
        frame: int = 0,
        window: Optional[tuple[float, float]] = None,
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
        check_choice("what", what, ("frame", "view"))
        if what == "view":
            choice: dict[str, Any] = {"overlays": overlays}
            if cell is not None:
                choice["cell"] = cell
            png = self._send_json("POST", "/view/picture", choice).body
        else:
            png = self._frame_picture(file, frame, window, size)
        if path is not None:
            Path(path).write_bytes(png)
        return png

    def _frame_picture(
        self, file: int, frame: int, window: Optional[tuple[float, float]], size: Optional[int]
    ) -> bytes:
        query: dict[str, Any] = {}
        if window is not None:
            query["wc"], query["ww"] = check_pair("window", window)
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
        window: Union[str, tuple[float, float]] = "auto",
        width: int = 480,
        layers: bool = False,
        errors: Optional[Sequence[Union[int, str]]] = None,
    ) -> Sheet:
        """Key slices of a series as one PNG, which a notebook shows as a picture; also written to `path`.

        >>> import numpy
        >>> truth = numpy.zeros((4, 6, 5), "u1")
        >>> truth[2, 1:4, 1:4] = 1
        >>> with negato.view(folder, overlays=[truth, truth[:, ::-1]], browser=False) as compared:
        ...     sheet = compared.sheet(slices=1, errors=compared.layers()["layer"].tolist())
        >>> len(sheet.tiles), sheet.left_out
        (1, [])

        series: a Series Instance UID, or the index of one of its files; None for the first series with images.
        plane: "native", "axial", "coronal" or "sagittal". window: "auto", "file", or (center, width).
        layers: with masks, contours and marks.
        errors: truth and test, as numbers or titles of `layers()`: what is in both, in the test alone and in the truth alone,
            in three colors. The slice with most wrong samples is one of those that are shown.
        """
        sides = None
        if errors is not None:
            series, sides = self._choose_errors(series, errors)
        elif not isinstance(series, int):
            series = self._find_series(series)
        where = sheet_path(
            series, slices=slices, columns=columns, plane=plane, window=window, width=width, layers=layers, errors=sides
        )
        # The positions of images may still be being read.
        answer = self._client.request("GET", where, headers={"Prefer": "wait=60"})
        sheet = read_sheet(answer.body, answer.headers)
        if path is not None:
            Path(path).write_bytes(sheet)
        return sheet

    def _choose_errors(
        self, series: Union[str, int, None], errors: Sequence[Union[int, str]]
    ) -> tuple[int, tuple[int, int]]:
        """A file of the series, and the numbers of the layers."""
        if isinstance(errors, (str, int)) or len(errors) != 2:
            raise ValueError(f"errors are between two layers, (truth, test), not {errors!r}")
        if isinstance(series, int):
            file, found = series, self._layers_over({"file": series, "frame": 0})
        else:
            stack, found = self._find_layers(series)
            file = stack["file"]
        truth, test = (choose_layers(found, [side])[0] for side in errors)
        return file, (truth, test)

    def audit(
        self, name: str, *, where: Optional[str] = None, values: bool = False, pixels: bool = False, wait: bool = True
    ) -> Table:
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
        return to_table(answer["findings"])

    def table(
        self,
        level: str = "series",
        columns: Names = None,
        where: Optional[str] = None,
        sort: Names = None,
    ) -> Table:
        """One row for each series, "study" or "file", with any elements as columns.

        columns: keywords, tags and paths such as "EchoTime", "(0018,9087)", "Sequence[0].Keyword" or "0019,xx0C@CREATOR", and
            what marks, reviews and audits say; by default the usual ones, "*" for all. The headers are read for them once.
        where: a condition on files, such as "Modality='MR' and EchoTime<30". A series or study is in the table if one of its
            files meets it.
        sort: names of columns, downwards with a minus before the name.

        >>> viewer.table(columns=["Modality", "SliceThickness"])[["Modality", "SliceThickness", "files"]].values.tolist()
        [['CT', 3, 4]]

        What differs within a row is None, and the columns that end in `_distinct`, `_min` and `_max` say how.
        """
        return read_cohort(self, level, columns, where, sort)

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

    def annotations(self, *, tidy: bool = True) -> Table:
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
        return to_table(rows, TIDY_COLUMNS if tidy else CSV_COLUMNS)

    def marks(self) -> Table:
        """The marks: one row for each mark, or for each drawn slice of a mark through a stack, as in the CSV of marks, with
        `id` and `etag`. Masks on slides are not among them.

        Numbers are numbers, and points, masks and the details of places are lists and dicts. What a mark does not have
        is None.

        >>> _ = viewer.add_marks([{"kind": "length", "file": 0, "points": [[0, 0], [3, 0]]}])
        >>> viewer.marks()[["kind", "length_mm"]].values.tolist()
        [['length', 3.0]]
        """
        return list_marks(self)

    def add_marks(self, marks: Any) -> list[int]:
        """Makes marks, and returns their ids.

        marks: a DataFrame of pandas, polars or others, or a list of dicts, with these columns:
            kind: "box", "ellipse", "polygon", "freehand", "brush", "point", "arrow", "length", "angle", "cobb" or
                "bidirectional".
            file (an index or path) or sop_instance_uid, and frame (from 0) or frame_number (from 1).
            points: [[x, y], …] in pixels from the corner of the first one; or points_mm: [[x, y, z], …] in millimetres (LPS),
                projected onto that frame, or without a frame onto the nearest of the file or `series` (by the first
                point). A brush has mask: (rows, columns) of bool.
            label, class, text, comment, author, locked, uid: as in `marks`, and not needed.

        >>> ids = viewer.add_marks([{"kind": "point", "points_mm": [[12.0, 24.0, 3.0]], "label": "here"}])
        >>> viewer.marks()[["frame_number", "points_px"]].values.tolist()
        [[1, [[2.5, 2.5]]]]

        What `marks` returns can be added to another viewer of the same images. MarksRefused if some could not be made.
        """
        return add_marks(self, marks)

    def set_marks(self, marks: Any) -> int:
        """Writes back what was changed in a table of `marks()`: words, `locked` and `points_px`. Returns how many marks
        have changed.

        >>> _ = viewer.add_marks([{"kind": "point", "file": 0, "points": [[1, 1]]}])
        >>> table = viewer.marks()
        >>> table["label"] = "checked"
        >>> viewer.set_marks(table)
        1

        MarkConflict, and nothing is written, if somebody else has changed one of them since it was read.
        """
        return set_marks(self, marks)

    def change_marks(
        self,
        marks: Any,
        *,
        label: Optional[str] = None,
        class_: Optional[str] = None,
        comment: Optional[str] = None,
        author: Optional[str] = None,
        locked: Optional[bool] = None,
    ) -> int:
        """Gives marks the same words: all of them change, or none. `class_=""` takes the class away.

        marks: ids or uids, or rows of `marks()`; of rows it is a MarkConflict if one was changed since.
        """
        change: dict[str, Any] = {"label": label, "comment": comment, "author": author, "locked": locked}
        change = {name: value for name, value in change.items() if value is not None}
        if class_ is not None:
            change["class"] = class_ or None
        return change_marks(self, marks, change)

    def delete_marks(self, marks: Any) -> int:
        """Deletes marks, all of them or none, and returns how many. `marks` is as in `change_marks`.

        >>> _ = viewer.add_marks([{"kind": "point", "file": 0, "points": [[1, 1]]}])
        >>> viewer.delete_marks(viewer.marks())
        1
        """
        return delete_marks(self, marks)

    def import_marks(
        self,
        source: Union[PathLike, numpy.ndarray],
        format: Optional[str] = None,
        *,
        series: Union[str, int, None] = None,
        labels: Union[Mapping[int, str], Sequence[str], None] = None,
    ) -> dict[str, Any]:
        """Makes the marks of a file, or masks of an array of labels (slices, rows, columns) as `volume` returns it, named by
        `labels`. Returns how many were `imported`, `known` and `refused`, with the `reasons`.

        The ending decides the format: .csv, .coco.json, .geojson, .json (of `export_marks`), .nii, .nii.gz, .nrrd.
        series: what a label volume, or marks that name no image, lie on; needed only if there are several.

        >>> import numpy
        >>> mask = numpy.zeros((4, 6, 5), "u1")
        >>> mask[1, 2:4, 2:4] = 1
        >>> viewer.import_marks(mask, labels={1: "node"})["imported"]
        1
        """
        return import_marks(self, source, format, series, labels)

    def export_marks(
        self,
        path: PathLike,
        format: Optional[str] = None,
        *,
        series: Union[str, int, None] = None,
        file: Optional[int] = None,
        kind: Optional[str] = None,
        class_: Optional[str] = None,
        unlabelled: Optional[bool] = None,
        text: Optional[str] = None,
        author: Optional[str] = None,
        study: Optional[str] = None,
        overwrite: bool = False,
    ) -> list[str]:
        """Writes marks as a file, and returns what the format cannot hold.

        The ending decides the format: .csv, .coco.json, .geojson, .json (everything, to be imported again), .nii, .nii.gz
        and .nrrd (areas as labels of a series). format="sr" is a DICOM report of a `study`, "seg" a DICOM segmentation.
        file, kind, class_, unlabelled, text, author: only marks that meet all of them.

        >>> viewer.export_marks(folder + "/marks.csv")
        []
        """
        choice = {"file": file, "kind": kind, "class": class_, "unlabelled": unlabelled, "text": text, "author": author}
        return export_marks(self, path, format, series, {**choice, "study": study}, overwrite)

    def mark_statistics(self, marks: Any) -> Table:
        """Count, mean, range, area and volume of the pixels inside of marks, one row for each. `marks` is as in `change_marks`."""
        return measure_marks(self, marks)

    def classes(self) -> list[dict[str, Any]]:
        """The classes that marks can have: key, title, color and so on."""
        answer = self._client.request("GET", "/labels")
        self._classes_tag = answer.headers["ETag"]
        return answer.json()["classes"]

    def set_classes(self, classes: Any) -> None:
        """Replaces the classes: a JSON file, a list of dicts with key, title and color ("#rrggbb"), or a DataFrame.

        >>> viewer.set_classes([{"key": "node", "title": "Lymph node", "color": "#ff8800"}])
        >>> [one["key"] for one in viewer.classes()]
        ['node']

        MarkConflict if somebody else has changed them since `classes()`.
        """
        tag = getattr(self, "_classes_tag", None)
        headers = {} if tag is None else {"If-Match": tag}
        self._classes_tag = self._send_json("PUT", "/labels", read_classes(classes), headers).headers["ETag"]

    def to_mm(self, points: Any, file: int = 0, frame: int = 0) -> list[tuple[float, float, float]]:
        """Millimetres (LPS) of points in pixels of a frame, as marks have them: [[x, y], …] from the corner of the first one.

        >>> viewer.to_mm([[0.5, 0.5]], file=1)
        [(10.0, 20.0, 3.0)]
        """
        plane = self._find_plane(file, frame)
        return [plane.to_mm(*map(float, point)) for point in points]

    def to_pixels(self, points: Any, file: int = 0, frame: int = 0) -> list[tuple[float, float, float]]:
        """Of points in millimetres (LPS), x and y in pixels of a frame, and the distance from its plane in millimetres.

        >>> viewer.to_pixels([[10, 20, 5]], file=1)
        [(0.5, 0.5, 2.0)]
        """
        plane = self._find_plane(file, frame)
        return [plane.to_pixels(point) for point in points]

    def nearest_frame(self, point: Sequence[float], series: Optional[str] = None) -> tuple[int, int, float]:
        """File, frame and distance in millimetres of the image that is nearest to a point in millimetres (LPS).

        >>> viewer.nearest_frame([10, 20, 7])
        (2, 0, 1.0)
        """
        return nearest_frame(list_planes(self._wait_for_series()), point, series, None)

    def _find_plane(self, file: int, frame: int) -> Plane:
        for _, number, at, plane in list_planes(self._wait_for_series()):
            if (number, at) == (file, frame):
                return plane
        raise ValueError(f"frame {frame} of file {file} is not open, or has no place in the patient and size of pixels")

    def review(self) -> Table:
        """What was decided in the review of `view(review=…)`: one row for each series, study or file, and columns for each
        reader, such as `verdict:anna`. RequestError with the code `no_review` without one.
        """
        self._all_files()
        text = self._client.request("GET", "/review.jsonl").body.decode("utf-8")
        return to_table([json.loads(line) for line in text.split("\n") if line])

    def layers(self, series: Optional[str] = None) -> Table:
        """What lies over the images of a series, one row for each layer, and why others of its study do not."""
        _, layers = self._find_layers(series)
        rows = [{name: value for name, value in one.items() if not isinstance(value, (list, dict))} for one in layers]
        reasons = [one["placement"]["reason"] for one in layers]
        return to_table([{**row, "reason": reason} for row, reason in zip(rows, reasons)])

    def labels(
        self,
        series: Optional[str] = None,
        *,
        layers: Optional[Iterable[Union[int, str]]] = None,
        marks: bool = False,
        parts: Optional[Iterable[int]] = None,
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
        query = self._to_label_query(
            series, layers=layers, marks=marks, parts=parts, threshold=threshold, grid=grid, overlap=overlap
        )
        answer = self._client.request("GET", query.path(format="npz"))
        return read_labels(answer.body, answer.headers.get("X-Labels-Left-Out") or "")

    def assistant(
        self,
        name: str,
        *,
        prompts: Sequence[str] = ("point", "box", "scribble"),
        negative: bool = True,
        unit: Literal['stored', 'modality'] = "stored",
        dimensions: Literal[2, 3] = 3,
        seconds: float = 120,
    ) -> Callable[[Function], Function]:
        """Decorates a function that makes masks of clicks, boxes and scribbles. The page then has a tool with this name.

        >>> @viewer.assistant("Bright", prompts=("point",), unit="modality")
        ... def segment(volume, prompts):
        ...     level = volume.array[tuple(prompts[0].points[0])]
        ...     return volume.array >= level

        The function gets the volume (`array` of (slices, rows, columns), `affine_lps`, `spacing`, `unit`) and the prompts: a
        list whose items have `kind`, `positive` and `points`, each point (slice, row, column). It returns a mask of bool, or of
        0 and 1, of the shape of the array, or None. It runs in a thread of this process, one question at a time; what it
        raises is told on the page. Nothing is changed until the user takes the mask.

        prompts: what it takes, of "point", "box", "scribble" and "mask": then `prompts.mask` is the mask that the user has
            selected, and the answer replaces it. negative: False if it takes nothing that is outside.
        unit: "stored" for the samples as stored, bit for bit, "modality" for values such as HU.
        dimensions: 2 if an answer is about one image, `prompts.slice`: it may then be (rows, columns).
        seconds: the time that an answer may take.

        An assistant of the same name is replaced. It ends with the viewer, and with this process.
        """

        # Loaded here, because a server of HTTP takes longer to import than the rest of this package.
        from ._assistants import Assistants, AssistantServer

        def add(function: Function) -> Function:
            if not callable(function):
                raise refuse("assistant", "a function of a volume and prompts", function)
            if self._assistants is None:
                self._assistants = Assistants(self)
            self._assistants.add(AssistantServer(function, name, prompts, negative, unit, dimensions, seconds))
            return function

        return add

    def compare(
        self,
        truth: Union[int, str],
        test: Union[int, str],
        series: Optional[str] = None,
        *,
        pairs: Optional[Mapping[int, int]] = None,
        tolerance: Optional[float] = None,
        overlap: Optional[float] = None,
        connectivity: Optional[int] = None,
        threshold: Optional[float] = None,
        grid: str = "truth",
        numbers: str = "all",
        errors: bool = False,
    ) -> Comparison:
        """How far two layers over a series agree, part by part: Dice, volumes, distances of surfaces, components.

        >>> import numpy
        >>> truth = numpy.zeros((4, 6, 5), "u1")
        >>> truth[1:3, 1:3, 1:3] = 1
        >>> test = truth.copy()
        >>> test[2, 1, 1] = 0
        >>> overlays = [truth, test]
        >>> with negato.view(folder, overlays=overlays, labels={1: "node"}, browser=False) as compared:
        ...     found = compared.compare(*compared.layers()["layer"].tolist(), errors=True)
        >>> round(found["node"]["dice"], 3)
        0.933
        >>> [(one["slice"], one["false_positive"], one["false_negative"]) for one in found.errors]
        [(2, 0, 1)]

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
        errors: True also lists the slices in which the two differ, as `errors` of the answer.
        """
        stack, found = self._find_layers(series)
        sides = {name: choose_side(found, side) for name, side in (("truth", truth), ("test", test))}
        rules = {"tolerance": tolerance, "overlap": overlap, "connectivity": connectivity, "threshold": threshold}
        query = {**sides, "file": stack["file"], "frame": stack["frame"], "grid": grid, "numbers": numbers, **rules}
        if check_switch("errors", errors):
            query["errors"] = "list"
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
        layers: Optional[Iterable[Union[int, str]]] = None,
        marks: bool = False,
        parts: Optional[Iterable[int]] = None,
        threshold: Optional[float] = None,
        grid: str = "images",
        overlap: str = "volumes",
        overwrite: bool = False,
    ) -> dict[str, Any]:
        """Writes what `labels` returns as a file, and returns what is in it: the plan of the API.

        The ending decides the format: .nii.gz, .nii, .nrrd (.seg.nrrd of 3D Slicer), .npz, or .dcm for a DICOM segmentation.
        A file that exists is a FileExistsError without `overwrite`.
        """
        target = Path(path)
        kind = format_of(target, format)
        query = self._to_label_query(
            series, layers=layers, marks=marks, parts=parts, threshold=threshold, grid=grid, overlap=overlap
        )
        if target.exists() and not overwrite:
            raise FileExistsError(f"{target} exists; overwrite=True replaces it")
        plan = self._get_json(query.path("/plan"))
        body = self._client.request("GET", query.path(format=kind)).body
        with open(target, "wb" if overwrite else "xb") as file:
            file.write(body)
        return plan

    def _to_label_query(
        self,
        series: Optional[str],
        *,
        layers: Optional[Iterable[Union[int, str]]],
        marks: bool,
        parts: Optional[Iterable[int]],
        threshold: Optional[float],
        grid: str,
        overlap: str,
    ) -> LabelQuery:
        stack, found = self._find_layers(series)
        return LabelQuery(
            stack["file"],
            stack["frame"],
            layers=choose_layers(found, layers),
            marks=marks,
            parts=parts,
            threshold=threshold,
            grid=grid,
            overlap=overlap,
        )

    def _find_layers(self, series: Optional[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
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

    def _layers_over(self, stack: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self._get_json(f"/layers?file={stack['file']}&frame={stack['frame']}")["layers"]

    def set_annotations(self, rois: Any) -> None:
        """Replaces the ROIs of every file that is named in a table as `annotations()` returns it.

        Raises AnnotationConflict, and leaves the ROIs of that file as they are, if somebody else has changed them
        meanwhile. Files that are not named keep theirs.
        """
        known = {record["path"]: record for record in self._all_files()["files"]}
        wanted: dict[int, list[dict[str, Any]]] = {}
        for at, row in enumerate(to_records(rois, "rois")):
            require(row, ("path", "ymin", "xmin", "ymax", "xmax"), "rois", at)
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
        labels: Union[Mapping[int, str], Sequence[str], None] = None,
        series: Optional[str] = None,
    ) -> list[int]:
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
        # What was kept before this viewer has been restored or forgotten; what it keeps itself comes back.
        self._launch.options = [one for one in self._launch.options if one not in ("--restore", "--forget")]
        restore = ["--restore"] if self._launch.paths else []
        self._use(*self._launch.start(port, *restore))
        if self._assistants is not None:
            self._assistants.announce()

    def _lay(self, laid: Sequence[Overlay], series: Optional[str]) -> None:
        """Lays arrays over the stack of their shape, and makes the page show it."""
        shapes = [one for one in laid if one.shape is not None]
        if not shapes:
            return
        attachments = {one["path"]: one["attachment"] for one in self._all_attachments()}
        stacks = self._list_stacks(series)
        layers, shown = [], None
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
            shown = shown or self._find_fullest(stack, number)
            layers.append(f"layer={quote('~' + '/'.join(one.path.split(os.sep)[-2:]), safe='')}")
        assert shown is not None
        file, frame = shown
        record = self._all_files()["files"][file]
        # As in a link: a file without UID is named by its path.
        name = record["sop_instance_uid"] or f"~{record['path']}"
        self.goto(address="&".join([f"cell={quote(name, safe='')},{frame + 1}", *layers]))

    def _find_fullest(self, stack: Mapping[str, Any], attachment: int) -> tuple[int, int]:
        """The image with most of an array; of values, of which none has most, that in the middle."""
        fullest = self._get_json(f"/layer/{_FIRST_ATTACHMENT + attachment}")["fullest"]
        if fullest is not None:
            return fullest["file_index"], fullest["frame_index"]
        places = stack["places"]
        return places[len(places) // 2]

    def _list_stacks(self, series: Optional[str]) -> list[dict[str, Any]]:
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
                    places = [(place["file_index"], place["frame_index"]) for place in stack["frames"]]
                    stacks.append({"series": uid, "shape": shape, "file": file, "frame": frame, "places": places})
        return stacks

    def _wait_for_series(self) -> list[dict[str, Any]]:
        """All series, once the positions of all images are read: they decide the order of a stack."""
        while True:
            answer = self._get_json("/series")
            if answer["scan_complete"] and answer["geometry_complete"]:
                return answer["series"]
            time.sleep(0.05)

    def _all_attachments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = self._get_json(f"/attachments?since={len(found)}")
            found += page["attachments"]
            if not page["attachments"] or len(found) >= page["total"]:
                return found

    def wait(self, until: Literal['first', 'scan'] = "scan", timeout: Optional[float] = None) -> None:
        """Waits for the end of the scan, or for the first file. Raises NoFiles if there is none."""
        check_choice("until", until, ("first", "scan"))
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

    def not_shown(self, *, wait: bool = True) -> Table:
        """
        All files that exist and are not shown, one in a row, with the reason. `wait` is as in `files`. Files that
        DICOMDIRs name and that are not there are one row without a path, whose `count` is their number.
        """
        if wait:
            with contextlib.suppress(NoFiles):
                self.wait("scan")
        found: list[dict[str, Any]] = []
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
        return to_table(found)

    def show(self, height: int = 640, width: str = "100%") -> None:
        """Shows the viewer below the current cell of a notebook."""
        from ._notebook import display_inline

        display_inline(self, height, width)

    def close(self, timeout: float = 5.0) -> int:
        """Stops the viewer, and returns its exit status."""
        if self._assistants is not None:
            self._assistants.close()
        self._client.close()
        return self._process.close(timeout)

    stop = close

    def __enter__(self) -> Viewer:
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

    def _all_files(self, wait: bool = True) -> dict[str, Any]:
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

    def _send_json(self, method: str, path: str, body: Any, headers: Optional[Mapping[str, str]] = None) -> Answer:
        sent = {"Content-Type": "application/json", **(headers or {})}
        return self._client.request(method, path, body=json.dumps(body).encode(), headers=sent)

    def _issue_ticket(self) -> str:
        return self._client.request("POST", "/tickets").json()["ticket"]

    def _describe_end(self, error: BaseException) -> str:
        if self.is_running:
            return f"the viewer does not answer: {error}"
        return f"the viewer has ended:\n{self._process.last_lines()}"


# The number of the layer of an attachment is so much more than its own.
_FIRST_ATTACHMENT = 1_000_000
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


def _list_rois(record: Mapping[str, Any], rois: Mapping[str, Any]) -> list[dict[str, Any]]:
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


def _to_payload(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    boxes = [[int(row[name]) for name in ("ymin", "xmin", "ymax", "xmax")] for row in rows]
    frames = [[int(frame) for frame in row.get("frames") or ()] for row in rows]
    return {"num_roi": len(boxes), "roi_coords": boxes, "roi_frames": frames if any(frames) else []}


def _first_frame(stack: Mapping[str, Any]) -> tuple[int, int]:
    first = stack["frames"][0]
    return first["file_index"], first["frame_index"]


def _as_list(source: Any) -> list[Any]:
    arrays, others = split_arrays(source)
    return [*arrays, *others]


__all__ = ["RequestError", "Viewer", "ViewerGone", "view"]
