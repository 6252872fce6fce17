"""Where a notebook shows the viewer, and how."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:  # pragma: no cover
    from ._viewer import Viewer


def is_notebook() -> bool:
    """Whether output is shown below cells. IPython in a terminal has no cells."""
    import sys

    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and hasattr(running, "kernel")


def embedders() -> "list[str]":
    """The pages that may frame the viewer: those of the notebook server that runs this kernel."""
    if os.environ.get("NEGATO_URL_TEMPLATE") or os.environ.get("JUPYTERHUB_SERVICE_PREFIX"):
        return ["self"]
    if "VSCODE_PID" in os.environ:
        return ["vscode-webview:", "self"]
    server = _find_server()
    if server is None:
        return ["self"]
    port = server.get("port")
    return ["self", f"http://127.0.0.1:{port}", f"http://localhost:{port}"]


def address(base_url: str, port: int) -> str:
    """The address of the viewer as the browser of the notebook reaches it."""
    template = os.environ.get("NEGATO_URL_TEMPLATE")
    if template:
        return template.replace("{port}", str(port))
    prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if prefix:
        return f"{prefix.rstrip('/')}/proxy/{port}/"
    server = _find_server()
    if server is not None and _has_proxy():
        return f"{server.get('base_url', '/').rstrip('/')}/proxy/{port}/"
    return f"{base_url}/"


def display_inline(viewer: "Viewer", height: int, width: str) -> None:
    from IPython.display import display

    own = viewer._started
    place = address(own["base_url"], own["port"])
    # The output of a cell is saved with the notebook, and the token with it. It ends with the viewer.
    fragment = "" if own["token"] is None else f"#token={own['token']}"
    frame = (
        f'<iframe src="{html.escape(place + fragment)}" width="{html.escape(width)}" height="{int(height)}" '
        'style="border:0" allow="clipboard-write"></iframe>'
    )
    display(
        {"text/html": frame, "text/plain": f"negato viewer at {own['base_url']} (it ends with this kernel)"},
        raw=True,
    )


def _has_proxy() -> bool:
    from importlib.util import find_spec

    return find_spec("jupyter_server_proxy") is not None


def _find_server() -> Optional[dict]:
    """What the notebook server that started this kernel says of itself. Servers are told apart by their process."""
    parent = os.environ.get("JPY_PARENT_PID")
    if not parent:
        return None
    for folder in _runtime_folders():
        path = folder / f"jpserver-{parent}.json"
        try:
            return json.loads(path.read_text())
        except (OSError, ValueError):
            continue
    return None


def _runtime_folders() -> "list[Path]":
    named = os.environ.get("JUPYTER_RUNTIME_DIR")
    data = os.environ.get("JUPYTER_DATA_DIR")
    home = Path.home()
    folders = [Path(named)] if named else []
    if data:
        folders.append(Path(data) / "runtime")
    xdg = os.environ.get("XDG_DATA_HOME")
    folders.append((Path(xdg) if xdg else home / ".local" / "share") / "jupyter" / "runtime")
    folders.append(home / "Library" / "Jupyter" / "runtime")
    appdata = os.environ.get("APPDATA")
    if appdata:
        folders.append(Path(appdata) / "jupyter" / "runtime")
    return folders
