# Converts real series with dcm2niix (1.0.20260724) and records shape, affine, scale and a sum of the samples.
#
#   python3 makeNifti.py CORPUS > nifti.json
#
# Needs dcm2niix in the PATH, nibabel, numpy and pydicom. Options of dcm2niix: -x i, because otherwise it turns sagittal
# and coronal images into another order of axes; -p n, because otherwise it replaces the rescale of Philips images by a
# private one. A series is the files of one folder that have the series, and in a file with several frames the file.
#
# Known differences, which are not recorded:
# - dcm2niix takes the distance between slices from the first two of them, we from the first and the last. They differ
#   where positions are rounded.
# - dcm2niix ignores Dose Grid Scaling and the offsets of the planes of a dose.
# - b-values are in the order of the file there, and in ascending order here.
# - dcm2niix takes slices of two files of multiframe/enhanced-4d for times, although all have one Temporal Position Index, and
#   writes the slices of compressed files with several frames (transfer-syntax/fragments) in the opposite order of those of the
#   same file without compression.
# - It takes samples of 32 bits without a sign, and of JPEG 2000 streams whose sign differs from the header, for the other kind.
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import nibabel
import numpy
import pydicom

CORPUS = sys.argv[1]
SERIES = [
    'series/ct-head-small/CTHead1.dcm',
    'series/broken-volumes/slicecount/001/IM-0001-0001-0001.dcm',
    'series/mr-multi-echo/TE_40_SlcPos_-23.207628249046.dcm',
    'dicomdir/bbmri/bbmri-53323131.dcm',
    'dicomdir/pydicom/98892001/CT5N/2062',
    'multiframe/enhanced-4d/1.1.1.1.1.1.11111.1.1.1.1111.1111.900000000000000000000000000000.dcm',
    'multiframe/enhanced-mr/001.dcm',
    'multiframe/enhanced-mr/IM-0001-0001-0001.dcm',
    'multiframe/enhanced-mr/IM-0001-0170-0001.dcm',
    'multiframe/enhanced-mr/IM-0001-9600-0001.dcm',
    'multiframe/enhanced-sc/volume.dcm',
    'parametric-map/adc-source/000000.dcm',
    'parametric-map/parametric_map_float.dcm',
    'rt/oncentra-tilted-plane/CT_1.2.826.0.1.3680043.2.1125.1.17872389039225636003114712517102552.dcm',
    'rt/orient/mock_data/ct_1.dcm',
    'rt/orient/oriented_data/1.dcm',
    'rt/plastimatch-tiny/image0000_1.2.826.0.1.3680043.8.274.1.1.2750954856.34924.5415589575.496.dcm',
    'seg/dcmqi-24x38x3/image/IMG0001.dcm',
    'seg/dcmqi-24x38x3/multiframe/mf.dcm',
    'seg/dcmqi-liver/ct-3slice/01.dcm',
]


def list_files(path):
    first = pydicom.dcmread(path, stop_before_pixels=True)
    if first.get('NumberOfFrames', 1) > 1 or 'oriented_data' in path or 'multiframe' in path:
        return [path]
    files = []
    for other in sorted(glob.glob(os.path.join(os.path.dirname(path), '*'))):
        if not os.path.isfile(other):
            continue
        header = pydicom.dcmread(other, stop_before_pixels=True, force=True)
        # Echoes are stacks of their own.
        if all(header.get(name) == first.get(name) for name in ('SeriesInstanceUID', 'EchoTime')):
            files.append(other)
    return files


def convert(path):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f'{folder}/in')
        for number, file in enumerate(list_files(path)):
            os.symlink(os.path.abspath(file), f'{folder}/in/{number:05}.dcm')
        command = ['dcm2niix', '-z', 'n', '-x', 'i', '-p', 'n', '-f', 'out', '-o', folder, f'{folder}/in']
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (written,) = glob.glob(f'{folder}/*.nii')
        image = nibabel.load(written)
        samples = numpy.asarray(image.dataobj.get_unscaled())
        return {
            'shape': list(image.shape),
            'affine': [float(f'{number:.6g}') for number in image.affine[:3].flatten()],
            'scale': [image.dataobj.slope, image.dataobj.inter],
            'bytes': samples.dtype.itemsize,
            'sum': hashlib.sha256(samples.tobytes(order='F')).hexdigest(),
        }


json.dump([{'path': path, **convert(f'{CORPUS}/{path}')} for path in SERIES], sys.stdout, indent=2)
print()
