# Records how far pairs of masks agree, by SimpleITK, surface-distance of DeepMind and scipy.
#
#   pip install numpy scipy SimpleITK surface-distance
#   python3 makePairs.py > pairs.json
#
# Nothing of negato is used. 200 random pairs: blobs, boxes and noise with holes, many of which touch the border, some
# with one voxel or none, on grids that are anisotropic down to 0.5 x 0.5 x 5 mm. Of every pair:
# - `size` (columns, rows, slices), `spacing` (the same order, in mm), `tolerance` (mm)
# - `masks`: one byte for each voxel, column by column, then rows, then slices: 1 truth, 2 test, 3 both; zlib, base64
# - `overlap`: LabelOverlapMeasuresImageFilter: Dice, Jaccard, false negative and false positive error, similarity
# - `surface`: surface-distance: areas, average and robust Hausdorff distances (95 and 100 %), surface Dice
# - `components`: for 6, 18 and 26 neighbours: of the truth, those that meet the test, those more than half of which are
#   in the test; and the same of the test
# Numbers that are not finite are null.
import base64
import json
import zlib

import numpy
import scipy.ndimage
import SimpleITK

# surface-distance 0.1 is older than numpy 2.
numpy.Inf, numpy.NaN = numpy.inf, numpy.nan
import surface_distance  # noqa: E402

random = numpy.random.default_rng(42)
SPACINGS = [(1, 1, 1), (0.5, 0.5, 5), (0.7, 0.7, 3), (0.976562, 0.976562, 1.25), (2, 1, 0.5), (5, 0.5, 0.5), (0.3, 1.7, 2.9)]


def blobs(shape):
    smooth = scipy.ndimage.gaussian_filter(random.standard_normal(shape), random.uniform(0.6, 2.5), mode='constant')
    return smooth > numpy.quantile(smooth, random.uniform(0.5, 0.97))


def boxes(shape):
    mask = numpy.zeros(shape, bool)
    for _ in range(random.integers(1, 4)):
        start = [random.integers(0, n) for n in shape]
        end = [random.integers(a, n) + 1 for a, n in zip(start, shape)]
        mask[tuple(slice(a, b) for a, b in zip(start, end))] = True
    if random.random() < 0.5:
        mask &= ~scipy.ndimage.binary_erosion(mask, iterations=2)
    return mask


def noise(shape):
    return random.random(shape) < random.uniform(0.02, 0.6)


def one(shape):
    mask = numpy.zeros(shape, bool)
    mask[tuple(random.integers(0, n) for n in shape)] = True
    return mask


def empty(shape):
    return numpy.zeros(shape, bool)


def full(shape):
    return numpy.ones(shape, bool)


def moved(mask):
    other = scipy.ndimage.shift(mask.astype(numpy.uint8), random.integers(-2, 3, 3), order=0).astype(bool)
    return other ^ (random.random(mask.shape) < 0.01)


def finite(value):
    # SimpleITK has the largest number for what cannot be divided.
    return float(value) if abs(value) < 1e300 else None


def overlap(truth, test):
    # The source is the test, the target is the truth.
    measures = SimpleITK.LabelOverlapMeasuresImageFilter()
    measures.Execute(*[SimpleITK.GetImageFromArray(mask.astype(numpy.uint8)) for mask in (test, truth)])
    return [finite(value) for value in (
        measures.GetDiceCoefficient(1), measures.GetJaccardCoefficient(1), measures.GetFalseNegativeError(1),
        measures.GetFalsePositiveError(1), measures.GetVolumeSimilarity(1))]


def surface(truth, test, spacing, tolerance):
    distances = surface_distance.compute_surface_distances(truth, test, spacing)
    with numpy.errstate(all='ignore'):
        there, back = surface_distance.compute_average_surface_distance(distances)
        return [finite(value) for value in (
            distances['surfel_areas_gt'].sum(), distances['surfel_areas_pred'].sum(), there, back,
            # So that rounding of sums does not decide where a share is exactly 95 %, as in pair 123.
            surface_distance.compute_robust_hausdorff(distances, 95 - 1e-9),
            surface_distance.compute_robust_hausdorff(distances, 100),
            surface_distance.compute_surface_dice_at_tolerance(distances, tolerance))]


def components(mask, other, neighbours):
    structure = scipy.ndimage.generate_binary_structure(3, {6: 1, 18: 2, 26: 3}[neighbours])
    labels, count = scipy.ndimage.label(mask, structure)
    sizes = numpy.bincount(labels.ravel(), minlength=count + 1)[1:]
    shared = numpy.bincount(labels[other].ravel(), minlength=count + 1)[1:]
    return [int(count), int((shared > 0).sum()), int((shared > 0.5 * sizes).sum())]


def record(at):
    shape = tuple(int(n) for n in random.integers(1 if at % 10 == 0 else 4, 25, 3))
    make = [blobs, boxes, noise, one, blobs, boxes][at % 6]
    truth = make(shape)
    test = [lambda: moved(truth), lambda: blobs(shape), lambda: boxes(shape)][at % 3]()
    if at % 25 == 7:
        truth = empty(shape)
    if at % 40 in (8, 7):
        test = empty(shape)
    if at % 50 == 11:
        test = full(shape)
    if at % 33 == 13:
        test = one(shape)
    if at % 20 == 19:
        test = truth
    spacing = SPACINGS[at % len(SPACINGS)]
    tolerance = [1, 2, 0.5, spacing[0]][at % 4]
    # Arrays are indexed by slice, row and column.
    sampling = spacing[::-1]
    return {
        'size': list(shape[::-1]),
        'spacing': list(spacing),
        'tolerance': tolerance,
        'masks': base64.b64encode(zlib.compress((truth + 2 * test.astype(numpy.uint8)).astype(numpy.uint8).tobytes(), 9)).decode(),
        'overlap': overlap(truth, test),
        'surface': surface(truth, test, sampling, tolerance),
        'components': {str(n): [components(truth, test, n), components(test, truth, n)] for n in (6, 18, 26)},
    }


print(json.dumps({
    'versions': {'SimpleITK': SimpleITK.Version_VersionString(), 'scipy': scipy.__version__, 'surface-distance': '0.1'},
    'pairs': [record(at) for at in range(200)],
}))
