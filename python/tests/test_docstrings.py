"""The examples in docstrings run."""

import doctest

import pytest
from conftest import SLICES, write_slice

import negato

pytest.importorskip("pandas")
pytest.importorskip("numpy")


def list_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [*finder.find(negato.view, "view", globs={}), *finder.find(negato.Viewer, "Viewer", globs={})]
    return [one for one in found if one.examples]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    study = tmp_path_factory.mktemp("study")
    for number in range(SLICES):
        write_slice(study / f"{number}.dcm", number)
    with negato.view(study, browser=False, wait="scan") as viewer:
        yield viewer, str(study)


@pytest.mark.parametrize("example", list_examples(), ids=lambda one: one.name)
def test_an_example_gives_what_it_says(example, opened):
    viewer, folder = opened
    viewer.delete_marks(viewer.marks())
    example.globs = {"negato": negato, "viewer": viewer, "folder": folder}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    said = []
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)
