# Records label volumes of real segmentations and of model output, with highdicom 0.28.2, nibabel, numpy and pydicom.
#
#   python3 makeLabels.py CORPUS LAYERS_DATA > labels.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used.
# - `segmentations`: highdicom.seg.segread(...).get_volume(combine_segments=False), that is on the grid of the segmentation.
#   Fractions count from 0.5 on. Slices are put into the order of the normal (row direction times column direction).
# - `outputs`: labels of a NIfTI file at the voxels of the images, in the order of their normal: the centre of each voxel goes
#   through the inverse of nibabel's affine (float64), and the nearest sample counts.
# - `structures`: of ROIs with closed contours in the planes of images (at most 0.01 mm away), the pixels of those images whose
#   centres are inside, in float64: corners in pixels, rounded to 1/4096, and a pixel is inside if an odd number of sides
#   cross its row at or left of its centre. A side crosses the rows from its upper end to before its lower end. In one slice.
# Of each label: its value, the number of its voxels, and SHA-256 of its mask with one byte for each voxel, slice after slice,
# rows from the top.
import glob
import hashlib
import json
import os
import sys
import warnings

import highdicom
import nibabel
import numpy
import pydicom

CORPUS, LAYERS = sys.argv[1:]
SEGMENTATIONS = [
    'seg/dcmqi-24x38x3/seg/label.seg',
    'seg/dcmqi-24x38x3/sparse-labelmap-noppv.dcm',
    'seg/dcmqi-24x38x3/sparse-labelmap-ppv5.dcm',
    'seg/dcmqi-liver/liver.dcm',
    'seg/dcmqi-liver/liver_j2k.dcm',
    'seg/dcmqi-liver/liver_nonbyte_aligned.dcm',
    'seg/dcmqi-liver/liver_nonbyte_aligned_j2k.dcm',
    'seg/dcmqi-liver/partial_overlaps.dcm',
    'seg/highdicom-ct/seg_image_ct_binary.dcm',
    'seg/highdicom-ct/seg_image_ct_binary_fractional.dcm',
    'seg/highdicom-ct/seg_image_ct_binary_overlap.dcm',
    'seg/highdicom-ct/seg_image_ct_binary_single_frame.dcm',
    'seg/highdicom-ct/seg_image_ct_true_fractional.dcm',
    'seg/pet-tumor/tumor_User1_Manual_Trial1.dcm',
    'sr/dcmqi/seg.dcm',
]
OUTPUTS = [
    'labels_axes_permuted.nii.gz',
    'labels_big_endian_int16.nii',
    'labels_canonical_ras.nii.gz',
    'labels_itk.nii.gz',
    'labels_qform_only.nii.gz',
    'labels_sform_only.nii.gz',
]
# The structure set, and the folder of its images.
STRUCTURES = [
    (LAYERS, 'synthetic-phantom/rt/rtstruct.dcm', 'synthetic-phantom/ct'),
    (LAYERS, 'rt-imrt-pinnacle/RTSTRUCT.*.dcm', 'rt-imrt-pinnacle'),
    (LAYERS, 'rt-brachy-eclipse/RS.*.dcm', 'rt-brachy-eclipse'),
    (CORPUS, 'rt/plastimatch-tiny/rtss_*.dcm', 'rt/plastimatch-tiny'),
]
IMAGE_CLASSES = ('1.2.840.10008.5.1.4.1.1.2', '1.2.840.10008.5.1.4.1.1.4')
CLOSED = ('CLOSED_PLANAR', 'CLOSEDPLANAR_XOR')
STORED_MM = 0.01
OUTPUT_FOLDER, IMAGES = 'model-output/ct-head-small', 'series/ct-head-small'


def describe(value, mask):
    mask = numpy.ascontiguousarray(mask, dtype=numpy.uint8)
    return [int(value), int(mask.sum()), hashlib.sha256(mask.tobytes()).hexdigest()]


def record_segmentation(path):
    segmentation = highdicom.seg.segread(os.path.join(CORPUS, path))
    volume = segmentation.get_volume(combine_segments=False)
    samples = numpy.asarray(volume.array, dtype=float)
    # Directions of slices, rows (down) and columns in LPS are the columns of the affine.
    slices, rows, columns = volume.affine[:3, :3].T
    if numpy.dot(slices, numpy.cross(columns, rows)) < 0:
        samples = samples[::-1]
    numbers = [int(number) for number in segmentation.segment_numbers]
    return {
        'path': path,
        'shape': list(samples.shape[:3]),
        'labels': [describe(number, samples[..., at] >= 0.5) for at, number in enumerate(numbers)],
    }


