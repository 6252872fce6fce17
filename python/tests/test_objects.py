"""Arrays and data sets in memory."""

import os

import pytest
from test_view import rows_of

import negato

numpy = pytest.importorskip("numpy")

SHAPE = (3, 4, 5)
EVERY_TYPE = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ">i2", ">f4"]


def values_of(kind):
    """Different values in every place, with signs and fractions where the type has them."""
    counted = numpy.arange(60).reshape(SHAPE)
    if kind == "?":
        return counted % 3 == 0
    spread = counted - 20 if numpy.dtype(kind).kind in "if" else counted
    return (spread + 0.5 if numpy.dtype(kind).kind == "f" else spread).astype(kind)


@pytest.fixture(scope="module")
def every_type():
    with negato.view([values_of(kind) for kind in EVERY_TYPE], browser=False, wait="scan") as viewer:
        yield viewer


@pytest.mark.parametrize("kind", EVERY_TYPE)
def test_an_array_comes_back_as_it_was(every_type, kind):
    file = EVERY_TYPE.index(kind)
    back = numpy.stack([every_type.frame(file, frame) for frame in range(3)])
    assert numpy.array_equal(back, values_of(kind))


def test_the_order_in_memory_does_not_matter():
    array = numpy.asfortranarray(values_of("i2"))[:, ::2]
    color = numpy.arange(36, dtype="u1").reshape(3, 4, 3)
    with negato.view([array, color], browser=False, wait="scan") as viewer:
        assert numpy.array_equal(viewer.frame(0, 1), array[1])
        assert numpy.array_equal(viewer.frame(1), color)


@pytest.mark.parametrize(
    ("array", "error"),
    [
        (numpy.zeros(5), ValueError),
        (numpy.zeros((2, 2, 2, 2)), ValueError),
        (numpy.zeros((2, 0)), TypeError),
        (numpy.zeros((2, 2), dtype=complex), TypeError),
        (numpy.array([["a"]]), TypeError),
        (numpy.array([[2**40]]), ValueError),
    ],
)
def test_what_cannot_be_shown_exactly_is_refused_before_anything_starts(array, error):
    with pytest.raises(error):
        negato.view(array, browser=False)


def slices(pydicom, count=3, series="2.25.20", rows=4, columns=5):
    made = []
    for number in range(count):
        one = pydicom.Dataset()
        one.SOPClassUID = "1.2.840.10008.5.1.4.1.1.2"
        one.SOPInstanceUID = f"{series}.{number + 1}"
        one.StudyInstanceUID, one.SeriesInstanceUID, one.FrameOfReferenceUID = "2.25.10", series, "2.25.11"
        one.PatientID, one.PatientName, one.PatientBirthDate, one.PatientSex = "P1", "Doe^Jane", "", ""
        one.StudyID, one.StudyDate, one.StudyTime, one.AccessionNumber = "1", "20240131", "", ""
        one.ReferringPhysicianName, one.PositionReferenceIndicator = "", ""
        one.Modality, one.InstanceNumber = "CT", number + 1
        one.ImageOrientationPatient, one.ImagePositionPatient = [1, 0, 0, 0, 1, 0], [0, 0, 2 * number]
        one.PixelSpacing, one.SliceThickness = [1, 1], 2
        one.Rows, one.Columns, one.SamplesPerPixel, one.PhotometricInterpretation = rows, columns, 1, "MONOCHROME2"
        one.BitsAllocated, one.BitsStored, one.HighBit, one.PixelRepresentation = 16, 16, 15, 1
        one.RescaleSlope, one.RescaleIntercept = 1, 0
        one.PixelData = numpy.full((rows, columns), 10 * number, dtype="<i2").tobytes()
        one.file_meta = pydicom.dataset.FileMetaDataset()
        one.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
        made.append(one)
    return made


def layer_bytes(viewer, attachment, file):
    return viewer._client.request("GET", f"/layer/{1_000_000 + attachment}/frame?file={file}&frame=0").body


