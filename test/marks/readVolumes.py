# Reads what negato wrote of marks with the programs of others, and says whether all of them find the same.
#
#   pip install highdicom nibabel pynrrd SimpleITK pycocotools
#   python3 readVolumes.py FOLDER
#
# FOLDER has the images as *.dcm in the folder `images`, and the exports of their marks: marks.nii.gz, marks.seg.nrrd,
# marks.seg.dcm, marks.sr.dcm and marks.coco.json.
import json
import pathlib
import sys

import highdicom
import nibabel
import nrrd
import numpy
import pydicom
import SimpleITK
from pycocotools.coco import COCO

folder = pathlib.Path(sys.argv[1])
images = sorted(
    (pydicom.dcmread(path) for path in (folder / "images").glob("*.dcm")),
    key=lambda image: float(image.ImagePositionPatient[2]),
)

volume = nibabel.load(folder / "marks.nii.gz")
labels = numpy.asarray(volume.dataobj)
print("nibabel", labels.shape, labels.dtype, dict(zip(*(v.tolist() for v in numpy.unique(labels, return_counts=True)))))
print("comment", [extension.get_content() for extension in volume.header.extensions])
itk = SimpleITK.ReadImage(str(folder / "marks.nii.gz"))
assert numpy.array_equal(SimpleITK.GetArrayFromImage(itk).transpose(2, 1, 0), labels)
slicer = SimpleITK.ReadImage(str(folder / "marks.seg.nrrd"))
assert numpy.array_equal(SimpleITK.GetArrayFromImage(slicer).transpose(2, 1, 0), labels)
assert numpy.allclose(itk.GetOrigin(), slicer.GetOrigin()) and numpy.allclose(itk.GetDirection(), slicer.GetDirection())
assert numpy.allclose(itk.GetSpacing(), slicer.GetSpacing())
data, header = nrrd.read(str(folder / "marks.seg.nrrd"))
assert numpy.array_equal(data, labels)
print("pynrrd", {name: value for name, value in header.items() if name.startswith("Segment0")})

segmentation = highdicom.seg.segread(folder / "marks.seg.dcm")
# Image, row, column, segment.
pixels = segmentation.get_pixels_by_source_instance([str(image.SOPInstanceUID) for image in images], ignore_spatial_locations=True, assert_missing_frames_are_empty=True)
print("highdicom", pixels.shape, [int(pixels[..., n].sum()) for n in range(pixels.shape[-1])])
for number in segmentation.segment_numbers:
    described = segmentation.get_segment_description(number)
    print(" ", number, described.segment_label, described.tracking_id, described.tracking_uid, described.segmented_property_type.meaning)
# Rows of NIfTI run up.
union = pixels.any(axis=-1).transpose(2, 1, 0)[:, ::-1, :]
assert numpy.array_equal(union, labels > 0)

report = highdicom.sr.srread(folder / "marks.sr.dcm")
groups = [
    *report.content.get_planar_roi_measurement_groups(),
    *report.content.get_volumetric_roi_measurement_groups(),
    *report.content.get_image_measurement_groups(),
]
for group in groups:
    found = [(one.name.meaning, one.value, one.unit.value) for one in group.get_measurements()]
    print("report", type(group).__name__, group.tracking_identifier, group.tracking_uid, found)

coco = COCO(folder / "marks.coco.json")
for annotation in coco.loadAnns(coco.getAnnIds()):
    mask = coco.annToMask(annotation)
    print("coco", annotation["attributes"]["kind"], annotation["bbox"], annotation["area"], int(mask.sum()))
