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

# Known to type checkers by this name. `typing` itself would take most of the time of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:  # pragma: no cover
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


def __getattr__(name):
    """`view` and `Viewer` are loaded when they are first used: an import that nothing follows costs nothing."""
    if name in ("Viewer", "view"):
        from . import _viewer

        globals().update(Viewer=_viewer.Viewer, view=_viewer.view)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
