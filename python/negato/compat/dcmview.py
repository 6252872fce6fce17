"""`view` with the parameters and habits of dcmview_py: change only the import."""

from __future__ import annotations

import os
import subprocess
import webbrowser
from typing import Any, Iterable, Optional, Union

from .._errors import StartupError
from .._process import ViewerProcess

Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]


class ShutdownHandle:
    """A running viewer: `url`, `base_url`, `token`, and `stop`, which returns the exit status."""

    def __init__(self, process: ViewerProcess, started: dict[str, Any]) -> None:
        self._process = process
        self.url: str = started["url"]
        self.base_url: str = started["base_url"]
        self.token: Optional[str] = started["token"]

    def stop(self, timeout: float = 5.0) -> int:
        return self._process.close(timeout)

    def __enter__(self) -> ShutdownHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def view(
    files: Paths,
    port: int = 0,
    host: str = "127.0.0.1",
    browser: bool = True,
    block: bool = True,
    recursive: bool = True,
    timeout: Optional[int] = None,
    annotations: Union[str, "os.PathLike[str]", None] = None,
    filters: Optional[Iterable[str]] = None,
    mask: bool = False,
    vscode_bridge: bool = False,
) -> Optional[ShutdownHandle]:
    """Opens files. With `block` it returns None once the viewer has ended, else a handle that stops it.

    Raises ValueError and TypeError for wrong arguments, and CalledProcessError with the output if the viewer fails.
    """
    paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if not paths:
        raise ValueError("files must not be empty")
    if not isinstance(port, int) or isinstance(port, bool):
        raise TypeError("port must be an int")
    if not 0 <= port <= 65535:
        raise ValueError("port must be between 0 and 65535")
    arguments = ["--port", str(port), "--host", host]
    if mask:
        arguments.append("--mask")
    if not recursive:
        arguments.append("--no-recursive")
    if timeout is not None:
        arguments += ["--timeout", str(timeout)]
    if annotations is not None:
        arguments += ["--annotations", os.fspath(annotations)]
    for one in filters or ():
        arguments += ["--filter", one]
    process = ViewerProcess([*arguments, "--", *(os.fspath(path) for path in paths)])
    try:
        started = process.wait_until_listening(30.0)
    except StartupError as error:
        status = process.close()
        raise subprocess.CalledProcessError(status or 1, "negato", stderr=str(error)) from error
    if browser and not vscode_bridge:
        webbrowser.open(started["url"])
    if not block:
        return ShutdownHandle(process, started)
    status = process.wait()
    if status != 0:
        raise subprocess.CalledProcessError(status, "negato", stderr=process.last_lines())
    return None
