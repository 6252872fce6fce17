"""Opens DICOM files in a viewer, and gives its data back.

    import negato

    viewer = negato.view("/data/study")     # not blocking; inline in a notebook
    viewer.series()                         # a DataFrame if pandas is installed, else a list of dicts
    viewer.volume().array                   # the samples of a series as a numpy array
    viewer.labels().array                   # what lies over it
    viewer.marks()                          # what was drawn and measured
    viewer.close()

help(negato.view) and help(negato.Viewer) say the rest.
"""

from ._errors import (
    AnnotationConflict,
    Error,
    MarkConflict,
    MarksRefused,
    NodeNotFound,
    NoFiles,
    RequestError,
    StartupError,
    ViewerGone,
    VolumeRefused,
)
from ._version import VERSION as __version__

# Known to type checkers by this name. `typing` itself would take most of the time of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:  # pragma: no cover
    from ._assistants import AssistantVolume, Prompt, Prompts
    from ._labels import LabelVolume
    from ._viewer import Viewer, view
    from ._volume import Volume

__all__ = [
    "AnnotationConflict",
    "AssistantVolume",
    "Error",
    "LabelVolume",
    "MarkConflict",
    "MarksRefused",
    "NoFiles",
    "NodeNotFound",
    "Prompt",
    "Prompts",
    "RequestError",
    "StartupError",
    "Viewer",
    "ViewerGone",
    "Volume",
    "VolumeRefused",
    "__version__",
    "view",
]


_LATER = ("AssistantVolume", "LabelVolume", "Prompt", "Prompts", "Viewer", "Volume", "view")


def __getattr__(name: str):
    """`view` and what it returns are loaded when they are first used: an import that nothing follows costs nothing."""
    if name in _LATER:
        from . import _assistants, _labels, _viewer, _volume

        globals().update(
            AssistantVolume=_assistants.AssistantVolume,
            LabelVolume=_labels.LabelVolume,
            Prompt=_assistants.Prompt,
            Prompts=_assistants.Prompts,
            Viewer=_viewer.Viewer,
            Volume=_volume.Volume,
            view=_viewer.view,
        )
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
