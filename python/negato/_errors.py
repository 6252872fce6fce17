"""Errors of this package. All of them are `negato.Error`."""

from __future__ import annotations


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


class AnnotationConflict(RequestError):
    """Somebody else has changed the ROIs since they were read. Read them again, then write."""
