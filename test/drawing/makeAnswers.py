# Records what the tools that draw masks do to random masks, by SimpleITK, scikit-image and scipy.
#
#   pip install numpy scipy scikit-image SimpleITK
#   python3 makeAnswers.py > answers.json
#
# Nothing of negato is used. Each answer is recorded only if all programs that can give it agree voxel for voxel; the
# script ends with an error otherwise. 60 cases: blobs, boxes and noise with holes, many of which touch the border, slices
# alone (one third) and volumes, on grids that are anisotropic down to 0.5 x 0.5 x 5 mm. Of every case:
# - `size` (columns, rows, slices), `spacing` (the same order, in mm)
# - `samples`: 16-bit integers, `mask`: one byte for each voxel; column by column, then rows, then slices; zlib, base64
# - `region`: a seed, a range, and what ConnectedThreshold (SimpleITK) and label (scikit-image) find
# - `holes`: BinaryFillhole (SimpleITK) and binary_fill_holes (scipy)
# - `islands`: the least number of voxels, and what RelabelComponent (SimpleITK) and remove_small_objects (scikit-image) keep
# - `largest`: the same for the largest component; of equal ones, the one that scikit-image numbers first
# - `grown`, `shrunk`: a radius in mm, and what dilation and erosion (scikit-image) with a ball of that radius and
#   SignedMaurerDistanceMap (SimpleITK) find. Where the half axes that BinaryDilate and BinaryErode of SimpleITK give
#   their ball (radius + 0.5 voxels) are that radius in each direction, they have to agree as well.
# - `smooth`: a radius in mm, and what median (scikit-image) with a ball finds; where the ball is a box of 3 voxels, what
#   BinaryMedian (SimpleITK) finds as well
import base64
import json
import sys
import warnings
import zlib

import numpy
import scipy.ndimage
import SimpleITK
import skimage
import skimage.filters
import skimage.measure
import skimage.morphology

warnings.simplefilter('ignore')
random = numpy.random.default_rng(42)
SPACINGS = [(1, 1, 1), (0.5, 0.5, 5), (0.75, 0.75, 3), (0.5, 1, 2), (2, 1, 0.5), (5, 0.5, 0.5), (1, 1, 3), (0.3, 0.3, 0.3)]
counts = {}


def blobs(shape):
    smooth = scipy.ndimage.gaussian_filter(random.standard_normal(shape), random.uniform(0.6, 2), mode='constant')
    return smooth > numpy.quantile(smooth, random.uniform(0.4, 0.9))


def boxes(shape):
    mask = numpy.zeros(shape, bool)
    for _ in range(random.integers(1, 4)):
        start = [random.integers(0, n) for n in shape]
        end = [random.integers(a, n) + 1 for a, n in zip(start, shape)]
        mask[tuple(slice(a, b) for a, b in zip(start, end))] = True
    inner = [1 if n == 1 else 3 for n in shape]
    return mask & ~scipy.ndimage.binary_erosion(mask, numpy.ones(inner)) if random.random() < 0.6 else mask


def noise(shape):
    return random.random(shape) < random.uniform(0.05, 0.8)


def image_of(array, spacing):
    image = SimpleITK.GetImageFromArray(array)
    image.SetSpacing([float(value) for value in spacing])
    return image


def agreed(name, *answers):
    first = numpy.asarray(answers[0]).astype(bool)
    for other in answers[1:]:
        if not numpy.array_equal(first, numpy.asarray(other).astype(bool)):
            sys.exit(f'{name}: the programs do not agree')
    counts[f'{name} {len(answers)}'] = counts.get(f'{name} {len(answers)}', 0) + 1
    return pack(first.astype(numpy.uint8))


def pack(array):
    return base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()


def array_of(image):
    return SimpleITK.GetArrayFromImage(image)


def ball(spacing, radius, shape):
    # Arrays are indexed by slice, row and column.
    steps = [0 if n == 1 else int(radius / step + 1e-6) for step, n in zip(spacing[::-1], shape)]
    squared = sum(
        (axis * step) ** 2
        for axis, step in zip(numpy.ogrid[tuple(slice(-n, n + 1) for n in steps)], spacing[::-1]))
    return squared <= radius ** 2 * (1 + 2e-6)


def region(samples, spacing):
    seed = [int(random.integers(0, n)) for n in samples.shape]
    value = int(samples[tuple(seed)])
    low, high = value - int(random.integers(0, 400)), value + int(random.integers(0, 400))
    labels = skimage.measure.label((samples >= low) & (samples <= high), connectivity=1)
    grown = SimpleITK.ConnectedThreshold(image_of(samples, spacing), seedList=[seed[::-1]], lower=low, upper=high)
    return {'seed': seed[::-1], 'low': low, 'high': high,
            'bits': agreed('region', labels == labels[tuple(seed)], array_of(grown))}


