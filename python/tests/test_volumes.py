"""Arrays of whole volumes."""

import gzip
import struct

import pytest
from conftest import COLUMNS, ROWS, SLICES, write_image, write_slice

import negato

numpy = pytest.importorskip("numpy")
SIZE = ROWS * COLUMNS


def samples_of(number: int):
    """From slice to slice other values, some of them negative."""
    return [number * 1000 - at * 7 for at in range(SIZE)]


def write_study(folder, **more):
    folder.mkdir(exist_ok=True)
    # Files in another order than the slices.
    for number in range(SLICES):
        write_slice(folder / f"{SLICES - number}.dcm", number, samples=samples_of(number), **more)
    return folder


@pytest.fixture(scope="module")
def viewer(tmp_path_factory):
    with negato.view(write_study(tmp_path_factory.mktemp("study"), rescale=(2, -10)), browser=False) as opened:
        yield opened


STORED = numpy.array([samples_of(number) for number in range(SLICES)], "<i2").reshape(SLICES, ROWS, COLUMNS)


def test_a_volume_has_the_stored_samples_slice_by_slice_and_its_place(viewer):
    volume = viewer.volume()
    assert volume.array.dtype == "<i2"
    assert (volume.array == STORED).all()
    assert (volume.spacing, volume.unit, volume.rescale) == ((3, 2, 1), "stored", (2, -10))
    # Columns of 1 mm, rows of 2 mm, slices of 3 mm, from the position of the first slice; x and y turn round.
    assert volume.affine_lps.tolist() == [[1, 0, 0, 10], [0, 2, 0, 20], [0, 0, 3, 0], [0, 0, 0, 1]]
    assert volume.affine_ras.tolist() == [[-1, 0, 0, -10], [0, -2, 0, -20], [0, 0, 3, 0], [0, 0, 0, 1]]
    assert volume.origins.tolist() == [[10, 20, 3 * number] for number in range(SLICES)]
    assert [(viewer.frame(*place) == one).all() for place, one in zip(volume.frames, volume.array)] == [True] * SLICES
    assert (len(volume.times), volume.warnings) == (1, [])


def test_places_in_the_array_lead_to_millimetres_and_back(viewer):
    volume = viewer.volume()
    # Slice 3, row 1, column 2: x = 10 + 2, y = 20 + 2 * 1, z = 3 * 3.
    assert volume.to_mm([3, 1, 2]).tolist() == [12, 22, 9]
    assert volume.to_index([[12, 22, 9]]).tolist() == [[3, 1, 2]]


