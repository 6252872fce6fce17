# Records dose-volume histograms of real plans, with dicompyler-core.
#
#   python3 makeDvhs.py CORPUS LAYERS_DATA > dvhs.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used.
# dicompyler-core samples a structure at the samples of the dose, interpolated to a finer grid within the planes of the
# dose, so small structures are left out. It reads relative offsets only.
import glob
import json
import os
import sys

import pydicom
from dicompylercore import dicomparser, dvhcalc

CORPUS, LAYERS = sys.argv[1:]
# The structure set, the dose, and the distance of samples to interpolate to: the dose's divided by a power of two.
PLANS = [
    (LAYERS, 'synthetic-phantom/rt/rtstruct.dcm', 'synthetic-phantom/rt/rtdose_relative_offsets.dcm'),
    (LAYERS, 'rt-imrt-pinnacle/RTSTRUCT.*.dcm', 'rt-imrt-pinnacle/RTDOSE.*578629.dcm'),
    (CORPUS, 'rt/xio-irregular-spacing/SS.*.dcm', 'rt/xio-irregular-spacing/*.dcm'),
]
RT_DOSE = '1.2.840.10008.5.1.4.1.1.481.2'
LEAST_CM3 = 5


def round_to(value):
    return float(f'{float(value):.6g}')


def describe(structures, dose):
    spacing = [float(value) for value in pydicom.dcmread(dose, force=True, stop_before_pixels=True).PixelSpacing]
    rois = []
    for number, structure in dicomparser.DicomParser(structures).GetStructures().items():
        try:
            dvh = dvhcalc.get_dvh(structures, dose, number, interpolation_resolution=(spacing[0] / 4, spacing[1] / 4))
        except Exception as error:
            print(f'{structure["name"]}: {error}', file=sys.stderr)
            continue
        if dvh.volume < LEAST_CM3 or dvh.max <= 0:
            continue
        rois.append(
            {
                'number': int(number),
                'name': structure['name'],
                'volume': round_to(dvh.volume),
                'mean': round_to(dvh.mean),
                'd95': round_to(dvh.D95.value),
                'd50': round_to(dvh.D50.value),
                'd2cc': round_to(dvh.D2cc.value),
            }
        )
    return rois


result = {'corpus': [], 'layers': []}
for root, structures, doses in PLANS:
    [path] = glob.glob(os.path.join(root, structures))
    for dose in sorted(glob.glob(os.path.join(root, doses))):
        if pydicom.dcmread(dose, force=True, stop_before_pixels=True).SOPClassUID != RT_DOSE:
            continue
        names = {'structures': os.path.relpath(path, root), 'dose': os.path.relpath(dose, root)}
        result['corpus' if root == CORPUS else 'layers'].append({**names, 'rois': describe(path, dose)})
json.dump(result, sys.stdout)
