# Records dose-volume histograms of real plans, with pydicom, numpy, SimpleITK and dicompyler-core.
#
#   python3 makeDvhs.py CORPUS LAYERS_DATA > dvhs.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. Of each
# ROI the output has:
# - `sampled`: samples every 0.5 mm in the axial planes of its contours, inside by the even-odd rule (numpy), with the
#   dose there by linear interpolation (SimpleITK). A plane stands for the slab half way to its neighbours; half of the
#   usual distance at the ends and at gaps of more than 1.5 times that. Samples outside of the grid are left out.
# - `dicompyler`: the same numbers by dicompyler-core 0.5.6, or null if it fails or is not installed. It samples in planes of the dose, and
#   ignores offsets that begin with the position of the grid.
# - `fineVolume`: the volume by dicompyler-core in a grid four times as fine as that of the dose, or null. Its doses there are not
#   recorded: it spreads them with the outer edges of the grid in place instead of the middles of the samples, which moves
#   them by 3/8 of a sample.
# dicompyler-core 0.5.6 needs pydicom 2.
# Volumes are in cm3 and doses in Gray. Small ROIs are left out.
import glob
import json
import os
import sys

import numpy
import pydicom
import SimpleITK

CORPUS, LAYERS = sys.argv[1:]
PLANS = [
    (LAYERS, 'synthetic-phantom/rt/rtstruct.dcm', 'synthetic-phantom/rt/rtdose_relative_offsets.dcm'),
    (LAYERS, 'rt-imrt-pinnacle/RTSTRUCT.*.dcm', 'rt-imrt-pinnacle/RTDOSE.*578629.dcm'),
    (LAYERS, 'rt-ion-hit/*.RTSTRUCT.*.dcm', 'rt-ion-hit/*.RTDOSE.*.dcm'),
    (CORPUS, 'rt/xio-irregular-spacing/SS.*.dcm', 'rt/xio-irregular-spacing/DOSE.*.dcm'),
    (CORPUS, 'rt/plastimatch-tiny/rtss_*.dcm', 'rt/plastimatch-tiny/dose_*.dcm'),
]
CLOSED = ('CLOSED_PLANAR', 'CLOSEDPLANAR_XOR')
STEP = 0.5
LEAST_CM3 = 2
NOTHING = -1


def read_dose(path):
    data = pydicom.dcmread(path, force=True)
    if 'TransferSyntaxUID' not in data.file_meta:
        data.file_meta.TransferSyntaxUID = pydicom.uid.ImplicitVRLittleEndian
    position = numpy.array(data.ImagePositionPatient, float)
    assert numpy.allclose(data.ImageOrientationPatient, [1, 0, 0, 0, 1, 0])
    offsets = numpy.array(data.GridFrameOffsetVector, float)
    heights = offsets + position[2] if offsets[0] == 0 else offsets
    order = numpy.argsort(heights)
    heights = heights[order]
    assert numpy.allclose(numpy.diff(heights), heights[1] - heights[0], atol=1e-3)
    down, along = [float(value) for value in data.PixelSpacing]
    image = SimpleITK.GetImageFromArray(data.pixel_array[order].astype(float) * float(data.DoseGridScaling))
    image.SetSpacing((along, down, float(heights[1] - heights[0])))
    image.SetOrigin((position[0], position[1], heights[0]))
    return image


def list_planes(contours):
    planes = []
    for points in sorted(contours, key=lambda points: points[0, 2]):
        if planes and points[0, 2] - planes[-1][0] < 0.1:
            planes[-1][1].append(points)
        else:
            planes.append((points[0, 2], [points]))
    return planes


