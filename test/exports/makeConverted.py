# Lists the series of the corpus of which dcm2niix (1.0.20220720 of Debian) makes a file, and the shapes of what it makes.
#
#   python3 makeConverted.py CORPUS > converted.json
#
# Needs dcm2niix in the PATH and pydicom. A series is the images of one folder that have the Study and Series Instance UID, and an
# image without them is one by itself. Each has the path of its first file. Shapes are in the order of the file: dcm2niix turns
# sagittal and coronal images. A shape whose third number is 1 is a single slice. What it interpolated is left out (_Eq, _Tilt).
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile
import warnings

import pydicom

warnings.simplefilter('ignore')
CORPUS = os.path.abspath(sys.argv[1])


def list_series():
    series = {}
    for folder, _, names in sorted(os.walk(CORPUS)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            try:
                header = pydicom.dcmread(path, stop_before_pixels=True, force=True)
                key = (folder, header.get('StudyInstanceUID'), header.get('SeriesInstanceUID') or path)
                if 'Rows' in header:
                    series.setdefault(key, []).append(path)
            except Exception:
                # dcm2niix is asked about it all the same.
                series.setdefault((folder, path), []).append(path)
    return series.values()


def convert(paths):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f'{folder}/in')
        for number, path in enumerate(paths):
            os.symlink(path, f'{folder}/in/{number:05}.dcm')
        command = ['dcm2niix', '-z', 'n', '-b', 'n', '-f', 'out', '-o', folder, f'{folder}/in']
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        shapes = []
        for made in sorted(glob.glob(f'{folder}/*.nii')):
            if not made.endswith(('_Eq.nii', '_Eq_1.nii', '_Tilt.nii', '_Tilt_1.nii', '_Eq_Tilt.nii')):
                with open(made, 'rb') as file:
                    shapes.append(list(struct.unpack('<4h', file.read(50)[42:50])))
        return shapes


found = {os.path.relpath(paths[0], CORPUS): convert(paths) for paths in list_series()}
lines = [f'{json.dumps(path)}: {json.dumps(shapes)}' for path, shapes in sorted(found.items()) if shapes]
print('{\n  ' + ',\n  '.join(lines) + '\n}')
