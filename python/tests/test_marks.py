"""Marks as tables."""

import json

import pytest
from conftest import COLUMNS, ROWS, SLICES, write_slice

import negato
from negato._tables import to_records


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    study = tmp_path_factory.mktemp("study")
    for number in range(SLICES):
        write_slice(study / f"{number}.dcm", number)
    with negato.view(study, browser=False, wait="scan") as viewer:
        yield viewer


@pytest.fixture
def viewer(opened):
    """Without marks."""
    rows = rows_of(opened.marks())
    if rows:
        opened.change_marks(rows, locked=False)
        opened.delete_marks([row["id"] for row in rows])
    return opened


def rows_of(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else table


BOX = {"kind": "box", "file": 1, "points": [[1, 1], [3, 4.5]], "label": "=a 'node'", "class": "node", "author": "'me"}


def test_marks_are_made_of_dicts_and_come_back(viewer):
    ids = viewer.add_marks([BOX, {"kind": "length", "file": 0, "points": [[0, 0], [3, 2]]}])
    box, length = rows_of(viewer.marks())
    assert [box["id"], length["id"]] == ids
    assert (box["label"], box["class"], box["author"]) == ("=a 'node'", "node", "'me")
    # 2 columns of 1 mm by 3.5 rows of 2 mm; 3 mm by 4 mm are 5 mm.
    assert (box["area_mm2"], length["length_mm"]) == (14, 5)
    assert (box["sop_instance_uid"], box["frame_number"], box["points_px"]) == ("2.25.2.2", 1, [[1, 1], [3, 4.5]])


def test_a_table_of_marks_can_be_added_where_they_are_not(viewer, tmp_path):
    viewer.add_marks([BOX, {"kind": "brush", "file": 2, "mask": [[0, 0, 0], [0, 1, 1], [1, 0, 1]]}])
    before = viewer.marks()
    viewer.delete_marks(before)
    assert rows_of(viewer.marks()) == []
    viewer.add_marks(before)
    after, before = to_records(viewer.marks()), to_records(before)
    for row in [*after, *before]:
        del row["id"], row["etag"], row["modified"]
    assert after == before
    # The rectangle from the second row and first column on; it begins outside of the mask.
    assert after[1]["mask"] == {"left": 0, "top": 1, "width": 3, "height": 2, "runs": [1, 3, 1, 1]}


def test_data_frames_of_polars_and_others_are_taken(viewer):
    polars = pytest.importorskip("polars")
    made = polars.DataFrame({"kind": ["point"] * 2, "file": [0, 1], "points": [[[1.0, 2.0]], [[2.0, 1.0]]]})
    assert len(viewer.add_marks(made)) == 2
    table = polars.DataFrame(rows_of(viewer.marks()), infer_schema_length=None)
    assert viewer.set_marks(table.with_columns(label=polars.lit("seen"))) == 2
    assert [row["label"] for row in rows_of(viewer.marks())] == ["seen", "seen"]


@pytest.mark.filterwarnings("ignore:The Dataframe Interchange Protocol")
@pytest.mark.parametrize(("protocol", "reader"), [("__dataframe__", "pandas"), ("__arrow_c_stream__", "pyarrow")])
def test_tables_of_other_libraries_are_read_by_the_protocols(protocol, reader):
    pytest.importorskip(reader)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"kind": ["point"], "sop_instance_uid": ["2.25.2.3"], "x": [1.5]})
    if not hasattr(frame, protocol):
        pytest.skip("this pandas is older than the protocol")
    foreign = type("Foreign", (), {protocol: lambda _, *given, **named: getattr(frame, protocol)(*given, **named)})
    assert to_records(foreign()) == [{"kind": "point", "sop_instance_uid": "2.25.2.3", "x": 1.5}]


def test_points_in_millimetres_lie_on_the_nearest_image(viewer):
    # The third slice is at z = 6; columns are 1 mm and rows 2 mm wide, and pixel centres are at x.5.
    viewer.add_marks([{"kind": "length", "points_mm": [[11, 22, 6.4], [13, 28, 6]]}])
    (mark,) = rows_of(viewer.marks())
    assert (mark["sop_instance_uid"], mark["points_px"]) == ("2.25.2.3", [[1.5, 1.5], [3.5, 4.5]])
    assert mark["points_mm"] == [[11, 22, 6], [13, 28, 6]]
    assert viewer.to_mm([[1.5, 1.5]], 2) == [(11, 22, 6)]
    assert viewer.to_pixels([[11, 22, 7]], 2) == [(1.5, 1.5, 1)]
    assert viewer.nearest_frame([0, 0, 8]) == (3, 0, 1)


def test_what_cannot_be_a_mark_is_named_and_the_others_are_made(viewer):
    with pytest.raises(ValueError, match=r"marks\[0\]: a mark needs kind"):
        viewer.add_marks([{"a": 1}])
    with pytest.raises(ValueError, match=r"marks\[1\]: a mark needs points"):
        viewer.add_marks([BOX, {"kind": "box", "file": 0}])
    with pytest.raises(ValueError, match=r"marks\[0\]: file 9 is not open"):
        viewer.add_marks([{**BOX, "file": 9}])
    with pytest.raises(TypeError, match="marks must be a DataFrame or a list of dicts"):
        viewer.add_marks("box")
    assert rows_of(viewer.marks()) == []
    with pytest.raises(negato.MarksRefused) as refused:
        viewer.add_marks([BOX, {**BOX, "points": [[1, 1]]}])
    assert len(refused.value.reasons) == 1 and len(rows_of(viewer.marks())) == 1


