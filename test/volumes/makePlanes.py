# Samples planes of small volumes with SimpleITK (2.5), in float64, and records the samples, rounded half up.
#
#   python3 makePlanes.py [planes of each volume] > planes.json
#
# planes.test.ts makes the same volumes: their samples come from the generator `noise`, and their geometry is written to
# the file. -32768 marks samples outside of the volume. SimpleITK is asked for floats, because for integers it truncates.
import base64
import json
import math
import random
import struct
import sys

import numpy
import SimpleITK

random.seed(19)
VOLUMES = 12
PLANES = int(sys.argv[1]) if len(sys.argv) > 1 else 6
ROWS, COLUMNS = 6, 7
OUTSIDE = -1e6


def noise(seed, count):
    """A linear congruential generator with values from -1000 to 3095."""
    values = numpy.empty(count, dtype=numpy.int16)
    state = seed
    for at in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values[at] = (state >> 20) - 1000
    return values


def turn(a, b, c):
    """Unit vectors along a row, down a column and along the normal."""
    rx = numpy.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])
    ry = numpy.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
    rz = numpy.array([[math.cos(c), -math.sin(c), 0], [math.sin(c), math.cos(c), 0], [0, 0, 1]])
    return (rx @ ry @ rz).T


def angles():
    return [random.uniform(-math.pi, math.pi) for _ in range(3)]


def sample(image, position, row, column, spacing, interpolator):
    resampler = SimpleITK.ResampleImageFilter()
    resampler.SetInterpolator(interpolator)
    resampler.SetOutputPixelType(SimpleITK.sitkFloat64)
    resampler.SetDefaultPixelValue(OUTSIDE)
    resampler.SetSize([COLUMNS, ROWS, 1])
    resampler.SetOutputOrigin(list(position))
    resampler.SetOutputSpacing([spacing[1], spacing[0], 1])
    normal = numpy.cross(row, column)
    resampler.SetOutputDirection(numpy.stack([row, column, normal], axis=1).flatten().tolist())
    return SimpleITK.GetArrayFromImage(resampler.Execute(image)).flatten()


def pack(values):
    words = [-32768 if math.isnan(value) else value for value in values]
    return base64.b64encode(struct.pack(f'<{len(words)}h', *words)).decode()


volumes = []
for number in range(VOLUMES):
    rows, columns, places = random.randint(4, 8), random.randint(4, 8), random.randint(3, 7)
    spacing = [round(random.uniform(0.4, 3), 3) for _ in range(3)]
    origin = [round(random.uniform(-100, 100), 3) for _ in range(3)]
    axes = turn(*angles())
    # Every second volume is tilted: SimpleITK takes a direction that is not perpendicular.
    shear = [random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4)] if number % 2 else [0, 0]
    along = axes[2] + shear[0] * axes[0] + shear[1] * axes[1]
    length = numpy.linalg.norm(along)
    image = SimpleITK.GetImageFromArray(
        noise(number + 1, rows * columns * places).reshape(places, rows, columns).astype(numpy.float64)
    )
    image.SetOrigin(origin)
    image.SetSpacing([spacing[1], spacing[0], spacing[2] * length])
    image.SetDirection(numpy.stack([axes[0], axes[1], along / length], axis=1).flatten().tolist())
    planes = []
    for _ in range(PLANES):
        row, column, _normal = turn(*angles())
        middle = image.TransformContinuousIndexToPhysicalPoint(
            [random.uniform(0, columns - 1), random.uniform(0, rows - 1), random.uniform(0, places - 1)]
        )
        step = [round(random.uniform(0.3, 2), 3) for _ in range(2)]
        position = (
            numpy.array(middle) - row * step[1] * (COLUMNS - 1) / 2 - column * step[0] * (ROWS - 1) / 2
        ).tolist()
        answers = {}
        for name, interpolator in [('linear', SimpleITK.sitkLinear), ('nearest', SimpleITK.sitkNearestNeighbor)]:
            values = sample(image, position, row, column, step, interpolator)
            rounded = [math.nan if value == OUTSIDE else math.floor(value + 0.5) for value in values]
            answers[name] = pack(rounded)
        planes.append(
            {
                'position': position,
                'orientation': [*row.tolist(), *column.tolist()],
                'spacing': step,
                'linear': answers['linear'],
                'nearest': answers['nearest'],
            }
        )
    volumes.append(
        {
            'seed': number + 1,
            'rows': rows,
            'columns': columns,
            'places': places,
            'spacing': spacing,
            'origin': origin,
            'orientation': [*axes[0].tolist(), *axes[1].tolist()],
            'step': (along * spacing[2]).tolist(),
            'planes': planes,
        }
    )
json.dump({'rows': ROWS, 'columns': COLUMNS, 'volumes': volumes}, sys.stdout, separators=(',', ':'))
