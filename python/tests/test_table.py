"""`viewer.table`."""

import pytest

import negato


def rows_of(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else table


@pytest.fixture
def viewer(study):
    with negato.view(study, browser=False) as viewer:
        yield viewer


def test_a_row_is_a_series_a_study_or_a_file(viewer):
    assert [row["files"] for row in rows_of(viewer.table())] == [4]
    assert [row["files"] for row in rows_of(viewer.table("study", "Modality"))] == [4]
    rows = rows_of(viewer.table("file", ["InstanceNumber", "ImagePositionPatient"], sort="-InstanceNumber"))
    assert [(row["InstanceNumber"], row["ImagePositionPatient"]) for row in rows] == [
        (4, "10\\20\\9"),
        (3, "10\\20\\6"),
        (2, "10\\20\\3"),
        (1, "10\\20\\0"),
    ]


def test_elements_are_read_that_only_the_condition_or_the_order_names(viewer):
    rows = rows_of(viewer.table("file", "InstanceNumber", where="\"PixelSpacing\" = '2\\1' and InstanceNumber > 2"))
    assert sorted(row["InstanceNumber"] for row in rows) == [3, 4]
    assert len(viewer.table("file", "(0018,0050)", where="SliceThickness > 3")) == 0
    assert len(viewer.table("file", sort=["-BitsStored", "InstanceNumber"])) == 4


def test_columns_that_were_read_before_stay(viewer):
    viewer.table("file", "SliceThickness")
    viewer.table("file", "PixelSpacing")
    assert {"SliceThickness", "PixelSpacing"} <= set(rows_of(viewer.table("file", "*"))[0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": "patient"}, "level must be 'file', 'series' or 'study', not 'patient'"),
        ({"columns": [3]}, "columns must be names of columns, not 3"),
        ({"where": 3}, "where must be a text, not 3"),
    ],
)
def test_a_mistake_names_the_argument(viewer, given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        viewer.table(**given)


def test_an_element_that_does_not_exist_is_an_error(viewer):
    with pytest.raises(negato.RequestError) as caught:
        viewer.table(columns="NoSuchElement")
    assert caught.value.code == "invalid_column"
