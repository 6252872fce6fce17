"""Grows from the points that are inside, to values like those around them (ConfidenceConnected of SimpleITK).

    pip install simpleitk numpy
    python confidence_connected.py /data/study
"""

import sys

import numpy
import SimpleITK as sitk

import negato


def segment(volume, prompts):
    seeds = [one.points[0] for one in prompts if one.positive]
    if not seeds:
        raise ValueError("click on what is inside first")
    image = sitk.Cast(sitk.GetImageFromArray(volume.array), sitk.sitkFloat32)
    found = sitk.ConfidenceConnected(
        image,
        # SimpleITK counts columns first.
        seedList=[tuple(int(axis) for axis in seed[::-1]) for seed in seeds],
        numberOfIterations=2,
        multiplier=2.5,
        initialNeighborhoodRadius=1,
    )
    mask = sitk.GetArrayFromImage(found) > 0
    # What is connected with a point that is outside leaves the mask.
    parts = sitk.GetArrayFromImage(sitk.ConnectedComponent(sitk.GetImageFromArray(mask.astype("u1"))))
    for one in prompts:
        part = parts[tuple(one.points[0])]
        if not one.positive and part > 0:
            mask &= parts != part
    return mask


def add_to(viewer):
    viewer.assistant("Grow by confidence", prompts=("point",), unit="modality")(segment)


if __name__ == "__main__":
    with negato.view(sys.argv[1]) as viewer:
        add_to(viewer)
        input("Enter ends the viewer. ")