def holes(mask, spacing):
    # One slice is an image of two dimensions: as a volume all of it is at the border.
    plane = mask[0] if mask.shape[0] == 1 else mask
    itk = SimpleITK.BinaryFillhole(SimpleITK.GetImageFromArray(plane.astype(numpy.uint8)), False, 1)
    return agreed('holes', scipy.ndimage.binary_fill_holes(plane), array_of(itk))


def islands(mask, spacing):
    least = int(random.integers(2, 30))
    components = SimpleITK.ConnectedComponent(image_of(mask.astype(numpy.uint8), spacing), False)
    itk = array_of(SimpleITK.RelabelComponent(components, least)) > 0
    return {'least': least, 'bits': agreed('islands', skimage.morphology.remove_small_objects(mask, max_size=least - 1), itk)}


def largest(mask, spacing):
    labels = skimage.measure.label(mask, connectivity=1)
    sizes = numpy.bincount(labels.ravel())[1:]
    if len(sizes) == 0:
        return agreed('largest', mask)
    own = labels == sizes.argmax() + 1
    components = SimpleITK.ConnectedComponent(image_of(mask.astype(numpy.uint8), spacing), False)
    itk = array_of(SimpleITK.RelabelComponent(components, sortByObjectSize=True)) == 1
    return agreed('largest', own, itk) if (sizes == sizes.max()).sum() == 1 else agreed('largest', own)


def near(mask, spacing, radius):
    distances = SimpleITK.SignedMaurerDistanceMap(
        image_of(mask.astype(numpy.uint8), spacing), insideIsPositive=False, squaredDistance=False, useImageSpacing=True)
    return (array_of(distances) <= radius * (1 + 1e-6)) | mask if mask.any() else mask


def itk_ball(shape, spacing, radius):
    # Half the axes of its ball are radius + 0.5 voxels.
    voxels = [radius / step - 0.5 for step in spacing]
    if shape[0] == 1 or any(abs(value - round(value)) > 1e-9 or value < 0.5 for value in voxels):
        return None
    return [round(value) for value in voxels]


def grown(mask, spacing, radius):
    answers = [skimage.morphology.dilation(mask, ball(spacing, radius, mask.shape)), near(mask, spacing, radius)]
    axes = itk_ball(mask.shape, spacing, radius)
    if axes is not None:
        answers.append(array_of(SimpleITK.BinaryDilate(image_of(mask.astype(numpy.uint8), spacing), axes, SimpleITK.sitkBall)))
    return {'radius': radius, 'bits': agreed('grown', *answers)}


def shrunk(mask, spacing, radius):
    answers = [skimage.morphology.erosion(mask, ball(spacing, radius, mask.shape)), mask & ~near(~mask, spacing, radius)]
    axes = itk_ball(mask.shape, spacing, radius)
    if axes is not None:
        answers.append(array_of(SimpleITK.BinaryErode(image_of(mask.astype(numpy.uint8), spacing), axes, SimpleITK.sitkBall)))
    return {'radius': radius, 'bits': agreed('shrunk', *answers)}


def smooth(mask, spacing, radius):
    shape = ball(spacing, radius, mask.shape)
    answers = [skimage.filters.median(mask.astype(numpy.uint8), shape, mode='nearest')]
    if shape.all() and max(shape.shape) == 3:
        radii = [(n - 1) // 2 for n in shape.shape[::-1]]
        answers.append(array_of(SimpleITK.BinaryMedian(image_of(mask.astype(numpy.uint8), spacing), radii)))
    return {'radius': radius, 'bits': agreed('smooth', *answers)}


def record(at):
    shape = [int(n) for n in random.integers(3, 22, 3)]
    if at % 3 == 0:
        shape[0] = 1
    mask = [blobs, boxes, noise][at % 5 % 3](shape)
    if at == 7:
        mask[:] = False
    if at == 8:
        mask[:] = True
    spacing = SPACINGS[at % len(SPACINGS)]
    samples = scipy.ndimage.gaussian_filter(random.standard_normal(shape), 1) * 2000
    samples = samples.astype(numpy.int16)
    # A multiple of the spacing, where distances are equal to the radius, and half of one.
    radius = float([3 * spacing[0], 1.5 * spacing[1], 4.5, 2 * max(spacing[:2]), 1.5][at % 5])
    box = 1.5 * spacing[0] if shape[0] == 1 else 1.75 * spacing[0]
    return {
        'size': shape[::-1],
        'spacing': list(spacing),
        'samples': pack(samples),
        'mask': pack(mask.astype(numpy.uint8)),
        'region': region(samples, spacing),
        'holes': holes(mask, spacing),
        'islands': islands(mask, spacing),
        'largest': largest(mask, spacing),
        'grown': grown(mask, spacing, radius),
        'shrunk': shrunk(mask, spacing, radius),
        'smooth': smooth(mask, spacing, box if at % 2 == 0 else radius),
    }


cases = [record(at) for at in range(60)]
print(json.dumps(counts), file=sys.stderr)
print(json.dumps({
    'versions': {'SimpleITK': SimpleITK.Version_VersionString(), 'scikit-image': skimage.__version__, 'scipy': scipy.__version__},
    'cases': cases,
}))
