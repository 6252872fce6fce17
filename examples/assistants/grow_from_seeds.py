"""Gives each voxel to the seeds that it is reached from by the smallest steps of value: a watershed of the gradient, as "Grow from
seeds" of 3D Slicer does with its own method. Works in the part of the volume around the seeds.

    pip install scikit-image numpy
    python grow_from_seeds.py /data/study
"""

import sys

import numpy
from skimage.filters import sobel
from skimage.segmentation import watershed

import negato

#: Voxels around the seeds that are looked at.
MARGIN = (4, 40, 40)


def segment(volume, prompts):
    painted = prompts.paint(volume.array.shape)
    if not (painted > 0).any() or not (painted < 0).any():
        raise ValueError("draw seeds inside first, and then outside with Alt")
    ends = [(axis.min(), axis.max() + 1) for axis in numpy.nonzero(painted)]
    box = tuple(
        slice(max(0, low - margin), min(size, high + margin))
        for (low, high), margin, size in zip(ends, MARGIN, painted.shape)
    )
    seeds = numpy.where(painted[box] > 0, 1, numpy.where(painted[box] < 0, 2, 0))
    mask = numpy.zeros(painted.shape, bool)
    mask[box] = watershed(sobel(volume.array[box].astype(float)), seeds) == 1
    return mask


def add_to(viewer):
    viewer.assistant("Grow from seeds", prompts=("scribble", "box", "point"), unit="modality")(segment)


if __name__ == "__main__":
    with negato.view(sys.argv[1]) as viewer:
        add_to(viewer)
        input("Enter ends the viewer. ")
