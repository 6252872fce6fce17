# Records the pages of real PDF objects, as poppler reads and draws them.
#
#   python3 makePdfs.py CORPUS > pdfs.json
#
# CORPUS is the folder of real files. Nothing of negato is used. pydicom takes the file out of the object, pdfinfo counts
# and measures its pages, in points, pdftotext reads its text, and pdftoppm draws its first page. `text` is without any
# space, because programs differ in where they see one. `darkness` is the mean darkness of the parts of the first page, 0
# for white and 1 for black, in COLUMNS x ROWS parts, row after row.
import io
import json
import re
import subprocess
import sys
import tempfile

import numpy
import pydicom
from PIL import Image

COLUMNS, ROWS = 6, 8
FILES = ['000000-doc.dcm', 'test-encapsulated-pdf.dcm']


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def record(path):
    data = pydicom.dcmread(path)
    with tempfile.NamedTemporaryFile(suffix='.pdf') as file:
        file.write(data.EncapsulatedDocument)
        file.flush()
        info = run('pdfinfo', file.name).decode()
        text = run('pdftotext', file.name, '-').decode()
        picture = Image.open(io.BytesIO(run('pdftoppm', '-f', '1', '-l', '1', '-r', '144', '-gray', file.name)))
    dark = 1 - numpy.asarray(picture, float) / 255
    parts = [part.mean() for row in numpy.array_split(dark, ROWS, 0) for part in numpy.array_split(row, COLUMNS, 1)]
    return {
        'sop_instance_uid': str(data.SOPInstanceUID),
        'pages': int(re.search(r'Pages:\s+(\d+)', info)[1]),
        'size': [float(length) for length in re.search(r'Page size:\s+([\d.]+) x ([\d.]+)', info).groups()],
        'text': re.sub(r'\s', '', text),
        'darkness': [round(part, 5) for part in parts],
    }


print(json.dumps({name: record(f'{sys.argv[1]}/waveform-pdf-video/{name}') for name in FILES}, indent=1))
