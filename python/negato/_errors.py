"""Errors of this package. All of them are `negato.Error`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # pragma: no cover
    from typing import Any


class Error(RuntimeError):
    """Something that negato could not do."""


class NodeNotFound(Error):
    """There is no Node.js that can run the viewer."""


class StartupError(Error):
    """The viewer ended before it listened. The message has the last lines that it wrote."""


class NoFiles(Error):
    """The scan has ended, and nothing that was opened can be shown."""


class ViewerGone(Error):
    """The viewer has ended, so it can no longer answer."""


class RequestError(Error):
    """The viewer refused a request. `code` is the code of its API, such as `not_found`."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})" if code else message)
        self.status = status
        self.code = code
        self.message = message


class VolumeRefused(RequestError):
    """The images are no volume, or have no such samples. `reason` says why in a word: one of those of the API
    (`not_a_volume`, `no_geometry`, `orientation_varies`, `no_spacing` and so on), `no_suv` or `no_stored_samples`."""

    def __init__(self, status: int, code: str, message: str, reason: str) -> None:
        super().__init__(status, code, message)
        self.reason = reason


class MarkConflict(RequestError):
    """Somebody else has changed the marks or classes since they were read. Read them again, then write."""


class MarksRefused(Error):
    """Some marks could not be made; the others were. `answer` is that of the API, and `reasons` lists the first
    hundred of those that were refused."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        self.reasons = [(one["mark"], one["reason"]) for one in answer["reasons"]]
        first = "; ".join(f"{mark}: {reason}" for mark, reason in self.reasons[:3])
        super().__init__(f"{answer['refused']} marks were refused: {first}")


class AnnotationConflict(RequestError):
    """Somebody else has changed the ROIs since they were read. Read them again, then write."""
