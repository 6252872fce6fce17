# Samples random planes of volumes with SimpleITK (2.5), in float64, and records the samples, rounded half up.
#
#   python3 makePlanes.py written > planes.json
#   python3 makePlanes.py real CORPUS > realPlanes.json
#
# Options: --planes, --rows and --columns, of each volume and each plane, for a larger comparison than the recorded one:
# set NEGATO_PLANES or NEGATO_REAL_PLANES to its output when planes.test.ts or realPlanes.test.ts runs.
#
# The samples of written volumes come from the generator `Noise`, and their geometry is in the output. Of real volumes
# the output has only the path: this script reads geometry and stored samples by itself. The planes come from the same
# generator (randomPlanes.ts has it for the tests), so they are not recorded either.
#
# SimpleITK knows regular grids without padding. What else a volume has is given to it in a form that it knows:
# - Slices that are not evenly spaced along one line: each pair of neighbours is an image, and so is each slice beside a
#   hole. A sample belongs to the pair that it lies between.
# - Padding: the samples without padding and a mask are sampled; their quotient is the weighted mean of what is no
#   padding. Where the mask is below one half, the result is padding.
# - Rescales that differ by slice are applied before.
# -32768 marks samples outside, and padding. SimpleITK is asked for floats, because for integers it truncates.
import argparse
import base64
import json
import math
import os
import struct
import sys

import numpy
import SimpleITK

OUTSIDE = -32768
TOLERANCE = 2e-6

arguments = argparse.ArgumentParser()
arguments.add_argument('kind', choices=['written', 'real'])
arguments.add_argument('corpus', nargs='?')
arguments.add_argument('--planes', type=int, default=100)
arguments.add_argument('--rows', type=int, default=5)
arguments.add_argument('--columns', type=int, default=6)
options = arguments.parse_args()


