# Records what the programs of others find in the files that negato writes of marks.
#
#   NEGATO_KEEP=FOLDER npx vitest run --project fast test/marks/exports.test.ts
#   pip install highdicom nibabel pynrrd slicerio SimpleITK pycocotools shapely
#   python3 readExports.py FOLDER > exports.json
#
# FOLDER has the images and the exports of their marks. Each mark has a class of its own. What is recorded of a mark is the
# number of its pixels, and a digest of their places. Outlines have no pixels: a pixel counts if its center is inside or on
# the outline, as `shapely` and the equation of an ellipse say.
import contextlib
import hashlib
import importlib.metadata
import json
import pathlib
import sys

import highdicom
import nibabel
import nrrd
import numpy
import pydicom
import shapely
import SimpleITK
import slicerio
from pycocotools.coco import COCO

folder = pathlib.Path(sys.argv[1])
images = sorted(
    (pydicom.dcmread(path) for path in (folder / "images").glob("*.dcm")),
    key=lambda image: float(image.ImagePositionPatient[2]),
)
place_of = {str(image.SOPInstanceUID): place for place, image in enumerate(images)}
rows, columns = images[0].Rows, images[0].Columns
centers = numpy.meshgrid(numpy.arange(columns) + 0.5, numpy.arange(rows) + 0.5)


def digest(pixels):
    """Of a mask by slice, row and column."""
    places = numpy.argwhere(pixels)
    text = "".join(f"{place} {row} {column}\n" for place, row, column in places)
    return f"{len(places)} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def empty():
    return numpy.zeros((len(images), rows, columns), dtype=bool)


def inside_polygon(points):
    polygon = shapely.Polygon(points)
    shapely.prepare(polygon)
    return shapely.intersects_xy(polygon, *centers)


def inside_ellipse(points):
    """Ends of the longer axis, then those of the shorter one."""
    a, b, c, d = numpy.asarray(points, dtype=float)
    middle = (a + b) / 2
    sum_of_squares = numpy.zeros((rows, columns))
    for first, last in ((a, b), (c, d)):
        half = (last - first) / 2
        along = (centers[0] - middle[0]) * half[0] + (centers[1] - middle[1]) * half[1]
        sum_of_squares += (along / (half @ half)) ** 2
    return sum_of_squares <= 1 + 1e-9


def of_labels(labels, names):
    """Of an array i, j, k of NIfTI, whose rows run up."""
    turned = labels.transpose(2, 1, 0)[:, ::-1, :]
    return {name: digest(turned == value) for value, name in names.items()}


found = {}
volume = nibabel.load(folder / "marks.nii.gz")
comment = json.loads(volume.header.extensions[0].get_content().rstrip(b"\0"))
names = {label["value"]: label["key"] for label in comment["labels"]}
found["nibabel"] = of_labels(numpy.asarray(volume.dataobj), names)

# Where the volume lies, according to the images.
first, last = images[0], images[-1]
spacing = first.PixelSpacing
corner = [0, (rows - 1) * float(spacing[0]), float(first.ImagePositionPatient[2])]
assert numpy.allclose(volume.affine[:3, 3], [-corner[0], -corner[1], corner[2]])

itk = SimpleITK.ReadImage(str(folder / "marks.seg.nrrd"))
itk_names = {
    int(itk.GetMetaData(f"Segment{n}_LabelValue")): itk.GetMetaData(f"Segment{n}_ID") for n in range(len(names))
}
found["SimpleITK"] = of_labels(SimpleITK.GetArrayFromImage(itk).transpose(2, 1, 0), itk_names)
nifti = SimpleITK.ReadImage(str(folder / "marks.nii.gz"))
for measure in ("GetOrigin", "GetDirection", "GetSpacing"):
    assert numpy.allclose(getattr(itk, measure)(), getattr(nifti, measure)()), measure

