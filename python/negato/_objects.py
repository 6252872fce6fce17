"""What is opened: paths, and objects in memory, which are written to a private folder."""

from __future__ import annotations

import os
import re
from typing import Any, Optional

from ._arrays import Labels, is_array, write_image, write_overlay


class PrivateFolder:
    """A folder that only this user can read, in memory where the system has such a place. It is made when something is
    written to it."""

    def __init__(self) -> None:
        self._path: Optional[str] = None
        self._made = 0

    def make(self) -> str:
        """A new folder in it."""
        if self._path is None:
            import tempfile

            runtime = os.environ.get("XDG_RUNTIME_DIR")
            is_usable = runtime and os.path.isdir(runtime) and os.access(runtime, os.W_OK)
            self._path = tempfile.mkdtemp(prefix="negato-", dir=runtime if is_usable else None)
        self._made += 1
        made = os.path.join(self._path, f"{self._made:03}")
        os.mkdir(made, 0o700)
        return made

    def remove(self) -> None:
        if self._path is not None:
            import shutil

            shutil.rmtree(self._path, ignore_errors=True)


class Overlay:
    """Values over a series. `shape` is undefined for a file: the viewer decides where that lies."""

    def __init__(self, path: str, shape: Optional[tuple[int, int, int]] = None) -> None:
        self.path = path
        self.shape = shape


def to_paths(source: Any, folder: PrivateFolder) -> list[str]:
    """The paths to open, and after them the folder with the data sets and arrays, which are written first."""
    listed = _listed(source, "source")
    paths = [_to_path(one) for one in listed if isinstance(one, (str, os.PathLike))]
    objects = [one for one in listed if not isinstance(one, (str, os.PathLike))]
    for one in objects:
        if not is_array(one) and not hasattr(one, "save_as"):
            raise TypeError(
                f"{type(one).__name__} cannot be opened: pass paths, numpy arrays, pydicom data sets, or a list of "
                "them; model output in .npy, .npz, NRRD or NIfTI files is passed as overlays="
            )
    if not objects:
        return paths
    made = folder.make()
    for number, one in enumerate(objects):
        (write_image if is_array(one) else _write_data_set)(one, os.path.join(made, f"{number:06}.dcm"))
    return [*paths, made]


def to_overlays(source: Any, folder: PrivateFolder, labels: Labels = None) -> list[Overlay]:
    listed = _listed(source, "overlays")
    made = folder.make() if any(is_array(one) for one in listed) else ""
    return [_to_overlay(one, os.path.join(made, f"array-{number + 1}.nrrd"), labels) for number, one in enumerate(listed)]


def split_arrays(source: Any) -> tuple[list[Any], list[Any]]:
    """Arrays, and everything else."""
    listed = _listed(source, "source")
    return [one for one in listed if is_array(one)], [one for one in listed if not is_array(one)]


def _listed(source: Any, name: str) -> list[Any]:
    if source is None:
        return []
    if not _is_one(source) and not hasattr(source, "__iter__"):
        raise TypeError(
            f"{name} must be a path, an address, a pydicom data set, a numpy array, or a list of them, not {source!r:.80}"
        )
    listed = [source] if _is_one(source) else list(source)
    if not listed:
        raise ValueError(f"{name} has nothing to open: the list is empty")
    return listed


def _is_one(source: Any) -> bool:
    # A pydicom data set can be iterated too.
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "to_json_dict") or is_array(source)


def _to_path(one: "str | os.PathLike[str]") -> str:
    if isinstance(one, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", one):
        return one
    path = os.path.abspath(os.path.expanduser(os.fspath(one)))
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return path


def _to_overlay(one: Any, path: str, labels: Labels) -> Overlay:
    if not is_array(one):
        if not isinstance(one, (str, os.PathLike)):
            raise TypeError(f"overlays must be paths and numpy arrays, not {one!r:.80}")
        return Overlay(_to_path(one))
    write_overlay(one, path, labels)
    return Overlay(path, tuple(one.shape) if one.ndim == 3 else (1, *one.shape))


def _write_data_set(data_set: Any, path: str) -> None:
    import pydicom
    from pydicom.dataset import FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian, generate_uid

    # A copy: what the caller passed is not changed by adding what a file needs.
    copy = pydicom.Dataset(data_set)
    meta = getattr(data_set, "file_meta", None) or FileMetaDataset()
    copy.file_meta = FileMetaDataset(meta)
    if "TransferSyntaxUID" not in copy.file_meta:
        copy.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    if "SOPClassUID" not in copy:
        raise ValueError("a data set without SOP Class UID cannot be written as a file")
    if "SOPInstanceUID" not in copy:
        copy.SOPInstanceUID = generate_uid()
    copy.file_meta.MediaStorageSOPClassUID = copy.SOPClassUID
    copy.file_meta.MediaStorageSOPInstanceUID = copy.SOPInstanceUID
    if int(pydicom.__version__.split(".")[0]) >= 3:
        copy.save_as(path, enforce_file_format=True)
    else:
        syntax = copy.file_meta.TransferSyntaxUID
        copy.is_little_endian, copy.is_implicit_VR = syntax.is_little_endian, syntax.is_implicit_VR
        copy.save_as(path, write_like_original=False)
