import gzip

import pytest
from conftest import COLUMNS, ROWS, SLICES, write_slice

import negato

numpy = pytest.importorskip("numpy")

def to_rows(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else table


def make_mask(value: int, first: int, end: int):
    mask = numpy.zeros((SLICES, ROWS, COLUMNS), "u1")
    mask[1:, first:end, 1:4] = value
    return mask


@pytest.fixture
def organs():
    return make_mask(1, 0, 2) + make_mask(2, 3, 5)


@pytest.fixture
def viewer(study, organs):
    with negato.view(study, overlays=organs, labels={1: "liver", 2: "spleen"}, browser=False) as opened:
        yield opened


def test_an_array_over_images_comes_back_as_labels_with_names_and_places(viewer, organs):
    labels = viewer.labels()

    assert labels.array.dtype == "u1"
    assert (labels.array == organs).all()
    assert labels.names == {1: "liver", 2: "spleen"}
    assert (labels.mask("spleen") == (organs == 2)).all()
    # Columns of 1 mm, rows of 2 mm, slices of 3 mm, from the position of the first slice.
    assert labels.affine.tolist() == [[1, 0, 0, 10], [0, 2, 0, 20], [0, 0, 3, 0], [0, 0, 0, 1]]
    assert set(labels.labels[0]) == {"value", "name", "color", "category", "type"}
    with pytest.raises(KeyError, match="no label is 'heart'"):
        labels.mask("heart")


def test_labels_that_overlap_are_in_several_volumes_or_one_over_the_other(study):
    below, above = make_mask(1, 0, 4), make_mask(1, 2, 6)
    with negato.view(study, overlays=[below, above], browser=False) as viewer:
        both = viewer.labels()
        last = viewer.labels(overlap="last")
        (first,) = viewer.labels(layers=[both_layers(viewer)[0]]).labels

    assert both.array.shape == (2, SLICES, ROWS, COLUMNS)
    assert (both.mask(1) == (below == 1)).all()
    assert (both.mask(2) == (above == 1)).all()
    assert (last.array == numpy.where(above == 1, 2, below)).all()
    # Two of six rows, three columns, three slices.
    assert last.left_out.endswith(": 18")
    assert first["value"] == 1


def both_layers(viewer):
    table = viewer.layers()
    rows = to_rows(table)
    return [row["layer"] for row in rows]


@pytest.mark.parametrize(
    ("name", "begin"),
    [("a.nii.gz", b"\x1f\x8b"), ("a.nii", b"\x5c\x01\0\0"), ("a.seg.nrrd", b"NRRD0004"), ("a.npz", b"PK\x03\x04")],
)
def test_the_ending_of_a_name_decides_what_is_written(viewer, tmp_path, name, begin):
    plan = viewer.export_labels(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begin)
    # Two rows, three columns, three slices each.
    assert [(one["name"], one["samples"]) for one in plan["labels"]] == [("liver", 18), ("spleen", 18)]


def test_a_dicom_segmentation_has_the_segments(viewer, tmp_path):
    viewer.export_labels(tmp_path / "a.dcm")
    written = (tmp_path / "a.dcm").read_bytes()
    assert written[128:132] == b"DICM"
    assert b"liver" in written and b"spleen" in written


def test_a_file_that_exists_is_kept(viewer, tmp_path):
    path = tmp_path / "a.nii.gz"
    path.write_bytes(b"mine")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        viewer.export_labels(path)
    assert path.read_bytes() == b"mine"
    viewer.export_labels(path, overwrite=True)
    assert gzip.decompress(path.read_bytes())[344:347] == b"n+1"


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"series": "2.25.77"}, "no open series is 2.25.77"),
        ({"layers": "kidney"}, "no layer is 'kidney'"),
        ({"grid": "mine"}, "grid must be"),
        ({"overlap": "first"}, "overlap must be"),
    ],
)
def test_what_cannot_be_labels_is_a_value_error(viewer, choice, message):
    with pytest.raises(ValueError, match=message):
        viewer.labels(**choice)


def test_a_name_without_a_known_ending_is_a_value_error(viewer, tmp_path):
    with pytest.raises(ValueError, match="ends in"):
        viewer.export_labels(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="format must be"):
        viewer.export_labels(tmp_path / "a.txt", format="txt")


def test_nothing_over_the_images_is_the_error_of_the_api(study):
    with negato.view(study, browser=False) as viewer:
        with pytest.raises(negato.RequestError) as raised:
            viewer.labels()
    assert raised.value.code == "mark_not_found"


def test_of_several_series_the_one_with_layers_is_taken(study, organs):
    for number in range(SLICES):
        write_slice(study / f"other{number}.dcm", number, "2.25.3", "2.25.8")
    with negato.view(study, overlays=organs, series="2.25.2", browser=False) as viewer:
        assert (viewer.labels().array == organs).all()
        with pytest.raises(negato.RequestError):
            viewer.labels(series="2.25.3")


def test_two_layers_are_compared_part_by_part(study, organs):
    # A row lower: one of two rows of each organ is in both.
    moved = numpy.roll(organs, 1, axis=1)
    names = {1: "liver", 2: "spleen"}
    with negato.view(study, overlays=[organs, moved], labels=names, browser=False) as viewer:
        truth, test = (row["layer"] for row in to_rows(viewer.layers()))
        found = viewer.compare(truth, test, tolerance=2)
        none = viewer.compare(truth, test, numbers="overlap", pairs={1: 2})

    assert [row["part"] for row in found.rows()] == ["liver", "spleen"]
    liver = found["liver"]
    # 3 columns of 1 mm in 2 rows of 2 mm on 3 slices of 3 mm.
    assert (liver["dice"], liver["iou"]) == (pytest.approx(0.5), pytest.approx(1 / 3))
    assert liver["truth_ml"] == pytest.approx(3 * 2 * 3 * 6 / 1000)
    assert (liver["hd_mm"], liver["nsd"], liver["components_found"]) == (2, 1, 1)
    assert [(row["part"], row["test_part"], row["dice"], row["hd_mm"]) for row in none.rows()] == [
        ("liver", "spleen", 0, None)
    ]
    assert [one["name"] for one in none.only_truth] == ["spleen"]


def test_what_is_compared_must_be_a_layer(viewer):
    with pytest.raises(ValueError, match="no layer is 'liver'"):
        viewer.compare("liver", 1)
    with pytest.raises(ValueError, match="a layer or 'marks'"):
        viewer.compare(None, 1)