def thickness(heights):
    gaps = numpy.diff(heights)
    usual = numpy.sort(gaps)[len(gaps) // 2]
    half = numpy.where(gaps > 1.5 * usual, usual, gaps) / 2
    return numpy.concatenate([[usual / 2], half]) + numpy.concatenate([half, [usual / 2]])


def is_inside(polygons, xs, ys):
    inside = numpy.zeros((len(ys), len(xs)), bool)
    for points in polygons:
        for (x1, y1), (x2, y2) in zip(points[:, :2], numpy.roll(points[:, :2], -1, axis=0)):
            rows = (y1 > ys) != (y2 > ys)
            if rows.any():
                crossing = x1 + (ys[rows] - y1) / (y2 - y1) * (x2 - x1)
                inside[rows] ^= xs[None, :] < crossing[:, None]
    return inside


def sample(contours, dose):
    planes = list_planes(contours)
    doses, volumes = [], []
    for (z, polygons), thick in zip(planes, thickness(numpy.array([z for z, _ in planes]))):
        every = numpy.concatenate(polygons)
        low, high = every[:, :2].min(axis=0), every[:, :2].max(axis=0)
        nx, ny = [max(1, int(numpy.ceil((b - a) / STEP))) for a, b in zip(low, high)]
        xs, ys = low[0] + STEP * (numpy.arange(nx) + 0.5), low[1] + STEP * (numpy.arange(ny) + 0.5)
        grid = SimpleITK.Image(nx, ny, 1, SimpleITK.sitkFloat64)
        grid.SetSpacing((STEP, STEP, 1))
        grid.SetOrigin((xs[0], ys[0], float(z)))
        plane = SimpleITK.Resample(dose, grid, SimpleITK.Transform(), SimpleITK.sitkLinear, NOTHING)
        values = SimpleITK.GetArrayFromImage(plane)[0][is_inside(polygons, xs, ys)]
        doses.append(values)
        volumes.append(numpy.full(len(values), STEP * STEP * thick))
    return numpy.concatenate(doses), numpy.concatenate(volumes)


def rounded(value):
    return float(f'{float(value):.6g}')


def summarize(doses, volumes):
    known = doses != NOTHING
    whole, inside = volumes.sum(), volumes[known].sum()
    order = numpy.argsort(-doses[known])
    sorted_doses, above = doses[known][order], numpy.cumsum(volumes[known][order])
    at = lambda volume: sorted_doses[min(numpy.searchsorted(above, volume), len(above) - 1)]
    return {
        'volume': rounded(whole / 1000),
        'inside': rounded(inside / whole),
        'mean': rounded((doses[known] * volumes[known]).sum() / inside),
        'd95': rounded(at(0.95 * inside)),
        'd50': rounded(at(0.5 * inside)),
        'd2cc': rounded(at(2000)),
    }


def ask_dicompyler(structures, path, number):
    try:
        from dicompylercore import dvhcalc

        dvh = dvhcalc.get_dvh(structures, path, number)
        values = {'volume': dvh.volume, 'mean': dvh.mean, 'd95': dvh.D95.value, 'd50': dvh.D50.value, 'd2cc': dvh.D2cc.value}
        return {name: rounded(value) for name, value in values.items()}
    except Exception as error:
        print(f'ROI {number}: {error}', file=sys.stderr)
        return None


def ask_fine_volume(structures, path, number):
    try:
        from dicompylercore import dvhcalc

        fine = tuple(float(value) / 4 for value in pydicom.dcmread(path, stop_before_pixels=True, force=True).PixelSpacing)
        return rounded(dvhcalc.get_dvh(structures, path, number, use_structure_extents=True, interpolation_resolution=fine).volume)
    except Exception as error:
        print(f'ROI {number}: {error}', file=sys.stderr)
        return None


def describe(structures, path):
    dose = read_dose(path)
    rois = []
    for item in pydicom.dcmread(structures, force=True).ROIContourSequence:
        closed = [one for one in item.get('ContourSequence', []) if one.ContourGeometricType in CLOSED]
        contours = [numpy.array(one.ContourData, float).reshape(-1, 3) for one in closed]
        # Axial ones; the others are not what this script can sample.
        contours = [points for points in contours if numpy.ptp(points[:, 2]) < 0.01]
        if len(contours) < len(closed) or len(list_planes(contours)) < 2:
            continue
        sampled = summarize(*sample(contours, dose))
        if sampled['volume'] < LEAST_CM3 or sampled['inside'] < 0.05:
            continue
        number = int(item.ReferencedROINumber)
        known = {'dicompyler': ask_dicompyler(structures, path, number), 'fineVolume': ask_fine_volume(structures, path, number)}
        rois.append({'number': number, 'sampled': sampled, **known})
    return rois


result = {'corpus': [], 'layers': []}
for root, structures, doses in PLANS:
    [path], [dose] = [glob.glob(os.path.join(root, pattern)) for pattern in (structures, doses)]
    names = {'structures': os.path.relpath(path, root), 'dose': os.path.relpath(dose, root)}
    result['corpus' if root == CORPUS else 'layers'].append({**names, 'rois': describe(path, dose)})
json.dump(result, sys.stdout)