class Noise:
    """A linear congruential generator."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return self.state / 2**32

    def between(self, low, high):
        return low + (high - low) * self.next()


def turn(noise):
    """Unit vectors along a row and down a column, by a random quaternion."""
    w, x, y, z = [2 * noise.next() - 1 for _ in range(4)]
    n = w * w + x * x + y * y + z * z
    row = [(w * w + x * x - y * y - z * z) / n, 2 * (x * y + w * z) / n, 2 * (x * z - w * y) / n]
    column = [2 * (x * y - w * z) / n, (w * w - x * x + y * y - z * z) / n, 2 * (y * z + w * x) / n]
    return numpy.array(row), numpy.array(column)


def unit(vector):
    return vector / numpy.linalg.norm(vector)


class Volume:
    """`slices`: values, by place. `mask`: 0 where they are padding. `holes`: the places before gaps without samples."""

    def __init__(self, points, row, column, spacing, slices, holes=(), usual=None, mask=None):
        order = numpy.argsort(points @ unit(numpy.cross(row, column)), kind='stable')
        self.points, self.slices = points[order], slices[order].astype(numpy.float64)
        self.mask = None if mask is None else mask[order].astype(numpy.float64)
        self.row, self.column, self.spacing = unit(row), unit(column), spacing
        self.normal = unit(numpy.cross(self.row, self.column))
        self.positions = self.points @ self.normal
        self.holes, self.usual = set(holes), usual

    def images(self):
        """Images, each with the range of positions that it serves."""
        last = len(self.points) - 1
        line = numpy.outer(numpy.arange(last + 1) / last, self.points[-1] - self.points[0]) + self.points[0]
        if not self.holes and numpy.abs(self.points - line).max() < 1e-10:
            return [Image(self, 0, last + 1, (self.points[-1] - self.points[0]) / last, -math.inf, math.inf)]
        images = []
        for gap in range(last):
            step = self.points[gap + 1] - self.points[gap]
            start = -math.inf if gap == 0 else self.positions[gap]
            end = math.inf if gap == last - 1 else self.positions[gap + 1]
            if gap not in self.holes:
                images.append(Image(self, gap, 2, step, start, end))
                continue
            middle = (self.positions[gap] + self.positions[gap + 1]) / 2
            images.append(Image(self, gap, 1, self.beside(gap, gap - 1), start, middle))
            images.append(Image(self, gap + 1, 1, self.beside(gap, gap + 1), middle, end))
        return images

    def beside(self, hole, other):
        """The size of a slice beside a hole, whose gap on the other side is `other`. Its own value holds there.

        It reaches as far into the hole, and with the same tilt, as half way to its neighbour on the other side; without
        one half of the usual distance, towards the slice behind the hole. It does not reach beyond the middle.
        """
        has_neighbour = 0 <= other < len(self.points) - 1 and other not in self.holes
        step = self.points[other + 1] - self.points[other] if has_neighbour else self.points[hole + 1] - self.points[hole]
        own = step @ self.normal if has_neighbour else self.usual
        return step / (step @ self.normal) * min(own, self.positions[hole + 1] - self.positions[hole])


class Image:
    def __init__(self, volume, first, count, step, start, end):
        self.volume, self.start, self.end, self.count = volume, start, end, count
        self.origin = volume.points[first]
        length = numpy.linalg.norm(step)
        self.steps = [length, *volume.spacing]
        self.direction = numpy.stack([volume.row, volume.column, step / length], axis=1)
        part = slice(first, first + count)
        if volume.mask is None:
            self.values, self.mask = self.make(volume.slices[part]), None
        else:
            self.values, self.mask = self.make(volume.slices[part] * volume.mask[part]), self.make(volume.mask[part])

    def make(self, samples):
        image = SimpleITK.GetImageFromArray(samples)
        image.SetOrigin(self.origin.tolist())
        image.SetSpacing([self.steps[2], self.steps[1], self.steps[0]])
        image.SetDirection(self.direction.flatten().tolist())
        return image

    def indices(self, points):
        matrix = self.direction * numpy.array([self.steps[2], self.steps[1], self.steps[0]])
        return numpy.linalg.solve(matrix, (points - self.origin).T).T

    def sample(self, plane, interpolator):
        values = resample(self.values, plane, interpolator)
        if self.mask is None:
            return values
        weights = resample(self.mask, plane, interpolator)
        with numpy.errstate(invalid='ignore', divide='ignore'):
            return numpy.where(weights >= 0.5 - 1e-6, values / weights, math.nan)


def resample(image, plane, interpolator):
    position, row, column, spacing = plane
    resampler = SimpleITK.ResampleImageFilter()
    resampler.SetInterpolator(interpolator)
    resampler.SetOutputPixelType(SimpleITK.sitkFloat64)
    resampler.SetDefaultPixelValue(math.nan)
    resampler.SetSize([options.columns, options.rows, 1])
    resampler.SetOutputOrigin(position.tolist())
    resampler.SetOutputSpacing([spacing[1], spacing[0], 1])
    resampler.SetOutputDirection(numpy.stack([row, column, numpy.cross(row, column)], axis=1).flatten().tolist())
    return SimpleITK.GetArrayFromImage(resampler.Execute(image)).flatten()


def random_plane(volume, noise):
    row, column = turn(noise)
    count, rows, columns = volume.slices.shape
    place = math.floor(noise.next() * count)
    down, along = noise.next() * (rows - 1) * volume.spacing[0], noise.next() * (columns - 1) * volume.spacing[1]
    middle = volume.points[place] + volume.row * along + volume.column * down
    spacing = [noise.between(0.3, 2) * volume.spacing[0], noise.between(0.3, 2) * volume.spacing[1]]
    position = middle - row * spacing[1] * (options.columns - 1) / 2 - column * spacing[0] * (options.rows - 1) / 2
    return position, row, column, spacing


def record(volume, seed):
    """Answers of all planes, every second one linear, and the samples that arithmetic may round either way."""
    noise = Noise(seed)
    answers, ties, inside = [], [], 0
    images = volume.images()
    sizes = numpy.array([volume.slices.shape[2], volume.slices.shape[1]])
    for number in range(options.planes):
        plane = random_plane(volume, noise)
        position, row, column, spacing = plane
        across, down = numpy.meshgrid(numpy.arange(options.columns), numpy.arange(options.rows))
        points = position + numpy.outer(across.flatten() * spacing[1], row) + numpy.outer(
            down.flatten() * spacing[0], column
        )
        z = points @ volume.normal
        is_linear = number % 2 == 0
        values = numpy.full(len(points), math.nan)
        doubtful = numpy.zeros(len(points), dtype=bool)
        for image in images:
            served = (z >= image.start) & (z < image.end)
            if not served.any():
                continue
            sampled = image.sample(plane, SimpleITK.sitkLinear if is_linear else SimpleITK.sitkNearestNeighbor)
            values[served] = sampled[served]
            index = image.indices(points)
            halves = numpy.abs(index - numpy.floor(index) - 0.5) < TOLERANCE
            border = (index < 0) | (index > [*(sizes - 1), image.count - 1])
            doubtful |= served & ((halves & border) if is_linear else halves).any(axis=1)
        with numpy.errstate(invalid='ignore'):
            doubtful |= numpy.abs(values - numpy.floor(values) - 0.5) < TOLERANCE
        ties += (number * len(points) + numpy.nonzero(doubtful)[0]).tolist()
        answers += [OUTSIDE if math.isnan(value) else math.floor(value + 0.5) for value in values]
        inside += int((~numpy.isnan(values)).sum())
    print(f'{inside} of {len(answers)} samples inside, {len(ties)} ties', file=sys.stderr)
    return {
        'seed': seed,
        'ties': ties,
        'answers': base64.b64encode(struct.pack(f'<{len(answers)}h', *answers)).decode(),
    }


def write_volume(number):
    """Every second volume is tilted, every third skewed by a writer that rounds, and some are irregular or padded."""
    noise = Noise(1000 + number)
    rows, columns, places = [4 + math.floor(noise.next() * 5) for _ in range(3)]
    spacing = [round(noise.between(0.4, 3), 3) for _ in range(2)]
    row, column = turn(noise)
    if number % 3 == 2:
        column = unit(column + noise.between(-1e-3, 1e-3) * row)
    normal = unit(numpy.cross(row, column))
    gaps = [round(noise.between(1, 3), 3)] * (places - 1)
    if number in (4, 7, 10, 15):
        gaps = [round(noise.between(0.5, 3), 3) for _ in gaps]
    holes = {6: [1], 10: [1], 13: [1], 15: [0, 2]}.get(number, [])
    usual = sorted(gaps)[(len(gaps) - 1) // 2]
    for hole in holes:
        gaps[hole] = 2.5 * usual
    shear = [noise.between(-0.4, 0.4), noise.between(-0.4, 0.4)] if number % 2 else [0, 0]
    along = normal + shear[0] * row + shear[1] * column
    origin = numpy.array([round(noise.between(-100, 100), 3) for _ in range(3)])
    points = origin + numpy.outer(numpy.cumsum([0, *gaps]), along)
    if number == 13:
        # The slices behind the hole were acquired after the patient had moved.
        points[2:] += 1.3 * row - 0.7 * column
    values = Noise(number + 1)
    stored = numpy.array(
        [math.floor(values.next() * 4096) - 1000 for _ in range(places * rows * columns)], dtype=numpy.float64
    ).reshape(places, rows, columns)
    # About a fifth of the samples.
    padding = [-1000, -200] if number in (5, 8) else None
    mask = None if padding is None else 1 - ((stored >= padding[0]) & (stored <= padding[1]))
    slopes = [0.7131 + place for place in range(places)] if number == 9 else None
    modality = stored if slopes is None else stored * numpy.array(slopes)[:, None, None]
    volume = Volume(points, row, column, spacing, modality, holes, usual, mask)
    return {
        'samples': number + 1,
        'rows': rows,
        'columns': columns,
        'spacing': spacing,
        'orientation': [*row.tolist(), *column.tolist()],
        'points': points.flatten().tolist(),
        'usual': usual,
        'holes': holes,
        'padding': padding,
        'slopes': slopes,
        **record(volume, 19 + number),
    }


# A reader of little-endian data sets, down to the pixels.
LONG = {b'OB', b'OD', b'OF', b'OL', b'OV', b'OW', b'SQ', b'SV', b'UC', b'UN', b'UR', b'UT', b'UV'}
SEQUENCES = {0x00289145, 0x00209113, 0x00209116, 0x00289110, 0x52009229, 0x52009230}


def read_set(data, at, end, is_explicit):
    elements = {}
    while at + 8 <= end:
        group, element = struct.unpack_from('<HH', data, at)
        tag = group << 16 | element
        if tag == 0xFFFEE00D or tag == 0xFFFEE0DD:
            return elements, at + 8
        vr = data[at + 4 : at + 6]
        if is_explicit and vr not in LONG:
            length, at = struct.unpack_from('<H', data, at + 6)[0], at + 8
        else:
            at += 8 if is_explicit else 4
            length, at = struct.unpack_from('<I', data, at)[0], at + 4
        if tag == 0x7FE00010:
            elements[tag] = data[at : at + length]
            return elements, end
        if vr == b'SQ' and is_explicit or tag in SEQUENCES or length == 0xFFFFFFFF:
            elements[tag], at = read_items(data, at, end if length == 0xFFFFFFFF else at + length, is_explicit)
        else:
            elements[tag], at = data[at : at + length], at + length
    return elements, at


def read_items(data, at, end, is_explicit):
    items = []
    while at + 8 <= end:
        group, element, length = struct.unpack_from('<HHI', data, at)
        at += 8
        if (group, element) == (0xFFFE, 0xE0DD):
            return items, at
        item, at = read_set(data, at, end if length == 0xFFFFFFFF else at + length, is_explicit)
        items.append(item)
    return items, at


def read_file(path):
    data = open(path, 'rb').read()
    if data[128:132] != b'DICM':
        return read_set(data, 0, len(data), False)[0]
    length = struct.unpack_from('<I', data, 140)[0]
    meta = read_set(data, 132, 144 + length, True)[0]
    syntax = meta[0x00020010].strip(b'\0 ').decode()
    assert syntax in ('1.2.840.10008.1.2', '1.2.840.10008.1.2.1'), f'{path}: {syntax}'
    return read_set(data, 144 + length, len(data), syntax == '1.2.840.10008.1.2.1')[0]


def numbers(elements, tag):
    return [float(value) for value in elements[tag].decode().strip('\0 ').split('\\')] if tag in elements else []


def word(elements, tag, form='<H'):
    return struct.unpack(form, elements[tag][:2])[0]


def find(groups, sequence, tag):
    """The numbers of a functional group: of the frame itself, or of all frames, or of the data set."""
    for elements in groups:
        for item in elements.get(sequence, []):
            if tag in item:
                return numbers(item, tag)
    return numbers(groups[-1], tag)


def read_volume(paths, usual=None, holes=()):
    points, slices, masks = [], [], []
    for path in paths:
        file = read_file(path)
        rows, columns = word(file, 0x00280010), word(file, 0x00280011)
        is_signed, bits = word(file, 0x00280103) == 1, word(file, 0x00280100)
        pixels = numpy.frombuffer(file[0x7FE00010], f'<{"i" if is_signed else "u"}{bits // 8}')
        count = int((numbers(file, 0x00280008) or [1])[0])
        frames = pixels[: count * rows * columns].reshape(count, rows, columns)
        # Bits above those that are stored mean nothing.
        unused = bits - word(file, 0x00280101)
        frames = (frames << unused) >> unused
        offsets = numbers(file, 0x3004000C)
        for frame in range(count):
            own = file.get(0x52009230, [{}] * count)[frame]
            groups = [own, *file.get(0x52009229, []), file]
            axes = find(groups, 0x00209116, 0x00200037)
            row, column = unit(numpy.array(axes[:3])), unit(numpy.array(axes[3:]))
            spacing = find(groups, 0x00289110, 0x00280030)
            point = numpy.array(find(groups, 0x00209113, 0x00200032))
            if offsets:
                point = point + offsets[frame] * unit(numpy.cross(row, column))
            points.append(point)
            slices.append(frames[frame])
            if 0x00280120 in file:
                low = high = word(file, 0x00280120, '<h' if is_signed else '<H')
                if 0x00280121 in file:
                    limit = word(file, 0x00280121, '<h' if is_signed else '<H')
                    low, high = min(low, limit), max(low, limit)
                masks.append(1 - ((frames[frame] >= low) & (frames[frame] <= high)))
            if len(points) == 1:
                first = row, column, spacing
    mask = numpy.array(masks) if masks else None
    return Volume(numpy.array(points), *first, numpy.array(slices), holes, usual, mask)


REAL = [
    ['series/ct-head-small', 'CTHead'],
    ['seg/dcmqi-liver/ct-3slice', ''],
    ['parametric-map/adc-source', ''],
    ['rt/oncentra-tilted-plane', 'CT_'],
    ['seg/dcmqi-24x38x3/image', ''],
    ['multiframe/enhanced-sc', 'volume.dcm'],
    ['multiframe/enhanced-mr', '001.dcm'],
    ['multiframe/enhanced-mr', 'IM-0001-0170-0001.dcm'],
    ['multiframe/enhanced-mr', 'IM-0001-0001-0001.dcm'],
    ['rt/plastimatch-tiny', 'image'],
    ['seg/dcmqi-24x38x3/multiframe', 'mf.dcm'],
    ['rt/xio-irregular-spacing', 'DOSE'],
    ['rt/xio-irregular-spacing', 'CT.'],
    ['series/ct-tilt-irregular-ge', ''],
]


def read_real(number, folder, start):
    path = os.path.join(options.corpus, folder)
    names = sorted(name for name in os.listdir(path) if name.startswith(start))
    print(f'{folder}/{start} {len(names)} files: ', end='', file=sys.stderr)
    volume = read_volume([os.path.join(path, name) for name in names])
    return {'path': f'{folder}/{names[0]}', **record(volume, 119 + number)}


if options.kind == 'written':
    volumes = [write_volume(number) for number in [*range(12), 13, 15]]
else:
    volumes = [read_real(number, *real) for number, real in enumerate(REAL)]
shape = {'planes': options.planes, 'rows': options.rows, 'columns': options.columns}
json.dump({**shape, 'volumes': volumes}, sys.stdout, separators=(',', ':'))
print()
