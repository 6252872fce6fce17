"""The process of the viewer: it is started, watched and stopped here."""

from __future__ import annotations

import atexit
import collections
import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from typing import Any, Callable, Mapping, Optional, Sequence

from ._errors import StartupError
from ._node import find_dist, find_node

LAST_LINES = 20

_running: "weakref.WeakSet[ViewerProcess]" = weakref.WeakSet()


class Launch:
    """How a viewer is started. It is started again when something is added to it."""

    def __init__(self, options: Sequence[str], token: Optional[str], timeout: float) -> None:
        self.options = list(options)
        self.paths: list[str] = []
        self.overlays: list[str] = []
        self.token = token
        self.timeout = timeout

    def start(self, port: int, *extra: str) -> tuple[ViewerProcess, dict[str, Any]]:
        arguments = [*self.options, *extra, "--port", str(port)]
        for one in self.overlays:
            arguments += ["--overlay", one]
        # The token is never an argument, which other users could read.
        process = ViewerProcess(
            [*arguments, *(["--"] if self.paths else []), *self.paths],
            {"NEGATO_TOKEN": self.token} if self.token is not None else None,
        )
        return process, process.wait_until_listening(self.timeout)


class ViewerProcess:
    """One running viewer. Its standard input is a pipe of this process: when Python ends, however that happens, the
    system closes the pipe, and the viewer stops."""

    def __init__(self, arguments: Sequence[str], environment: Optional[Mapping[str, str]] = None) -> None:
        command = [
            find_node(),
            str(find_dist() / "negato.js"),
            "--startup-json",
            "--no-browser",
            "--stop-with-stdin",
            *arguments,
        ]
        # A group of its own: Ctrl+C in a terminal or an interrupted notebook cell must not stop the viewer.
        group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            **group,
        )
        self._owner = os.getpid()
        self._errors: "collections.deque[str]" = collections.deque(maxlen=LAST_LINES)
        self._events: dict[str, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._has_ended_output = False
        self._on_close: list[Callable[[], None]] = []
        for read in (self._read_events, self._read_errors):
            threading.Thread(target=read, daemon=True).start()
        _running.add(self)

    @property
    def pid(self) -> int:
        return self._child.pid

    def is_running(self) -> bool:
        return self._child.poll() is None

    def last_lines(self) -> str:
        return "\n".join(self._errors)

    def when_closed(self, action: Callable[[], None]) -> None:
        self._on_close.append(action)

    def wait_for(self, event: str, timeout: Optional[float]) -> Optional[dict[str, Any]]:
        """The event that the viewer reported; None if the time is over or the viewer has ended."""
        end = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while event not in self._events and not self._has_ended_output:
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._changed.wait(left)
            return self._events.get(event)

    def wait_until_listening(self, timeout: float) -> dict[str, Any]:
        started = self.wait_for("server_started", timeout)
        if started is not None:
            return started
        is_late = self.is_running()
        self.close(timeout=1)
        reason = f"the viewer did not listen within {timeout:g} s" if is_late else "the viewer ended at once"
        raise StartupError(f"{reason}:\n{self.last_lines()}")

    def close(self, timeout: float = 5.0, *, keep: bool = False) -> int:
        """Stops the viewer, removes what was written for it unless that is kept, and returns its exit status. Only the
        process that started it does so: a fork has a copy of this object, which must not stop the viewer of its
        parent."""
        if os.getpid() != self._owner:
            return 0
        child = self._child
        if child.poll() is None:
            _close_quietly(child.stdin)
            try:
                child.wait(timeout)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        _close_quietly(child.stdin)
        while self._on_close and not keep:
            self._on_close.pop()()
        return child.returncode

    def wait(self) -> int:
        """Blocks until the viewer ends by itself; Ctrl+C stops it."""
        try:
            return self._child.wait()
        except KeyboardInterrupt:
            return self.close()

    def terminate(self) -> None:
        if self.is_running():
            self._child.send_signal(signal.SIGTERM)

    def _read_events(self) -> None:
        stream = self._child.stdout
        assert stream is not None
        for line in stream:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            with self._changed:
                self._events[event.get("type", "")] = event
                self._changed.notify_all()
        stream.close()
        with self._changed:
            self._has_ended_output = True
            self._changed.notify_all()

    def _read_errors(self) -> None:
        stream = self._child.stderr
        assert stream is not None
        for line in stream:
            self._errors.append(line.decode("utf-8", "replace").rstrip())
        stream.close()


def _close_quietly(stream) -> None:
    try:
        stream.close()
    except OSError:
        pass  # The viewer has ended, and with it the other end of the pipe.


@atexit.register
def _close_all() -> None:
    for process in list(_running):
        process.close(timeout=2)
