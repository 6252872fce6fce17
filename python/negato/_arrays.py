"""Writes numpy arrays as files that the viewer reads: over a series as NRRD, by themselves as DICOM."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:  # pragma: no cover
    import numpy

Labels = Union[Mapping[int, str], Sequence[str], None]

# What NRRD calls the types of numpy.
NRRD_TYPES = {
    "u1": "uint8",
    "i1": "int8",
    "u2": "uint16",
    "i2": "int16",
    "u4": "uint32",
    "i4": "int32",
    "u8": "uint64",
    "i8": "int64",
    "f4": "float",
    "f8": "double",
}
MOST_BYTES = 2**32 - 2


def is_array(source: Any) -> bool:
    """Without importing numpy: torch tensors and others have to be turned into arrays by the caller."""
    return type(source).__module__.split(".")[0] == "numpy" and hasattr(source, "dtype") and hasattr(source, "shape")


def write_overlay(
    array: numpy.ndarray, path: str, labels: Labels = None, *, affine: Optional[Sequence[float]] = None
) -> None:
    """Writes values over a series: (slices, rows, columns) in the order of its images, or (rows, columns).

    affine: three rows of four numbers, from column, row and slice to millimetres (LPS); without it, the shape alone says
        where the array lies.
    """
    samples = _to_plain(array)
    if samples.ndim == 2:
        samples = samples[None]
    if samples.ndim != 3:
        raise ValueError(f"an array over a series has 2 or 3 axes, not {array.ndim}: its shape is {array.shape}")
    names = _to_names(labels)
    if names and samples.dtype.kind == "f":
        raise ValueError(f"labels need whole numbers, and the array has {array.dtype}")
    lines = [
        "NRRD0004",
        f"type: {NRRD_TYPES[samples.dtype.str[1:]]}",
        "dimension: 3",
        "sizes: " + " ".join(map(str, reversed(samples.shape))),
        "encoding: raw",
        "endian: little",
    ]
    if affine is not None:
        axes = [f"({','.join(repr(float(one)) for one in affine[axis::4])})" for axis in range(4)]
        lines += ["space: left-posterior-superior", f"space directions: {' '.join(axes[:3])}", f"space origin: {axes[3]}"]
    for number, (value, name) in enumerate(names):
        lines += [f"Segment{number}_Name:={_one_line(name)}", f"Segment{number}_LabelValue:={value}"]
    with open(path, "wb") as file:
        file.write(("\n".join(lines) + "\n\n").encode())
        file.write(samples.tobytes())


def _to_names(labels: Labels) -> list[tuple[int, str]]:
    if labels is None:
        return []
    # Of a plain list, the first name is that of the value 1: 0 is the background.
    items = labels.items() if isinstance(labels, Mapping) else enumerate(labels, start=1)
    return [(int(value), str(name)) for value, name in items]


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _to_plain(array: numpy.ndarray) -> numpy.ndarray:
    """The same values, little endian and in C order, in a type that files have."""
    import numpy

    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8 or array.size == 0:
        raise TypeError(f"an array of {array.dtype} and shape {array.shape} cannot be shown")
    if array.dtype.kind == "b":
        array = array.astype("u1")
    elif array.dtype.str[1:] == "f2":
        array = array.astype("<f4")
    return numpy.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
PARAMETRIC_MAP = "1.2.840.10008.5.1.4.1.1.30"


def write_image(array: numpy.ndarray, path: str, *, name: str = "array") -> None:
    """Writes an array that lies nowhere in a patient: (rows, columns), (frames, rows, columns), and with a last axis of
    3 in uint8 the same in color. Its values are stored exactly."""
    samples = _to_plain(array)
    is_color = samples.ndim in (3, 4) and samples.shape[-1] == 3 and samples.dtype.str == "|u1"
    frames = samples.shape[:-3] if is_color else samples.shape[:-2]
    if len(frames) > 1 or samples.ndim < 2:
        raise ValueError(f"an array with the shape {array.shape} is no picture and no stack of pictures")
    rows, columns = samples.shape[-3:-1] if is_color else samples.shape[-2:]
    if rows > 65535 or columns > 65535 or samples.nbytes > MOST_BYTES:
        raise ValueError(f"an array with the shape {array.shape} is too large for one file")
    import uuid

    samples = _to_stored(samples)
    is_float = samples.dtype.kind == "f"
    bits = samples.dtype.itemsize * 8
    uid = f"2.25.{uuid.uuid4().int}"
    elements = [
        _text(0x0008, 0x0016, PARAMETRIC_MAP if is_float else SECONDARY_CAPTURE),
        _text(0x0008, 0x0018, uid),
        _text(0x0008, 0x0060, "OT"),
        _text(0x0008, 0x103E, _one_line(name)[:64], pad=b" "),
        _text(0x0020, 0x000D, f"2.25.{uuid.uuid4().int}"),
        _text(0x0020, 0x000E, f"2.25.{uuid.uuid4().int}"),
        _short(0x0028, 0x0002, 3 if is_color else 1),
        _text(0x0028, 0x0004, "RGB" if is_color else "MONOCHROME2", pad=b" "),
        *([_short(0x0028, 0x0006, 0)] if is_color else []),
        _text(0x0028, 0x0008, str(frames[0] if frames else 1), pad=b" "),
        _short(0x0028, 0x0010, rows),
        _short(0x0028, 0x0011, columns),
        _short(0x0028, 0x0100, bits),
    ]
    if not is_float:
        signed = int(samples.dtype.kind == "i")
        elements += [_short(0x0028, 0x0101, bits), _short(0x0028, 0x0102, bits - 1), _short(0x0028, 0x0103, signed)]
    pixels = (0x7FE0, 0x0010) if not is_float else (0x7FE0, 0x0008 if bits == 32 else 0x0009)
    data = samples.tobytes()
    meta = _meta(PARAMETRIC_MAP if is_float else SECONDARY_CAPTURE, uid)
    with open(path, "wb") as file:
        file.write(bytes(128) + b"DICM" + meta + b"".join(elements))
        file.write(struct.pack("<HHI", *pixels, len(data) + len(data) % 2))
        file.write(data + b"\0" * (len(data) % 2))


def _to_stored(samples: numpy.ndarray) -> numpy.ndarray:
    """Pixel data has 8, 16 or 32 bits."""
    import numpy

    kind, size = samples.dtype.kind, samples.dtype.itemsize
    if kind == "i" and size == 1:
        return samples.astype("<i2")
    if kind in "iu" and size == 8:
        small = numpy.dtype("<i4" if kind == "i" else "<u4")
        limits = numpy.iinfo(small)
        if samples.min() < limits.min or samples.max() > limits.max:
            raise ValueError("whole numbers of more than 32 bits cannot be shown exactly; pass float64 instead")
        return samples.astype(small)
    return samples


def _meta(sop_class: str, uid: str) -> bytes:
    """The file meta information: Implicit VR Little Endian."""
    parts = [(0x0002, sop_class), (0x0003, uid), (0x0010, "1.2.840.10008.1.2")]
    body = b"".join(
        struct.pack("<HH2sH", 2, element, b"UI", len(_even(text))) + _even(text) for element, text in parts
    )
    return struct.pack("<HH2sHI", 2, 0, b"UL", 4, len(body)) + body


def _even(text: str, pad: bytes = b"\0") -> bytes:
    value = text.encode("ascii", "replace")
    return value + pad * (len(value) % 2)


def _text(group: int, element: int, text: str, pad: bytes = b"\0") -> bytes:
    value = _even(text, pad)
    return struct.pack("<HHI", group, element, len(value)) + value


def _short(group: int, element: int, value: int) -> bytes:
    return struct.pack("<HHIH", group, element, 2, value)
