"""The parameters of `view` beside the options of the command."""

import inspect
import re
import subprocess

import pytest

import negato
from negato._node import find_dist, find_node
from negato._options import NOT_PARAMETERS, OTHER_PARAMETERS, PARAMETERS

HELP = subprocess.run([find_node(), str(find_dist() / "negato.js"), "--help"], capture_output=True, text=True).stdout


def test_every_option_of_the_command_is_a_parameter_or_said_to_be_none():
    # Lines such as `  -p, --port N    port to listen on`.
    flags = set(re.findall(r"^  (?:-\w, |    )?(--[a-z][a-z-]+)", HELP, re.MULTILINE))
    assert len(flags) > 40
    known = {flag for flag, _ in PARAMETERS.values()} | set(OTHER_PARAMETERS) | set(NOT_PARAMETERS)
    assert flags - known == set()


def test_every_parameter_has_a_default_and_is_in_the_documentation():
    parameters = inspect.signature(negato.view).parameters
    assert {*PARAMETERS, *OTHER_PARAMETERS.values()} <= set(parameters)
    undocumented = [one for one in parameters if not re.search(rf"\b{one}\b", negato.view.__doc__)]
    assert undocumented == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"source": 5}, "source must be a path, .* or a list of them, not 5"),
        ({"source": []}, "source has nothing to open"),
        ({"overlays": 5}, "overlays must be a path"),
        ({"window": 40}, r"window must be \(center, width\), two numbers, not 40"),
        ({"window": (40, 0)}, "window must have a width above 0"),
        ({"mask": "yes"}, "mask must be True or False, not 'yes'"),
        ({"index": 3}, "index must be a path or a list of them, not 3"),
        ({"where": 3}, "where must be a text, not 3"),
        ({"filters": 3}, "filters must be a text or a list of them, not 3"),
        ({"watch": "yes"}, "watch must be True, False or a number of seconds"),
        ({"timeout": 1.5}, "timeout must be a whole number, not 1.5"),
        ({"port": "80"}, "port must be a whole number, not '80'"),
        ({"units": "patient"}, "units must be 'series', 'study' or 'file', not 'patient'"),
        ({"classes": 3}, "classes must be the path of a JSON file, or what is in it"),
        ({"token": "short"}, "token must have at least 32 characters"),
        ({"wait": "end"}, "wait must be 'server', 'first' or 'scan', not 'end'"),
    ],
)
def test_a_mistake_names_the_argument_and_what_it_takes(folder, given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        negato.view(**{"source": folder, "browser": False, **given})


def test_what_the_command_can_the_package_can(folder):
    options = {
        "mask": True,
        "where": "InstanceNumber=2",
        "classes": [{"key": "node", "title": "Node", "color": "#ff8800"}],
        "memory": "1G",
        "log_level": "error",
        "base_path": "/viewer",
    }
    with negato.view(folder, browser=False, wait="scan", **options) as viewer:
        files = viewer.files()
        (record,) = files.to_dict("records") if hasattr(files, "to_dict") else files
        assert record["instance_number"] == "2" and record["patient_name"] != "Test^Python"
        assert [one["key"] for one in viewer.classes()] == ["node"]
    with negato.view(folder, browser=False, watch=5, dicomweb=True, hanging={"rules": []}, recursive=False) as viewer:
        assert viewer.is_running


def test_an_index_is_opened_without_a_source(folder, tmp_path):
    index = tmp_path / "index.parquet"
    command = [find_node(), str(find_dist() / "negato.js"), "index", str(folder), "--out", str(index)]
    subprocess.run(command, check=True, capture_output=True)
    with negato.view(index=index, browser=False, wait="scan") as viewer:
        assert len(viewer.files()) == 2


def test_a_mistake_in_a_table_names_the_row_and_what_it_needs(folder):
    with negato.view(folder, browser=False, wait="scan") as viewer:
        with pytest.raises(ValueError, match=r"rois\[0\] needs path, ymin, .* and there is a"):
            viewer.set_annotations([{"a": 1}])
        with pytest.raises(TypeError, match="rois must be a DataFrame or a list of dicts, not int"):
            viewer.set_annotations(5)
        with pytest.raises(TypeError, match="window must be"):
            viewer.goto(0, window=40)
