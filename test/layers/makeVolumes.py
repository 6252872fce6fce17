# Records the volumes of the structures of real structure sets, with pydicom, numpy and shapely.
#
#   python3 makeVolumes.py CORPUS LAYERS_DATA > volumes.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. The rule is
# that of docs/api.md: the closed contours of a ROI whose planes are parallel to that of its largest one; planes closer than
# 0.1 mm are one. A plane encloses what lies inside of an odd number of its contours, as shapely makes valid polygons of their
# lines. It stands for the slab half way to its neighbours; half of the usual distance (the median, the upper one of an
# even number) at the ends and at gaps of more than 1.5 times that. A ROI in one plane has no volume (null), and one without
# closed contours is left out.
import glob
import json
import os
import sys

import numpy
import pydicom
import shapely

CORPUS, LAYERS = sys.argv[1:]
SETS = [
    (CORPUS, 'rt/oncentra-tilted-plane/RS_*.dcm'),
    (CORPUS, 'rt/orient/empty/dummy_rt.dcm'),
    (CORPUS, 'rt/orient/mock_data/rt.dcm'),
    (CORPUS, 'rt/plastimatch-tiny/rtss_*.dcm'),
    (CORPUS, 'rt/small/rtstruct.dcm'),
    (CORPUS, 'rt/xio-irregular-spacing/SS.*.dcm'),
    (LAYERS, 'rt-brachy-eclipse/RS.*.dcm'),
    (LAYERS, 'rt-imrt-pinnacle/RTSTRUCT.*.dcm'),
    (LAYERS, 'rt-ion-hit/*.RTSTRUCT.*.dcm'),
    (LAYERS, 'synthetic-phantom/rt/rtstruct.dcm'),
]
CLOSED = ('CLOSED_PLANAR', 'CLOSEDPLANAR_XOR')


class Contour:
    def __init__(self, item):
        self.points = numpy.array(item.ContourData, float).reshape(-1, 3)
        self.centre = self.points.mean(axis=0)
        _, sizes, axes = numpy.linalg.svd(self.points - self.centre, full_matrices=True)
        self.normal = axes[2] if len(sizes) > 1 and sizes[1] > 1e-4 * sizes[0] else None
        self.radius = numpy.linalg.norm(self.points - self.centre, axis=1).max()


def area_of(contours, normal):
    """By the even-odd rule, in the plane of the normal."""
    _, _, axes = numpy.linalg.svd(normal[None, :])
    inside = shapely.Polygon()
    for contour in contours:
        ring = shapely.Polygon(contour.points @ axes[1:].T)
        inside = inside.symmetric_difference(shapely.make_valid(ring, method='linework'))
    return inside.area


def volume_of(contours):
    largest = max(contours, key=lambda one: one.radius)
    placed = [one for one in contours if abs(one.normal @ largest.normal) > 0.999]
    planes = []
    for one in sorted(placed, key=lambda one: one.centre @ largest.normal):
        position = one.centre @ largest.normal
        if planes and position - planes[-1][0] < 0.1:
            planes[-1][1].append(one)
        else:
            planes.append((position, [one]))
    if len(planes) < 2:
        return None
    gaps = numpy.diff([position for position, _ in planes])
    usual = numpy.sort(gaps)[len(gaps) // 2]
    half = numpy.where(gaps > 1.5 * usual, usual, gaps) / 2
    depths = numpy.concatenate([[usual / 2], half]) + numpy.concatenate([half, [usual / 2]])
    areas = [area_of(members, largest.normal) for _, members in planes]
    return float(f'{numpy.dot(areas, depths):.7g}')


def record(root, pattern):
    [path] = glob.glob(os.path.join(root, pattern))
    volumes = {}
    for item in pydicom.dcmread(path, force=True).ROIContourSequence:
        closed = [one for one in item.get('ContourSequence', []) if one.ContourGeometricType in CLOSED and one.ContourData]
        contours = [one for one in map(Contour, closed) if one.normal is not None]
        if contours:
            volumes[int(item.ReferencedROINumber)] = volume_of(contours)
    return {'path': os.path.relpath(path, root), 'volumes': volumes}


sets = {'corpus': [], 'layers': []}
for root, pattern in SETS:
    sets['corpus' if root == CORPUS else 'layers'].append(record(root, pattern))
json.dump(sets, sys.stdout, indent=2)
print()