def test_a_mask_lies_over_the_series_of_its_shape_with_the_names_of_its_labels():
    pydicom = pytest.importorskip("pydicom")
    mask = numpy.zeros(SHAPE, dtype="u1")
    mask[1, 2, 3], mask[2, 0, :2] = 1, 2
    names = {1: "liver", 2: "spleen"}
    with negato.view(mask, reference=slices(pydicom), labels=names, window=(40, 400), browser=False) as viewer:
        (one,) = viewer._all_attachments()
        assert one["shape"] == [5, 4, 3] and len(one["over_file_indices"]) == 1
        assert [(label["value"], label["name"]) for label in one["labels"]] == [(1, "liver"), (2, "spleen")]
        assert len({layer_bytes(viewer, 0, file) for file in range(3)}) == 3
        wish = viewer._send_json(
            "PUT", "/view/page", {"page": "a page of this test", "state": "visible", "focused_at_ms": 1, "answer": None}
        ).json()["next"]["show"]
        assert one["path"].endswith("/002/array-1.nrrd")
        # The last image has most of it.
        address = "cell=2.25.20.3,1&layer=~002%2Farray-1.nrrd"
        assert wish == {"address": address, "window": {"center": 40, "width": 400}}


def test_equal_sizes_are_no_riddle_because_the_first_axis_is_that_of_the_images():
    pydicom = pytest.importorskip("pydicom")
    field = numpy.zeros((4, 4, 4), dtype="f4")
    field[3] = 7.5
    with negato.view(field, reference=slices(pydicom, 4, rows=4, columns=4), browser=False) as viewer:
        packets = [layer_bytes(viewer, 0, file) for file in range(4)]
        assert packets[0] == packets[1] == packets[2] != packets[3]


def test_a_shape_that_no_series_has_is_refused_with_both_shapes():
    pydicom = pytest.importorskip("pydicom")
    with pytest.raises(ValueError, match=r"\(3, 5, 4\).*\(3, 4, 5\)"):
        negato.view(numpy.zeros((3, 5, 4)), reference=slices(pydicom), browser=False)
    both = [*slices(pydicom), *slices(pydicom, series="2.25.21")]
    with pytest.raises(ValueError, match="2.25.20, 2.25.21"):
        negato.view(both, overlays=numpy.zeros(SHAPE), browser=False)
    with negato.view(both, overlays=numpy.ones(SHAPE), series="2.25.21", browser=False) as viewer:
        (one,) = viewer._all_attachments()
        assert [viewer._all_files()["files"][file]["series_instance_uid"] for file in one["over_file_indices"]] == [
            "2.25.21"
        ]


def test_what_is_added_is_open_at_the_same_address_and_rois_stay():
    pydicom = pytest.importorskip("pydicom")
    with negato.view(slices(pydicom), browser=False, wait="scan") as viewer:
        url, path = viewer.url, rows_of(viewer.files())[0]["path"]
        viewer.set_annotations([{"path": path, "ymin": 0, "xmin": 1, "ymax": 1, "xmax": 2, "frames": []}])

        assert viewer.add(slices(pydicom, 2, series="2.25.22")) == [3, 4]
        assert viewer.add(numpy.ones(SHAPE, dtype="u1"), labels=["all"]) == []

        assert (viewer.url, len(viewer._all_attachments())) == (url, 1)
        assert [one["path"] for one in rows_of(viewer.annotations())] == [path]
        with pytest.raises(ValueError, match="no open series"):
            viewer.add(numpy.zeros((9, 9, 9)))
        assert (viewer.url, len(rows_of(viewer.files()))) == (url, 5)
    assert not os.path.exists(path)


def test_a_segmentation_of_highdicom_lies_over_its_source():
    pydicom = pytest.importorskip("pydicom")
    highdicom = pytest.importorskip("highdicom")
    source = slices(pydicom)
    mask = numpy.zeros(SHAPE, dtype=bool)
    mask[1, 2, 3] = True
    code = highdicom.sr.CodedConcept("85756007", "SCT", "Tissue")
    described = highdicom.seg.SegmentDescription(
        segment_number=1,
        segment_label="Tissue",
        segmented_property_category=code,
        segmented_property_type=code,
        algorithm_type=highdicom.seg.SegmentAlgorithmTypeValues.MANUAL,
    )
    segmentation = highdicom.seg.Segmentation(
        source_images=source,
        pixel_array=mask,
        segmentation_type=highdicom.seg.SegmentationTypeValues.BINARY,
        segment_descriptions=[described],
        series_instance_uid=highdicom.UID(),
        series_number=2,
        sop_instance_uid=highdicom.UID(),
        instance_number=1,
        manufacturer="test",
        manufacturer_model_name="test",
        software_versions="1",
        device_serial_number="1",
    )
    with negato.view([*source, segmentation], browser=False, wait="scan") as viewer:
        (segment,) = viewer._get_json("/file/3/segment-statistics")["segments"]
        assert segment["voxel_count"] == 1
