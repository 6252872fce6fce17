"""Figures that no test asserts: python tests/measure.py [KILLS]

How much processor time importing the package takes, and whether the viewer ends after Python was killed, many times.
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


if __name__ == "__main__":
    plain, imported = processor_ms("pass"), processor_ms("import negato")
    print(f"import negato: {imported - plain:.0f} ms of processor time ({RUNS} runs)")
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    took = sorted(kill_many(kills))
    print(f"{kills} of {kills} viewers ended after SIGKILL; median {took[kills // 2]:.2f} s, longest {took[-1]:.2f} s")
