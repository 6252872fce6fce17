"""Figures that no test asserts: python tests/measure.py [KILLS], python tests/measure.py volumes [FOLDER]

How much processor time importing the package takes, and whether the viewer ends after Python was killed, many times. With
`volumes`, how long a series takes to become an array, beside the series reader of SimpleITK; without a folder a CT of
300 slices of 512 x 512 is written first.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conftest import write_image

RUNS = 20
# A viewer that still runs after this is left over.
LONGEST_S = 20.0

CHILD = """
import sys, time, negato
viewer = negato.view(sys.argv[1], browser=False, wait=sys.argv[2])
print(viewer.pid, flush=True)
time.sleep(600)
"""


def processor_ms(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(RUNS):
        subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000 / RUNS


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def kill_many(count: int) -> "list[float]":
    """Seconds from the end of Python to the end of its viewer."""
    took = []
    with tempfile.TemporaryDirectory() as folder:
        write_image(Path(folder) / "1.dcm", samples=[1, 2, 3, 4], columns=2)
        for number in range(count):
            # Killed while the viewer starts, or when it runs.
            wait = ("server", "first", "scan")[number % 3]
            python = subprocess.Popen([sys.executable, "-c", CHILD, folder, wait], stdout=subprocess.PIPE, text=True)
            pid = int(python.stdout.readline())
            python.send_signal(signal.SIGKILL)
            python.wait()
            began = time.monotonic()
            while is_alive(pid) and time.monotonic() - began < LONGEST_S:
                time.sleep(0.01)
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
                sys.exit(f"kill {number + 1}: the viewer was left over")
            took.append(time.monotonic() - began)
    return took


def write_ct(folder: Path) -> None:
    import struct

    from conftest import AXIS, IMPLICIT, element, text

    pad = lambda value: (value + " " * (len(value) % 2)).encode()  # noqa: E731
    short = lambda value: struct.pack("<H", value)  # noqa: E731
    meta = struct.pack("<HH2sH", 2, 0x10, b"UI", len(IMPLICIT)) + IMPLICIT
    meta += struct.pack("<HH2sH", 2, 2, b"UI", 26) + text("1.2.840.10008.5.1.4.1.1.2")
    head = bytes(128) + b"DICM" + struct.pack("<HH2sHI", 2, 0, b"UL", 4, len(meta)) + meta
    for number in range(300):
        elements = [
            (0x08, 0x16, text("1.2.840.10008.5.1.4.1.1.2")),
            (0x08, 0x18, text(f"2.25.77.{number + 1}")),
            (0x08, 0x60, pad("CT")),
            (0x20, 0x0D, text("2.25.75")),
            (0x20, 0x0E, text("2.25.76")),
            (0x20, 0x13, pad(str(number + 1))),
            (0x20, 0x32, pad(f"10\\20\\{number}")),
            (0x20, 0x37, pad(AXIS)),
            (0x20, 0x52, text("2.25.74")),
            (0x28, 0x02, short(1)),
            (0x28, 0x04, text("MONOCHROME2")),
            (0x28, 0x10, short(512)),
            (0x28, 0x11, short(512)),
            (0x28, 0x30, pad("1\\1")),
            (0x28, 0x100, short(16)),
            (0x28, 0x101, short(16)),
            (0x28, 0x102, short(15)),
            (0x28, 0x103, short(1)),
            (0x7FE0, 0x10, os.urandom(512) * 1024),
        ]
        (folder / f"{number:03}.dcm").write_bytes(head + b"".join(element(*one) for one in elements))


def measure_volumes(folder: str) -> None:
    """Both read the same files, in turns, from the cache of the system."""
    import numpy
    import SimpleITK

    import negato

    names = SimpleITK.ImageSeriesReader.GetGDCMSeriesFileNames(folder)
    theirs, ours = [], []
    with negato.view(folder, browser=False, wait="scan") as viewer:
        viewer.series(volumes=False)
        for turn in range(6):
            began = time.monotonic()
            reader = SimpleITK.ImageSeriesReader()
            reader.SetFileNames(names)
            array = SimpleITK.GetArrayFromImage(reader.Execute())
            theirs.append(time.monotonic() - began)
            began = time.monotonic()
            volume = viewer.volume()
            ours.append(time.monotonic() - began)
            if turn == 0:
                print(f"{volume.array.nbytes / 2**20:.0f} MiB; first: SimpleITK {theirs[0]:.2f} s, volume() {ours[0]:.2f} s")
                print("equal:", numpy.array_equal(array, volume.array))
    best = min(theirs[1:]), min(ours[1:])
    middle = sorted(theirs[1:])[2], sorted(ours[1:])[2]
    print(f"median of 5: SimpleITK {middle[0]:.2f} s, volume() {middle[1]:.2f} s: {middle[0] / middle[1]:.1f} times as fast")
    print(f"best of 5: SimpleITK {best[0]:.2f} s, volume() {best[1]:.2f} s: {best[0] / best[1]:.1f} times as fast")


if __name__ == "__main__":
    if sys.argv[1:2] == ["volumes"]:
        with tempfile.TemporaryDirectory() as made:
            if len(sys.argv) == 2:
                write_ct(Path(made))
            measure_volumes(sys.argv[2] if len(sys.argv) > 2 else made)
        sys.exit()
    plain, imported = processor_ms("pass"), processor_ms("import negato")
    print(f"import negato: {imported - plain:.0f} ms of processor time ({RUNS} runs)")
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    took = sorted(kill_many(kills))
    print(f"{kills} of {kills} viewers ended after SIGKILL; median {took[kills // 2]:.2f} s, longest {took[-1]:.2f} s")
