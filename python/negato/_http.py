"""Requests to the viewer, over one connection that stays open."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional
from urllib.parse import urlsplit

from ._errors import AnnotationConflict, MarkConflict, RequestError, ViewerGone

if TYPE_CHECKING:  # pragma: no cover
    import http.client


class Answer:
    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    def __init__(self, base_url: str, token: Optional[str], describe_end) -> None:
        address = urlsplit(base_url)
        self._host = address.hostname or "127.0.0.1"
        self._port = address.port or 80
        self._prefix = address.path.rstrip("/")
        self._token = token
        self._describe_end = describe_end
        self._lock = threading.Lock()
        self._connection: Optional[http.client.HTTPConnection] = None
        self._owner = os.getpid()

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Optional[bytes] = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: float = 120.0,
    ) -> Answer:
        return self._ask(method, path, body, headers, timeout, lambda response: response.read())

    def receive(self, path: str, read: Callable[[http.client.HTTPResponse], Any], timeout: float = 600.0) -> Any:
        """What `read` makes of the body of an answer, which is not held in memory."""
        return self._ask("GET", path, None, None, timeout, read).body

    def _ask(self, method, path, body, headers, timeout, read) -> Answer:
        sent = dict(headers or {})
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        with self._lock:
            if os.getpid() != self._owner:
                # A forked process shares the socket with its parent, and their requests would mix.
                self._connection, self._owner = None, os.getpid()
            answer = self._send(method, path, body, sent, timeout, read)
        if answer.status < 400:
            return answer
        raise _to_error(answer)

    def _send(self, method, path, body, headers, timeout, read) -> Answer:
        # Loaded with the first request, because it takes half of the time of importing this package.
        import http.client

        # A connection that was idle may have been closed by the server; a new one tells whether the server is there.
        for is_last in (False, True):
            if self._connection is None:
                self._connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
                is_last = True
            try:
                self._connection.request(method, f"{self._prefix}/api{path}", body=body, headers=headers)
                response = self._connection.getresponse()
                made = response.read() if response.status >= 400 else read(response)
                # What is not read whole would be in front of the next answer.
                if not response.isclosed() and response.read(1):
                    raise http.client.HTTPException("the answer is longer than it should be")
                return Answer(response.status, response.headers, made)  # type: ignore[arg-type]
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                self._connection = None
                if is_last or isinstance(error, TimeoutError):
                    raise ViewerGone(self._describe_end(error)) from error
            except BaseException:
                self._connection.close()
                self._connection = None
                raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


_KINDS = {"stale_annotation": AnnotationConflict, "stale_mark": MarkConflict, "stale_labels": MarkConflict}


def _to_error(answer: Answer) -> RequestError:
    try:
        told = answer.json()
        code, message = str(told.get("code", "")), str(told.get("error", ""))
    except (ValueError, AttributeError):
        code, message = "", answer.body[:200].decode("utf-8", "replace")
    return _KINDS.get(code, RequestError)(answer.status, code, message or f"status {answer.status}")
