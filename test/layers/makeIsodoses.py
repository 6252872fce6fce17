# Records where a field crosses levels, with scikit-image.
#
#   python3 makeIsodoses.py > isodoses.json
#
# The field is a formula, which the test has, too. Of each level the output has the points at which its lines cross the
# lines between the middles of neighbouring samples, as (column, row) from the middle of the first sample, sorted, and
# how long the lines are together. Saddles are left out by the choice of levels: find_contours has no mean of a cell.
import json
import sys

import numpy
from skimage.measure import find_contours

ROWS, COLUMNS = 28, 36
LEVELS = [9.5, 21.25, 38.6, 55.1]


def field():
    y, x = numpy.mgrid[0:ROWS, 0:COLUMNS].astype(float)
    return (
        60 * numpy.exp(-((x - 13) ** 2 + (y - 12) ** 2) / 60)
        + 45 * numpy.exp(-((x - 24) ** 2 + (y - 15) ** 2) / 40)
        + 0.5 * x
    )


values = field()
result = []
for level in LEVELS:
    above = values >= level
    a, b, c, d = above[:-1, :-1], above[:-1, 1:], above[1:, 1:], above[1:, :-1]
    assert not ((a == c) & (b == d) & (a != b)).any(), 'a saddle'
    lines = find_contours(values, level)
    points = numpy.unique(numpy.round(numpy.concatenate(lines)[:, ::-1], 6), axis=0)
    length = sum(numpy.hypot(*numpy.diff(line, axis=0).T).sum() for line in lines)
    result.append({'level': level, 'length': round(float(length), 6), 'points': points.tolist()})
json.dump(result, sys.stdout)