data, header = nrrd.read(str(folder / "marks.seg.nrrd"))
nrrd_names = {int(header[f"Segment{n}_LabelValue"]): header[f"Segment{n}_ID"] for n in range(len(names))}
found["pynrrd"] = of_labels(data, nrrd_names)

# The reader of 3D Slicer's own segmentations.
slicer = slicerio.read_segmentation(str(folder / "marks.seg.nrrd"))
slicer_names = {segment["labelValue"]: segment["id"] for segment in slicer["segments"]}
found["slicerio"] = of_labels(slicer["voxels"], slicer_names)
for segment in slicer["segments"]:
    assert segment["name"] == segment["id"] and numpy.allclose(segment["color"], [1, 0x88 / 255, 0], atol=1e-5), segment
    assert segment["terminology"]["type"] == ["SCT", "85756007", "Tissue"], segment

segmentation = highdicom.seg.segread(folder / "marks.seg.dcm")
pixels = segmentation.get_pixels_by_source_instance(
    [str(image.SOPInstanceUID) for image in images],
    ignore_spatial_locations=True,
    assert_missing_frames_are_empty=True,
)
key_of = {f"2.25.{value}": name for value, name in names.items()}
found["highdicom SEG"] = {}
for number in segmentation.segment_numbers:
    described = segmentation.get_segment_description(number)
    found["highdicom SEG"][key_of[str(described.tracking_uid)]] = digest(pixels[..., number - 1])

report = highdicom.sr.srread(folder / "marks.sr.dcm")
found["highdicom SR"] = {}
for group in [
    *report.content.get_planar_roi_measurement_groups(),
    *report.content.get_volumetric_roi_measurement_groups(),
]:
    regions = group.roi if isinstance(group.roi, list) else [group.roi]
    mask = empty()
    for region in regions:
        [source] = [item for item in region.ContentSequence if item.ValueType == "IMAGE"]
        place = place_of[str(source.ReferencedSOPSequence[0].ReferencedSOPInstanceUID)]
        is_ellipse = region.graphic_type == highdicom.sr.GraphicTypeValues.ELLIPSE
        mask[place] |= (inside_ellipse if is_ellipse else inside_polygon)(region.value)
    found["highdicom SR"][key_of[str(group.tracking_uid)]] = digest(mask)

# It prints what it does.
with contextlib.redirect_stdout(sys.stderr):
    coco = COCO(folder / "marks.coco.json")
drawn = {}
outlines = {}
for annotation in coco.loadAnns(coco.getAnnIds()):
    key = coco.loadCats(annotation["category_id"])[0]["key"]
    place = place_of[coco.loadImgs(annotation["image_id"])[0]["sop_instance_uid"]]
    mask = coco.annToMask(annotation).astype(bool)
    if isinstance(annotation["segmentation"], dict):
        drawn.setdefault(key, empty())[place] |= mask
    else:
        outlines.setdefault(key, empty())[place] |= inside_polygon(
            numpy.reshape(annotation["segmentation"][0], (-1, 2))
        )
found["pycocotools masks"] = {key: digest(mask) for key, mask in drawn.items()}
found["COCO outlines"] = {key: digest(mask) for key, mask in outlines.items()}

features = json.loads((folder / "marks.geojson").read_text())["features"]
shapes = {}
for feature in features:
    geometry = shapely.from_geojson(json.dumps(feature["geometry"]))
    place = place_of[feature["properties"]["negato"]["image"]["sop_instance_uid"]]
    shapely.prepare(geometry)
    shapes.setdefault(feature["properties"]["negato"]["class"], empty())[place] |= shapely.intersects_xy(geometry, *centers)
found["shapely GeoJSON"] = {key: digest(mask) for key, mask in shapes.items()}

packages = ["highdicom", "nibabel", "pynrrd", "slicerio", "SimpleITK", "pycocotools", "shapely"]
versions = {name: importlib.metadata.version(name) for name in packages}
print(json.dumps({"versions": versions, "pixels": found}, indent=2, sort_keys=True))
