# Records the affines of NIfTI files of real series, with pydicom and numpy.
#
#   python3 makeAffines.py CORPUS LAYERS_DATA > affines.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. An affine
# follows from the headers: i runs along the rows, j up the columns, and k along the normal of the images, from the first to
# the last slice in equal steps. A position in NIfTI is right, anterior, superior, so that x and y of DICOM change sign.
# A series is the files of one folder that have the series and the echo, and in a file with several frames the file.
import glob
import json
import os
import sys

import numpy
import pydicom

CORPUS, LAYERS = sys.argv[1:]
SERIES = [
    (CORPUS, 'series/ct-head-small/CTHead1.dcm'),
    (CORPUS, 'series/broken-volumes/slicecount/001/IM-0001-0001-0001.dcm'),
    (CORPUS, 'series/mr-multi-echo/TE_40_SlcPos_-23.207628249046.dcm'),
    (CORPUS, 'dicomdir/bbmri/bbmri-53323131.dcm'),
    (CORPUS, 'dicomdir/pydicom/98892001/CT5N/2062'),
    (CORPUS, 'multiframe/enhanced-mr/IM-0001-0170-0001.dcm'),
    (CORPUS, 'parametric-map/adc-source/000000.dcm'),
    (CORPUS, 'parametric-map/parametric_map_float.dcm'),
    (CORPUS, 'multiframe/enhanced-sc/volume.dcm'),
    (CORPUS, 'rt/plastimatch-tiny/dose_*.dcm'),
    (CORPUS, 'rt/small/rtdose.dcm'),
    (LAYERS, 'rt-brachy-eclipse/MR.*.140.dcm'),
    (LAYERS, 'rt-imrt-pinnacle/CT.*.478.dcm'),
    (LAYERS, 'rt-imrt-pinnacle/RTDOSE.*578629.dcm'),
    (LAYERS, 'rt-ion-hit/*.RTDOSE.*.dcm'),
    (LAYERS, 'synthetic-phantom/pet/*01.dcm'),
    (LAYERS, 'synthetic-phantom/rt/rtdose_descending.dcm'),
]


def find(data, frame, sequence, keyword):
    """An attribute of a frame, in its functional groups or in the object."""
    for groups in ('PerFrameFunctionalGroupsSequence', 'SharedFunctionalGroupsSequence'):
        items = data.get(groups)
        if items:
            macro = items[frame if groups.startswith('Per') else 0].get(sequence)
            if macro and keyword in macro[0]:
                return macro[0][keyword].value
    return data.get(keyword)


def list_frames(data):
    for frame in range(int(data.get('NumberOfFrames', 1) or 1)):
        orientation = numpy.array(find(data, frame, 'PlaneOrientationSequence', 'ImageOrientationPatient'), float)
        position = numpy.array(find(data, frame, 'PlanePositionSequence', 'ImagePositionPatient'), float)
        spacing = [float(one) for one in find(data, frame, 'PixelMeasuresSequence', 'PixelSpacing')]
        offsets = data.get('GridFrameOffsetVector')
        if offsets is not None and len(offsets) > 0:
            # PS3.3 C.8.8.3.2: from the position along the normal, or coordinates themselves.
            first = float(offsets[0])
            normal = numpy.cross(orientation[:3], orientation[3:])
            position = position + normal * float(offsets[frame]) if first == 0 else numpy.array(
                [*position[:2], float(offsets[frame])]
            )
        yield position, orientation, spacing


def list_files(path):
    first = pydicom.dcmread(path, stop_before_pixels=True, force=True)
    if int(first.get('NumberOfFrames', 1) or 1) > 1:
        return [first]
    heads = []
    for other in sorted(glob.glob(os.path.join(os.path.dirname(path), '*'))):
        if os.path.isfile(other):
            head = pydicom.dcmread(other, stop_before_pixels=True, force=True)
            if all(head.get(name) == first.get(name) for name in ('SeriesInstanceUID', 'EchoTime')):
                heads.append(head)
    return heads


def affine_of(path):
    heads = list_files(path)
    frames = [frame for head in heads for frame in list_frames(head)]
    _, orientation, (down, along) = frames[0]
    row, column = orientation[:3], orientation[3:]
    normal = numpy.cross(row, column)
    positions = sorted((position for position, _, _ in frames), key=lambda position: position @ normal)
    # Several times and echoes share a place.
    places = [positions[0]]
    for position in positions:
        if (position - places[-1]) @ normal > 0.01:
            places.append(position)
    rows, columns = int(heads[0].Rows), int(heads[0].Columns)
    thickness = find(heads[0], 0, 'PixelMeasuresSequence', 'SliceThickness')
    step = (places[-1] - places[0]) / (len(places) - 1) if len(places) > 1 else normal * float(thickness)
    lps = numpy.stack([row * along, -column * down, step, places[0] + column * down * (rows - 1)], axis=1)
    ras = numpy.diag([-1, -1, 1]) @ lps
    return {
        'shape': [columns, rows, len(places)],
        'affine': [float(f'{number:.7g}') + 0 for number in ras.flatten()],
    }


recorded = {'corpus': [], 'layers': []}
for root, pattern in SERIES:
    path = sorted(glob.glob(os.path.join(root, pattern)))[0]
    name = os.path.relpath(path, root)
    recorded['corpus' if root == CORPUS else 'layers'].append({'path': name, **affine_of(path)})
json.dump(recorded, sys.stdout, indent=2)
print()
