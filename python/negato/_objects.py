"""Writes pydicom data sets to a private folder, so that the viewer can open them."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, Callable, Sequence


def write_objects(objects: Sequence[Any]) -> "tuple[str, Callable[[], None]]":
    """Returns the folder, which only this user can read, and what removes it."""
    for one in objects:
        if not hasattr(one, "save_as"):
            raise TypeError(
                f"{type(one).__name__} cannot be opened: pass paths or pydicom data sets; "
                "model output such as arrays in .npy, .npz or NIfTI files is passed as overlays="
            )
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = tempfile.mkdtemp(prefix="negato-", dir=runtime if runtime and os.access(runtime, os.W_OK) else None)

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    try:
        for number, one in enumerate(objects):
            _write(one, os.path.join(folder, f"{number:06}.dcm"))
    except BaseException:
        remove()
        raise
    return folder, remove


def _write(data_set: Any, path: str) -> None:
    import pydicom
    from pydicom.uid import ExplicitVRLittleEndian

    # A copy: what the caller passed is not changed by adding what a file needs.
    copy = pydicom.Dataset(data_set)
    meta = getattr(data_set, "file_meta", None) or pydicom.dataset.FileMetaDataset()
    copy.file_meta = pydicom.dataset.FileMetaDataset(meta)
    if "TransferSyntaxUID" not in copy.file_meta:
        copy.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    if "SOPClassUID" not in copy:
        raise ValueError("a data set without SOP Class UID cannot be written as a file")
    if "SOPInstanceUID" not in copy:
        copy.SOPInstanceUID = pydicom.uid.generate_uid()
    copy.file_meta.MediaStorageSOPClassUID = copy.SOPClassUID
    copy.file_meta.MediaStorageSOPInstanceUID = copy.SOPInstanceUID
    if int(pydicom.__version__.split(".")[0]) >= 3:
        copy.save_as(path, enforce_file_format=True)
    else:
        syntax = copy.file_meta.TransferSyntaxUID
        copy.is_little_endian, copy.is_implicit_VR = syntax.is_little_endian, syntax.is_implicit_VR
        copy.save_as(path, write_like_original=False)
