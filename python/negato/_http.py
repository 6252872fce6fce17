"""Requests to the viewer, over one connection that stays open."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any, Mapping, Optional
from urllib.parse import urlsplit

from ._errors import AnnotationConflict, RequestError, ViewerGone

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
        self._connection: "Optional[http.client.HTTPConnection]" = None
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
        sent = dict(headers or {})
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        with self._lock:
            if os.getpid() != self._owner:
                # A forked process shares the socket with its parent, and their requests would mix.
                self._connection, self._owner = None, os.getpid()
            answer = self._send(method, path, body, sent, timeout)
        if answer.status < 400:
            return answer
        raise _to_error(answer)

    def _send(self, method, path, body, headers, timeout) -> Answer:
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
                return Answer(response.status, response.headers, response.read())
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                self._connection = None
                if is_last or isinstance(error, TimeoutError):
                    raise ViewerGone(self._describe_end(error)) from error
        raise AssertionError("unreachable")

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _to_error(answer: Answer) -> RequestError:
    try:
        told = answer.json()
        code, message = str(told.get("code", "")), str(told.get("error", ""))
    except (ValueError, AttributeError):
        code, message = "", answer.body[:200].decode("utf-8", "replace")
    kind = AnnotationConflict if code == "stale_annotation" else RequestError
    return kind(answer.status, code, message or f"status {answer.status}")