def record_output(name, images):
    file = nibabel.load(os.path.join(LAYERS, OUTPUT_FOLDER, name))
    values = numpy.asarray(file.dataobj)
    from_world = numpy.linalg.inv(file.affine)
    labels = []
    for image in images:
        position = numpy.array(image.ImagePositionPatient, float)
        orientation = numpy.array(image.ImageOrientationPatient, float)
        down, along = [float(value) for value in image.PixelSpacing]
        row, column = numpy.mgrid[: int(image.Rows), : int(image.Columns)]
        points = (
            position
            + column[..., None] * orientation[:3] * along
            + row[..., None] * orientation[3:] * down
        )
        # NIfTI has x to the right and y to the front.
        points = points * [-1, -1, 1]
        at = numpy.rint(points @ from_world[:3, :3].T + from_world[:3, 3]).astype(int)
        inside = ((at >= 0) & (at < values.shape[:3])).all(axis=-1)
        at[~inside] = 0
        labels.append(numpy.where(inside, values[at[..., 0], at[..., 1], at[..., 2]], 0))
    labels = numpy.stack(labels)
    return {
        'path': name,
        'shape': list(labels.shape),
        'labels': [describe(value, labels == value) for value in numpy.unique(labels) if value != 0],
    }


def fill(rings, rows, columns):
    """The pixels inside of rings of corners (column, row)."""
    mask = numpy.zeros((rows, columns), bool)
    centres = numpy.arange(columns)
    for row in range(rows):
        for ring in rings:
            x1, y1 = ring.T
            x2, y2 = numpy.roll(ring, -1, axis=0).T
            for at in numpy.nonzero((y1 <= row) != (y2 <= row))[0]:
                # From the upper end, as the side is the same whichever way it is drawn.
                (ax, ay), (bx, by) = sorted([(x1[at], y1[at]), (x2[at], y2[at])], key=lambda end: end[1])
                mask[row] ^= ax + (row - ay) * (bx - ax) / (by - ay) <= centres
    return mask


def record_structures(root, pattern, folder):
    (path,) = glob.glob(os.path.join(root, pattern))
    structures = pydicom.dcmread(path)
    files = [pydicom.dcmread(name, force=True, stop_before_pixels=True) for name in glob.glob(os.path.join(root, folder, '*'))]
    images = sorted((one for one in files if one.get('SOPClassUID') in IMAGE_CLASSES), key=along_normal)
    slices = []
    for at, image in enumerate(images):
        orientation = numpy.array(image.ImageOrientationPatient, float)
        down, along = [float(value) for value in image.PixelSpacing]
        normal = numpy.cross(orientation[:3], orientation[3:])
        basis = numpy.stack([orientation[:3] * along, orientation[3:] * down, normal], axis=1)
        for roi in structures.ROIContourSequence:
            rings = []
            for contour in roi.get('ContourSequence', []):
                points = numpy.array(contour.ContourData, float).reshape(-1, 3)
                if contour.ContourGeometricType not in CLOSED or len(points) < 3:
                    continue
                offsets = numpy.linalg.solve(basis, (points - numpy.array(image.ImagePositionPatient, float)).T).T
                if numpy.abs(offsets[:, 2]).max() <= STORED_MM:
                    rings.append(numpy.rint(offsets[:, :2] * 4096) / 4096)
            if rings:
                mask = fill(rings, int(image.Rows), int(image.Columns))
                slices.append([at, *describe(roi.ReferencedROINumber, mask)])
    name = os.path.relpath(path, root)
    return {'path': name, 'folder': folder, 'of': 'corpus' if root == CORPUS else 'layers', 'images': len(images), 'slices': slices}


def along_normal(image):
    orientation = numpy.array(image.ImageOrientationPatient, float)
    return float(numpy.dot(numpy.cross(orientation[:3], orientation[3:]), image.ImagePositionPatient))


warnings.simplefilter('ignore')
found = [pydicom.dcmread(path) for path in glob.glob(os.path.join(CORPUS, IMAGES, '*.dcm'))]
images = sorted(found, key=along_normal)
print(
    json.dumps(
        {
            'images': IMAGES,
            'folder': OUTPUT_FOLDER,
            'segmentations': [record_segmentation(path) for path in SEGMENTATIONS],
            'structures': [record_structures(*one) for one in STRUCTURES],
            'outputs': [record_output(name, images) for name in OUTPUTS],
        },
        indent=1,
    )
)
