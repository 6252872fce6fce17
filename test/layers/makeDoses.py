# Records the dose at points of real dose grids, with pydicom and SimpleITK.
#
#   python3 makeDoses.py CORPUS LAYERS_DATA > doses.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. The planes
# of a grid are placed by Grid Frame Offset Vector: from Image Position along the normal if it begins with 0, otherwise
# at these heights. Of every dose the output has its highest value, and the values at points in millimetres (LPS): the
# centres of some samples, and points between them by linear interpolation of SimpleITK.
import glob
import json
import os
import sys

import numpy
import pydicom
import SimpleITK

CORPUS, LAYERS = sys.argv[1:]
DOSES = [
    (LAYERS, 'synthetic-phantom/rt/rtdose_relative_offsets.dcm'),
    (LAYERS, 'synthetic-phantom/rt/rtdose_absolute_offsets.dcm'),
    (LAYERS, 'synthetic-phantom/rt/rtdose_descending.dcm'),
    (LAYERS, 'rt-imrt-pinnacle/RTDOSE.*.dcm'),
    (LAYERS, 'rt-ion-hit/*.RTDOSE.*.dcm'),
    (CORPUS, 'rt/xio-irregular-spacing/*.dcm'),
]
RT_DOSE = '1.2.840.10008.5.1.4.1.1.481.2'
COUNT = 40


def read(path):
    data = pydicom.dcmread(path, force=True)
    # Files without a header are written in the default syntax.
    if 'TransferSyntaxUID' not in data.file_meta:
        data.file_meta.TransferSyntaxUID = pydicom.uid.ImplicitVRLittleEndian
    values = data.pixel_array.astype(numpy.float64) * float(data.DoseGridScaling)
    position = numpy.array(data.ImagePositionPatient, float)
    orientation = numpy.array(data.ImageOrientationPatient, float)
    row, column = orientation[:3], orientation[3:]
    normal = numpy.cross(row, column)
    offsets = numpy.array(data.GridFrameOffsetVector, float)
    heights = offsets if offsets[0] == 0 else offsets - position[2]
    order = numpy.argsort(heights)
    heights, values = heights[order], values[order]
    steps = numpy.diff(heights)
    assert numpy.allclose(steps, steps[0], atol=1e-3), path
    down, along = [float(value) for value in data.PixelSpacing]
    image = SimpleITK.GetImageFromArray(values)
    image.SetSpacing((along, down, float(steps[0])))
    image.SetOrigin(tuple(position + normal * heights[0]))
    image.SetDirection(tuple(numpy.stack([row, column, normal], axis=1).flatten()))
    return image, values


def describe(path):
    image, values = read(path)
    chance = numpy.random.default_rng(7)
    size = numpy.array(image.GetSize())
    whole = chance.integers(0, size, (COUNT, 3)).astype(float)
    between = chance.uniform(0, size - 1, (COUNT, 3))
    points = []
    for index in [*whole, *between]:
        point = image.TransformContinuousIndexToPhysicalPoint([float(value) for value in index])
        # The border itself may lie a rounding error outside.
        inside = numpy.clip(index, 0, size - 1 - 1e-9)
        value = image.EvaluateAtContinuousIndex([float(one) for one in inside], SimpleITK.sitkLinear)
        points.append([*[round(one, 6) for one in point], float(f'{value:.7g}')])
    return {'maximum': float(f'{values.max():.9g}'), 'points': points}


result = {'corpus': [], 'layers': []}
for root, pattern in DOSES:
    for path in sorted(glob.glob(os.path.join(root, pattern))):
        if pydicom.dcmread(path, force=True, stop_before_pixels=True).SOPClassUID != RT_DOSE:
            continue
        name = os.path.relpath(path, root)
        result['corpus' if root == CORPUS else 'layers'].append({'path': name, **describe(path)})
json.dump(result, sys.stdout)
