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


def pixel_rows(png: bytes) -> int:
    """Height from the header of a PNG, whose checksum is verified."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert zlib.crc32(png[12:29]) == struct.unpack(">I", png[29:33])[0]
    return struct.unpack(">I", png[20:24])[0]
