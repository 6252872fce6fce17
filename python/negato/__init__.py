"""Opens DICOM files in a viewer, and gives its data back.

>>> import negato
>>> viewer = negato.view("/data/study")     # not blocking; inline in a notebook
>>> viewer.files()                          # a DataFrame if pandas is installed, else a list of dicts
>>> viewer.frame(0)                         # the samples as a numpy array
>>> viewer.annotations()                    # the ROIs that were drawn
>>> viewer.close()
"""

from ._errors import (
    AnnotationConflict,
    Error,
    NodeNotFound,
    NoFiles,
    RequestError,
    StartupError,
    ViewerGone,
)
from ._version import VERSION as __version__
from ._viewer import Viewer, view

__all__ = [
    "AnnotationConflict",
    "Error",
    "NoFiles",
    "NodeNotFound",
    "RequestError",
    "StartupError",
    "Viewer",
    "ViewerGone",
    "__version__",
    "view",
]
