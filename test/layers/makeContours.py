# Records where the contours of real structure sets lie, with pydicom, numpy, OpenCV and rt-utils.
#
#   python3 makeContours.py CORPUS LAYERS_DATA > contours.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. For every
# structure set and some images under it the output has:
# - `masks`: of a ROI with closed contours in the plane of the image, the centres of pixels inside by the even-odd rule
#   (numpy, float64), as runs: lengths of pixels outside and inside by turns, row by row.
# - `rounded`: the same by rt-utils, which rounds corners to pixels and adds the border.
# - `distances`: of contours that lie along the image, the mean signed distance of their points from the plane of the
#   image along its normal, and whether that is "stored" (at most 0.01 mm, or 1 % of the distance of the ROI's planes)
#   or "nearest" (at most half of that distance, and the ROI has none that is stored here).
# - `chords`: of closed contours across the image, the pairs of points in which the plane crosses their polygon, in
#   pixels.
# An image without a path is a coronal plane of 256 x 256 pixels of 1 mm, at the given position.
import glob
import json
import os
import sys

import numpy
import pydicom
from rt_utils import image_helper

CORPUS, LAYERS = sys.argv[1:]
# Through the middle of the contours, whose planes are tilted.
CORONAL = [-128, -9.1, 115]
# The structure set, the folder of its images, how many images to record, and positions of coronal planes.
SETS = [
    (LAYERS, 'synthetic-phantom/rt/rtstruct.dcm', 'synthetic-phantom/ct', 24, []),
    (LAYERS, 'rt-imrt-pinnacle/RTSTRUCT.*.dcm', 'rt-imrt-pinnacle', 4, []),
    (LAYERS, 'rt-brachy-eclipse/RS.*.dcm', 'rt-brachy-eclipse', 4, []),
    (CORPUS, 'rt/xio-irregular-spacing/SS.*.dcm', 'rt/xio-irregular-spacing', 5, []),
    (CORPUS, 'rt/plastimatch-tiny/rtss_*.dcm', 'rt/plastimatch-tiny', 5, []),
    (CORPUS, 'rt/oncentra-tilted-plane/RS_*.dcm', 'rt/oncentra-tilted-plane', 12, [CORONAL]),
]
CLOSED = ('CLOSED_PLANAR', 'CLOSEDPLANAR_XOR')
PLANAR_MM = 0.1
IMAGE_CLASSES = ('1.2.840.10008.5.1.4.1.1.2', '1.2.840.10008.5.1.4.1.1.4')


class Image:
    def __init__(self, path, data=None):
        data = pydicom.dcmread(path, force=True, stop_before_pixels=True) if data is None else data
        self.path, self.data = path, data
        self.position = numpy.array(data.ImagePositionPatient, float)
        orientation = numpy.array(data.ImageOrientationPatient, float)
        self.row, self.column = orientation[:3], orientation[3:]
        self.normal = numpy.cross(self.row, self.column)
        self.normal /= numpy.linalg.norm(self.normal)
        self.down, self.along = [float(value) for value in data.PixelSpacing]
        self.size = (int(data.Rows), int(data.Columns))

    def pixels(self, points):
        offsets = points - self.position
        basis = numpy.stack([self.row * self.along, self.column * self.down, self.normal], axis=1)
        return numpy.linalg.solve(basis, offsets.T).T[:, :2]

    def distances(self, points):
        return (points - self.position) @ self.normal


class Contour:
    def __init__(self, item):
        self.type = item.ContourGeometricType
        self.points = numpy.array(item.ContourData, float).reshape(-1, 3)
        if self.type in CLOSED and len(self.points) > 1 and (self.points[0] == self.points[-1]).all():
            self.points = self.points[:-1]
        self.images = [one.ReferencedSOPInstanceUID for one in item.get('ContourImageSequence', [])]
        self.data = item.ContourData
        centre = self.points.mean(axis=0)
        _, sizes, axes = numpy.linalg.svd(self.points - centre, full_matrices=True)
        self.centre = centre
        self.normal = axes[2] if len(sizes) > 1 and sizes[1] > 1e-4 * sizes[0] else None


def coronal_plane(position):
    data = pydicom.Dataset()
    data.ImagePositionPatient, data.ImageOrientationPatient = position, [1, 0, 0, 0, 0, -1]
    data.PixelSpacing, data.Rows, data.Columns = [1, 1], 256, 256
    return Image(None, data)


def even_odd(polygons, size):
    rows, columns = size
    x, y = numpy.meshgrid(numpy.arange(columns), numpy.arange(rows))
    inside = numpy.zeros(size, bool)
    for polygon in polygons:
        for (x1, y1), (x2, y2) in zip(polygon, numpy.roll(polygon, 1, axis=0)):
            if y1 == y2:
                continue
            # Only the rows that the edge crosses.
            low, high = int(numpy.ceil(min(y1, y2))), int(numpy.floor(max(y1, y2)))
            low, high = max(low, 0), min(high, rows - 1)
            if high < low:
                continue
            part = slice(low, high + 1)
            crosses = (y1 > y[part]) != (y2 > y[part])
            inside[part] ^= crosses & (x[part] < x1 + (x2 - x1) * (y[part] - y1) / (y2 - y1))
    return inside