def test_the_affine_is_that_of_the_nifti_export(viewer):
    ours = viewer.volume().affine_ras
    file = gzip.decompress(viewer._client.request("GET", "/file/0/volume/nifti").body)
    nifti = numpy.array(struct.unpack("<12f", file[280:328])).reshape(3, 4)
    # In NIfTI rows run up, so its row 0 is the last one here.
    up = numpy.array([[1, 0, 0, 0], [0, -1, 0, ROWS - 1], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert ((ours @ up)[:3] == nifti).all()


def test_modality_values_are_rescaled(viewer):
    volume = viewer.volume(unit="modality")
    assert (volume.array == STORED.astype("i4") * 2 - 10).all()
    assert viewer.volume(0, 0, "modality").unit == "HU"


def test_stored_samples_stay_as_they_are_if_the_rescale_differs(tmp_path):
    for number in range(SLICES):
        write_slice(tmp_path / f"{number}.dcm", number, samples=samples_of(number), rescale=(number + 0.5, 1))
    with negato.view(tmp_path, browser=False) as viewer:
        assert viewer.volume().array.dtype == "<i2" and viewer.volume().rescale is None
        assert (viewer.volume().array == STORED).all()
        values = viewer.volume(unit="modality").array
    slopes = numpy.arange(SLICES).reshape(-1, 1, 1) + 0.5
    assert (values == (STORED * slopes + 1).astype("f4")).all()


def test_a_volume_is_written_to_a_file_and_mapped(viewer, tmp_path):
    path = tmp_path / "ct.npy"
    volume = viewer.volume(path=path)
    assert isinstance(volume.array.base, numpy.memmap) or isinstance(volume.array, numpy.memmap)
    assert (numpy.load(path) == STORED).all() and (volume.array == STORED).all()
    with pytest.raises(FileExistsError, match="overwrite=True"):
        viewer.volume(path=path)
    del volume
    assert (viewer.volume(path=path, overwrite=True).array == STORED).all()
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["ct.npy"]


def test_slices_that_are_not_equally_far_apart_have_no_affine(tmp_path):
    for number, place in enumerate((0, 3, 6, 20)):
        write_slice(tmp_path / f"{number}.dcm", number, at=place, samples=samples_of(number))
    with negato.view(tmp_path, browser=False) as viewer:
        volume = viewer.volume()
    assert volume.affine_lps is None and volume.affine_ras is None
    assert (volume.array == STORED).all()
    assert volume.origins[:, 2].tolist() == [0, 3, 6, 20]
    with pytest.raises(ValueError, match="origins"):
        volume.to_mm([0, 0, 0])


def test_a_refusal_is_an_exception_with_its_reason(viewer, tmp_path):
    for number in (1, 2):
        write_image(tmp_path / f"{number}.dcm", number=number, samples=[1, 2], columns=2)
    with negato.view(tmp_path, browser=False) as pictures:
        with pytest.raises(negato.VolumeRefused, match="no volume") as refused:
            pictures.volume()
    assert refused.value.reason == "no_geometry"
    with pytest.raises(negato.VolumeRefused, match="no PET") as refused:
        viewer.volume(unit="SUVbw")
    assert refused.value.reason == "no_suv"
    with pytest.raises(negato.RequestError) as caught:
        viewer.volume(time=1)
    assert caught.value.code == "frame_out_of_range"
    # The connection is still good.
    assert (viewer.volume().array == STORED).all()


def test_a_damaged_slice_is_an_error_and_no_array(tmp_path):
    study = write_study(tmp_path / "study")
    last = study / "1.dcm"
    last.write_bytes(last.read_bytes()[:-20])
    with negato.view(study, browser=False) as viewer:
        with pytest.raises(negato.RequestError) as caught:
            viewer.volume()
    assert caught.value.code == "pixel_decode_failed"


def test_of_several_series_one_is_named(tmp_path):
    study = write_study(tmp_path / "study")
    for number in range(SLICES):
        write_slice(study / f"other{number}.dcm", number, "2.25.3")
    with negato.view(study, browser=False) as viewer:
        with pytest.raises(ValueError, match="series=: 2.25.2, 2.25.3"):
            viewer.volume()
        with pytest.raises(ValueError, match="no open series is 2.25.4"):
            viewer.volume("2.25.4")
        assert (viewer.volume("2.25.2").array == STORED).all()
        assert not viewer.volume("2.25.3").array.any()
        rows = viewer.series()
        rows = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
    first = rows[0]
    assert (first["modality"], first["shape"], first["spacing"]) == ("CT", (SLICES, ROWS, COLUMNS), (3, 2, 1))
    assert (first["volume"], first["refusal"], first["times"]) == (True, None, 1)
    assert sorted(len(one["file_indices"]) for one in rows) == [SLICES, SLICES]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"unit": "HU"}, "unit must be 'stored', 'modality' or 'SUVbw', not 'HU'"),
        ({"time": "first"}, "time must be a whole number, not 'first'"),
        ({"series": 1.5}, "series must be a whole number, not 1.5"),
    ],
)
def test_a_mistake_names_the_argument_and_what_it_takes(viewer, choice, message):
    with pytest.raises((TypeError, ValueError), match=message):
        viewer.volume(**choice)
