# Records where the masks of segmentations lie in the total pixel matrix of their slides, as highdicom reads them.
#
#   python3 makeSlideMasks.py CORPUS > slideMasks.json
#
# CORPUS is the folder of real files. Nothing of negato is used. For each segment the output has its number and the pixels
# of its mask, counted row by row from 0. highdicom places tiles by their rows and columns in the matrix; the offsets in
# millimetres of the first of these files are wrong: x and y are exchanged, and the origin is that of another pixel.
import json
import os
import sys

import highdicom
import numpy

(CORPUS,) = sys.argv[1:]
SLIDE = 'wsi/tiny/sm_image_dots.dcm'


def masks(path):
    read = highdicom.seg.segread(os.path.join(CORPUS, path))
    matrix = read.get_total_pixel_matrix()
    rows, columns, count = matrix.shape
    found = [[int(read.segment_numbers[at]), numpy.flatnonzero(matrix[:, :, at]).tolist()] for at in range(count)]
    return {'path': path, 'slide': SLIDE, 'rows': rows, 'columns': columns, 'segments': found}


print(json.dumps([masks(f'wsi/tiny/{name}') for name in ('seg_image_sm_dots.dcm', 'seg_image_sm_dots_tiled_full.dcm')]))
