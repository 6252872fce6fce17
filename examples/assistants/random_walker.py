"""Finds the border between scribbles that are inside and outside (random walker of scikit-image) in the image that they are in.

    pip install scikit-image numpy
    python random_walker.py /data/study

A scribble is inside; with Alt it is outside. Both are needed.
"""

import sys

import numpy
from skimage.segmentation import random_walker

import negato


def segment(volume, prompts):
    painted = prompts.paint(volume.array.shape)[prompts.slice]
    if not (painted > 0).any() or not (painted < 0).any():
        raise ValueError("scribble inside first, and then outside with Alt")
    image = volume.array[prompts.slice].astype(float)
    spread = image.std()
    image = (image - image.mean()) / (spread if spread > 0 else 1)
    # Labels of scikit-image: 1 inside, 2 outside, 0 unknown.
    labels = numpy.where(painted > 0, 1, numpy.where(painted < 0, 2, 0))
    return random_walker(image, labels, beta=90, mode="cg_j") == 1


def add_to(viewer):
    viewer.assistant("Random walker", prompts=("scribble", "box", "point"), dimensions=2)(segment)


if __name__ == "__main__":
    with negato.view(sys.argv[1]) as viewer:
        add_to(viewer)
        input("Enter ends the viewer. ")