def runs(mask):
    flat = mask.ravel().astype(numpy.int8)
    edges = numpy.flatnonzero(numpy.diff(flat)) + 1
    ends = numpy.concatenate([[0], edges, [flat.size]])
    lengths = numpy.diff(ends).tolist()
    return lengths if flat[0] == 0 else [0, *lengths]


def spacing_of(contours):
    """The median distance of the parallel planes of closed contours."""
    closed = [one for one in contours if one.type in CLOSED and one.normal is not None]
    if not closed:
        return None
    largest = max(closed, key=lambda one: numpy.linalg.norm(one.points - one.centre, axis=1).max())
    positions = sorted(one.centre @ largest.normal for one in closed if abs(one.normal @ largest.normal) > 0.999)
    levels = [positions[0]]
    for position in positions:
        if position - levels[-1] >= 0.1:
            levels.append(position)
    gaps = sorted(numpy.diff(levels).tolist())
    return gaps[len(gaps) // 2] if gaps else None


def chords(contour, image):
    distances = image.distances(contour.points)
    before = numpy.roll(distances, 1)
    found = []
    for at in numpy.flatnonzero((before < 0) != (distances < 0)):
        d1, d2 = before[at], distances[at]
        found.append(contour.points[at - 1] + (contour.points[at] - contour.points[at - 1]) * d1 / (d1 - d2))
    if not found:
        return []
    along = numpy.cross(contour.normal, image.normal)
    found = sorted(found, key=lambda point: point @ along)
    pixels = image.pixels(numpy.array(found))
    return [[*pixels[at], *pixels[at + 1]] for at in range(0, len(pixels) - 1, 2)]


def record(root, pattern, folder, count, planes):
    [path] = glob.glob(os.path.join(root, pattern))
    data = pydicom.dcmread(path, force=True)
    rois = {}
    for item in data.ROIContourSequence:
        rois[int(item.ReferencedROINumber)] = [Contour(one) for one in item.get('ContourSequence', []) if one.ContourData]
    usual = sorted(one for one in map(spacing_of, rois.values()) if one is not None)
    images = []
    for name in sorted(glob.glob(os.path.join(root, folder, '*.dcm'))):
        head = pydicom.dcmread(name, force=True, stop_before_pixels=True)
        if head.get('SOPClassUID') in IMAGE_CLASSES:
            images.append(Image(name))
    images.sort(key=lambda image: image.position @ image.normal)
    chosen = [images[round(at)] for at in numpy.linspace(0, len(images) - 1, count)]
    found = []
    for image in [*chosen, *map(coronal_plane, planes)]:
        masks, rounded, distances, cut = [], [], [], []
        for number, contours in rois.items():
            spacing = spacing_of(contours)
            spacing = (usual[len(usual) // 2] if usual else 0) if spacing is None else spacing
            tolerance = max(0.01, 0.01 * spacing)
            near = []
            for contour in contours:
                ds = image.distances(contour.points)
                mean = float(ds.mean())
                isAlong = contour.normal is None or abs(contour.normal @ image.normal) > 0.9
                flat = numpy.abs(ds - mean).max()
                if isAlong and flat <= max(PLANAR_MM, spacing / 2):
                    near.append((contour, mean, flat <= max(PLANAR_MM, tolerance) and abs(mean) <= tolerance))
                elif contour.type in CLOSED:
                    cut += [[number, *[round(float(v), 4) for v in chord]] for chord in chords(contour, image)]
            stored = [one for one in near if one[2]]
            for contour, mean, isStored in near:
                if isStored:
                    distances.append([number, 'stored', round(mean, 5)])
                elif not stored and abs(mean) < spacing / 2 - 1e-3 and abs(mean) <= min(abs(m) for _, m, _ in near) + 1e-3:
                    distances.append([number, 'nearest', round(mean, 5)])
            closed = [contour for contour, _, _ in stored if contour.type in CLOSED]
            if closed:
                mask = even_odd([image.pixels(contour.points) for contour in closed], image.size)
                masks.append([number, *runs(mask)])
                # rt-utils knows no holes, finds contours only by the names of images, and takes the distance of rows
                # for that of columns.
                isNamed = image.path and all(image.data.SOPInstanceUID in contour.images for contour in closed)
                if isNamed and len(closed) == 1 and image.down == image.along:
                    matrix = image_helper.get_patient_to_pixel_transformation_matrix([image.data])
                    one = image_helper.get_slice_mask_from_slice_contour_data(
                        image.data, [contour.data for contour in closed], matrix
                    )
                    rounded.append([number, *runs(one)])
        found.append(
            {
                'path': image.path and os.path.relpath(image.path, root),
                'position': image.position.tolist(),
                'size': image.size,
                'masks': masks,
                'rounded': rounded,
                'distances': sorted(distances),
                'chords': cut,
            }
        )
    return {'path': os.path.relpath(path, root), 'images': found}


sets = {name: [] for name in ('corpus', 'layers')}
for root, *rest in SETS:
    sets['corpus' if root == CORPUS else 'layers'].append(record(root, *rest))
json.dump(sets, sys.stdout, separators=(',', ':'))
sys.stdout.write('\n')