def test_what_somebody_else_has_changed_is_a_conflict_and_nothing_is_written(viewer):
    first, second = viewer.add_marks([BOX, {**BOX, "file": 0}])
    mine = rows_of(viewer.marks())
    viewer.change_marks(second, label="theirs")
    for row in mine:
        row["comment"] = "mine"
    for write in (viewer.set_marks, viewer.delete_marks, lambda rows: viewer.change_marks(rows, comment="mine")):
        with pytest.raises(negato.MarkConflict) as conflict:
            write(mine)
        assert conflict.value.code == "stale_mark"
    assert [row["comment"] for row in rows_of(viewer.marks())] == ["", ""]
    assert viewer.change_marks([first, second], comment="ours", class_="") == 2
    assert {(row["comment"], row["class"]) for row in rows_of(viewer.marks())} == {("ours", None)}


def test_a_changed_table_is_written_back_and_only_what_has_changed(viewer):
    viewer.add_marks([BOX, {**BOX, "file": 0}])
    rows = rows_of(viewer.marks())
    rows[0]["points_px"] = [[0, 0], [2, 2]]
    assert viewer.set_marks(rows) == 1
    again = rows_of(viewer.marks())
    assert again[0]["points_px"] == [[0, 0], [2, 2]] and again[1]["etag"] == rows[1]["etag"]
    viewer.change_marks(again, locked=True)
    with pytest.raises(negato.RequestError) as locked:
        viewer.delete_marks(again[0]["id"])
    assert locked.value.code == "mark_locked"


@pytest.mark.parametrize("name", ["a.csv", "a.coco.json", "a.geojson", "a.json"])
def test_marks_are_exported_and_imported_by_the_ending_of_the_name(viewer, tmp_path, name):
    viewer.add_marks([BOX])
    path = tmp_path / name
    assert viewer.export_marks(path) == []
    with pytest.raises(FileExistsError, match="overwrite=True"):
        viewer.export_marks(path)
    assert viewer.import_marks(path)["known"] == 1
    viewer.delete_marks(viewer.marks())
    assert viewer.import_marks(path)["imported"] == 1
    (mark,) = rows_of(viewer.marks())
    assert (mark["kind"], mark["points_px"], mark["class"]) == ("box", BOX["points"], "node")


def test_areas_are_exported_as_volumes_and_dicom(viewer, tmp_path):
    viewer.add_marks([BOX, {"kind": "length", "file": 0, "points": [[0, 0], [3, 2]]}])
    for name, format, begin in (("a.nii", None, b"\x5c\x01"), ("a.nrrd", None, b"NRRD"), ("a.dcm", "seg", bytes(128))):
        left = viewer.export_marks(tmp_path / name, format)
        assert (tmp_path / name).read_bytes().startswith(begin) and "length on a frame: 1" in left, name
    assert viewer.export_marks(tmp_path / "sr.dcm", "sr", kind="length") == []
    with pytest.raises(ValueError, match="ends in .coco.json"):
        viewer.export_marks(tmp_path / "b.dcm")
    with pytest.raises(ValueError, match="format must be one of csv, coco"):
        viewer.export_marks(tmp_path / "b.txt", "txt")


def test_an_array_of_labels_becomes_masks_that_can_be_changed(viewer):
    numpy = pytest.importorskip("numpy")
    labels = numpy.zeros((SLICES, ROWS, COLUMNS), "u1")
    labels[1:3, 2:4, 1:3], labels[3, 0, 0] = 1, 2
    assert viewer.import_marks(labels, labels={1: "Node", 2: "Cyst"})["imported"] == 2
    back = viewer.labels(marks=True)
    assert [(back.mask(name) == (labels == value)).all() for value, name in ((1, "Node"), (2, "Cyst"))] == [True, True]
    with pytest.raises(ValueError, match=r"the array has the shape \(2, 6, 5\), and the series \(4, 6, 5\)"):
        viewer.import_marks(labels[:2])


def test_classes_are_replaced_unless_somebody_else_has_changed_them(viewer, tmp_path):
    node = {"key": "node", "title": "Node", "color": "#ff8800", "digit": 1}
    path = tmp_path / "classes.json"
    path.write_text(json.dumps({"classes": [node]}))
    viewer.classes()
    viewer.set_classes(path)
    assert viewer.classes() == [node]
    viewer._send_json("PUT", "/labels", {"classes": []})
    with pytest.raises(negato.MarkConflict):
        viewer.set_classes([node])
    assert viewer.classes() == []
    viewer.set_classes([node])


def test_statistics_of_marks_are_a_table(viewer):
    ids = viewer.add_marks([{**BOX, "points": [[1, 1], [3, 4]]}])
    (row,) = rows_of(viewer.mark_statistics(ids))
    # Two columns of 1 mm, three rows of 2 mm.
    assert (row["id"], row["count"], row["mean"], row["area_mm2"]) == (ids[0], 6, 0, 12)
    with pytest.raises(KeyError):
        viewer.delete_marks("2.25.404")
    with pytest.raises(ValueError, match=r"marks\[0\] needs id or uid"):
        viewer.delete_marks([{"label": "a"}])
