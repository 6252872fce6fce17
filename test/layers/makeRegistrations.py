# Records where registrations of the phantom put points, with pydicom, numpy and SimpleITK (2.5).
#
#   python3 makeRegistrations.py LAYERS_DATA > registrations.json
#
# - `rigid`: the corners of the contours of ROI 1, which are in the frame of reference of the CT, in pixels of three MR
#   images, by the inverse of the stored matrix (numpy), with the distance of their plane from the image.
# - `deformable`: points of the frame of reference of the CT, and where the deformable registration puts them in that of
#   the MR: post (pre p + v(p)), with v from a displacement field of SimpleITK, linear. Null is outside of the field.
import glob
import json
import os
import sys

import numpy
import pydicom
import SimpleITK

ROOT = os.path.join(sys.argv[1], 'synthetic-phantom')


def matrix_of(item):
    return numpy.array(item.FrameOfReferenceTransformationMatrix, float).reshape(4, 4)


def apply(matrix, points):
    return points @ matrix[:3, :3].T + matrix[:3, 3]


rigid = pydicom.dcmread(f'{ROOT}/reg/rigid.dcm')
moving = next(item for item in rigid.RegistrationSequence if item.FrameOfReferenceUID != rigid.FrameOfReferenceUID)
to_mr = numpy.linalg.inv(matrix_of(moving.MatrixRegistrationSequence[0].MatrixSequence[0]))
structures = pydicom.dcmread(f'{ROOT}/rt/rtstruct.dcm')
contours = next(item for item in structures.ROIContourSequence if item.ReferencedROINumber == 1).ContourSequence
images = []
for path in sorted(glob.glob(f'{ROOT}/mr/*.dcm'))[5:12:3]:
    image = pydicom.dcmread(path, stop_before_pixels=True)
    position = numpy.array(image.ImagePositionPatient, float)
    row, column = numpy.array(image.ImageOrientationPatient, float).reshape(2, 3)
    down, along = [float(value) for value in image.PixelSpacing]
    normal = numpy.cross(row, column)
    found = []
    for contour in contours:
        offsets = apply(to_mr, numpy.array(contour.ContourData, float).reshape(-1, 3)) - position
        distance = float((offsets @ normal).mean())
        pixels = numpy.stack([offsets @ row / along, offsets @ column / down], axis=1)
        found.append({'distance': round(distance, 5), 'points': numpy.round(pixels.ravel(), 4).tolist()})
    nearest = min(found, key=lambda one: abs(one['distance']))
    images.append({'path': os.path.relpath(path, sys.argv[1]), **nearest})

item = pydicom.dcmread(f'{ROOT}/reg/deformable.dcm').DeformableRegistrationSequence[0]
grid = item.DeformableRegistrationGridSequence[0]
size = [int(value) for value in grid.GridDimensions]
vectors = numpy.frombuffer(grid.VectorGridData, '<f4').reshape(*size[::-1], 3).astype(float)
field = SimpleITK.GetImageFromArray(vectors, isVector=True)
field.SetOrigin([float(value) for value in grid.ImagePositionPatient])
field.SetSpacing([float(value) for value in grid.GridResolution])
a, b = numpy.array(grid.ImageOrientationPatient, float).reshape(2, 3)
field.SetDirection(numpy.stack([a, b, numpy.cross(a, b)], axis=1).ravel().tolist())
low = numpy.array(field.GetOrigin())
high = low + (numpy.array(size) - 1) * numpy.array(field.GetSpacing())
transform = SimpleITK.DisplacementFieldTransform(SimpleITK.Cast(field, SimpleITK.sitkVectorFloat64))
pre = matrix_of(item.PreDeformationMatrixRegistrationSequence[0])
post = matrix_of(item.PostDeformationMatrixRegistrationSequence[0])
random = numpy.random.default_rng(20)
points = low - 5 + random.random((60, 3)) * (high - low + 10)
moved = []
for point in points:
    isInside = (point >= low).all() and (point <= high).all()
    vector = numpy.array(transform.TransformPoint(point.tolist())) - point
    moved.append(apply(post, apply(pre, point[None]) + vector)[0].round(5).tolist() if isInside else None)
json.dump({'rigid': images, 'deformable': {'points': points.round(5).tolist(), 'moved': moved}}, sys.stdout)
sys.stdout.write('\n')
