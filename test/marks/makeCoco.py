# Records masks as pycocotools packs and measures them.
#
#   pip install pycocotools && python3 makeCoco.py > coco.json
#
# Nothing of negato is used. `pixels` are the rows of the mask, `counts` the text that pycocotools makes of it, and `bbox`
# and `area` are what it measures.
import json

import numpy
from pycocotools import mask

random = numpy.random.default_rng(22)


def record(pixels):
    packed = mask.encode(numpy.asfortranarray(pixels.astype("uint8")))
    return {
        "pixels": ["".join("#" if pixel else "." for pixel in row) for row in pixels],
        "counts": packed["counts"].decode("ascii"),
        "area": int(mask.area(packed)),
        "bbox": [float(value) for value in mask.toBbox(packed)],
    }


blob = numpy.hypot(*(numpy.indices((40, 60)) - numpy.array([[[22]], [[31]]]))) < 15
masks = [
    random.random((7, 5)) < 0.5,
    random.random((3, 40)) < 0.1,
    numpy.ones((4, 6)),
    numpy.pad(numpy.ones((2, 3)), ((5, 1), (0, 9))),
    blob,
    blob & (random.random((40, 60)) < 0.9),
]
print(json.dumps([record(numpy.asarray(one, dtype=bool)) for one in masks], indent=1))
