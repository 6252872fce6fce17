import struct
import zlib
from pathlib import Path

import pytest

STUDY = "2.25.1"
IMPLICIT = b"1.2.840.10008.1.2\0"


def element(group: int, number: int, value: bytes) -> bytes:
    return struct.pack("<HHI", group, number, len(value)) + value


def text(value: str) -> bytes:
    return value.encode() + (b"\0" if len(value) % 2 else b"")


def write_image(path: Path, *, number: int = 1, samples: "list[int]", columns: int) -> None:
    """A secondary capture of 16 bits in Implicit VR Little Endian, written without pydicom."""
    rows = len(samples) // columns
    uid = f"2.25.100{number}"
    meta = struct.pack("<HH2sH", 2, 0x10, b"UI", len(IMPLICIT)) + IMPLICIT
    head = struct.pack("<HH2sHI", 2, 0, b"UL", 4, len(meta))
    body = b"".join(
        [
            element(0x08, 0x16, text("1.2.840.10008.5.1.4.1.1.7")),
            element(0x08, 0x18, text(uid)),
            element(0x10, 0x10, text("Test^Python")),
            element(0x20, 0x0D, text(STUDY)),
            element(0x20, 0x0E, text("2.25.2")),
            element(0x20, 0x13, text(str(number))),
            element(0x28, 0x02, struct.pack("<H", 1)),
            element(0x28, 0x04, text("MONOCHROME2")),
            element(0x28, 0x10, struct.pack("<H", rows)),
            element(0x28, 0x11, struct.pack("<H", columns)),
            element(0x28, 0x100, struct.pack("<H", 16)),
            element(0x28, 0x101, struct.pack("<H", 16)),
            element(0x28, 0x102, struct.pack("<H", 15)),
            element(0x28, 0x103, struct.pack("<H", 1)),
            element(0x7FE0, 0x10, struct.pack(f"<{len(samples)}h", *samples)),
        ]
    )
    path.write_bytes(bytes(128) + b"DICM" + head + meta + body)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in (1, 2):
        write_image(tmp_path / f"{number}.dcm", number=number, samples=[number, -2, 300, -32768, 32767, 0], columns=3)
    return tmp_path


SLICES, ROWS, COLUMNS = 4, 6, 5
AXIS = "1\\0\\0\\0\\1\\0"


def write_slice(
    path, number: int, series: str = "2.25.2", space: str = "2.25.9", *, at=None, rescale=(), samples=None
) -> None:
    """A CT slice at number * 3 mm, or elsewhere, with pixels of 2 mm by 1 mm."""
    meta = struct.pack("<HH2sH", 2, 0x10, b"UI", len(IMPLICIT)) + IMPLICIT
    head = struct.pack("<HH2sHI", 2, 0, b"UL", 4, len(meta))
    pad = lambda value: (value + " " * (len(value) % 2)).encode()  # noqa: E731
    short = lambda value: struct.pack("<H", value)  # noqa: E731
    elements = [
        (0x08, 0x16, text("1.2.840.10008.5.1.4.1.1.2")),
        (0x08, 0x18, text(f"{series}.{number + 1}")),
        (0x08, 0x60, pad("CT")),
        (0x18, 0x50, pad("3")),
        (0x20, 0x0D, text("2.25.1")),
        (0x20, 0x0E, text(series)),
        (0x20, 0x13, pad(str(number + 1))),
        (0x20, 0x32, pad(f"10\\20\\{3 * number if at is None else at}")),
        (0x20, 0x37, pad(AXIS)),
        (0x20, 0x52, text(space)),
        (0x28, 0x02, short(1)),
        (0x28, 0x04, text("MONOCHROME2")),
        (0x28, 0x10, short(ROWS)),
        (0x28, 0x11, short(COLUMNS)),
        (0x28, 0x30, pad("2\\1")),
        (0x28, 0x100, short(16)),
        (0x28, 0x101, short(16)),
        (0x28, 0x102, short(15)),
        (0x28, 0x103, short(1)),
        *((0x28, tag, pad(str(value))) for tag, value in zip((0x1053, 0x1052), rescale)),
        (0x7FE0, 0x10, bytes(2 * ROWS * COLUMNS) if samples is None else struct.pack(f"<{ROWS * COLUMNS}h", *samples)),
    ]
    path.write_bytes(bytes(128) + b"DICM" + head + meta + b"".join(element(*one) for one in elements))


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    for number in range(SLICES):
        write_slice(folder / f"{number}.dcm", number)
    return folder


def pixel_rows(png: bytes) -> int:
    """Height from the header of a PNG, whose checksum is verified."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert zlib.crc32(png[12:29]) == struct.unpack(">I", png[29:33])[0]
    return struct.unpack(">I", png[20:24])[0]
