"""What type checkers say of the package, and of a program that uses it."""

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "negato"

PROGRAM = """
from pathlib import Path

import negato

with negato.view(Path("study"), mask=True, where="Modality='CT'", window=(40, 400), wait="scan") as viewer:
    volume: negato.Volume = viewer.volume("1.2.3", unit="modality")
    spacing: tuple[float, float, float] = volume.spacing
    rows: int = volume.array.shape[0]
    names: dict[int, str] = viewer.labels().names
    ids: list[int] = viewer.add_marks([{"kind": "point", "file": 0, "points": [[1, 2]]}])
    left: list[str] = viewer.export_marks("marks.csv")
    png: bytes = viewer.screenshot()
    try:
        viewer.set_marks(viewer.marks())
    except negato.MarkConflict as conflict:
        code: str = conflict.code
"""
# A line each, at which a type checker must complain.
MISTAKES = """
import negato
negato.view("study", wait="end")
negato.view("study", window=40)
negato.view("study").volume(unit="HU")
negato.view("study").volume().affine
"""


def run(*command: str) -> "tuple[int, str]":
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=PACKAGE.parent)
    return done.returncode, done.stdout + done.stderr


def write(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return str(path)


def test_mypy_finds_no_fault_in_the_package_and_those_of_a_program(tmp_path):
    pytest.importorskip("mypy")
    options = ["--cache-dir", str(tmp_path / "cache"), "--ignore-missing-imports"]
    # The name of a package in its own folder is looked for beside it.
    strict = ["--check-untyped-defs", "--disallow-any-generics", "--warn-unused-configs"]
    status, said = run("mypy", *options, *strict, "negato", write(tmp_path, PROGRAM))
    assert status == 0, said
    status, said = run("mypy", *options, "--strict", "--follow-imports=silent", write(tmp_path, MISTAKES))
    assert status == 1 and [f"program.py:{line}: error" in said for line in (3, 4, 5, 6)] == [True] * 4, said


def test_pyright_finds_no_fault_in_the_package_and_those_of_a_program(tmp_path):
    pytest.importorskip("pyright")
    if run("pyright", "--version")[0] != 0:
        pytest.skip("pyright has no Node.js of its own")
    options = ["--pythonpath", sys.executable, "--level", "error"]
    status, said = run("pyright", *options, "negato", write(tmp_path, PROGRAM))
    faults = [line for line in said.splitlines() if "error:" in line and "could not be resolved" not in line]
    assert faults == [], said
    status, said = run("pyright", *options, write(tmp_path, MISTAKES))
    assert status == 1 and [f"program.py:{line}:" in said for line in (3, 4, 5, 6)] == [True] * 4, said
