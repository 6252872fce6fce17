"""Where a notebook shows the viewer, and how."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TYPE_CHECKING, Optional

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


def shows_frames() -> bool:
    """Whether the browser that shows the notebook can reach this machine. Colab's cannot; it shows the link."""
    import sys

    return is_notebook() and "google.colab" not in sys.modules


def embedders() -> list[str]:
    """The pages that may frame the viewer: those of the notebook server that runs this kernel."""
    if os.environ.get("NEGATO_URL_TEMPLATE") or os.environ.get("JUPYTERHUB_SERVICE_PREFIX"):
        return ["self"]
    if _is_vscode():
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
    server = None if _is_vscode() else _find_server()
    if server is not None and _has_proxy():
        return f"{server.get('base_url', '/').rstrip('/')}/proxy/{port}/"
    return f"{base_url}/"


def display_inline(viewer: "Viewer", height: int, width: str) -> None:
    from IPython.display import display

    own = viewer._started
    place = address(own["base_url"], own["port"])
    # The output of a cell is saved with the notebook. It has a ticket, which the page trades for the token at once, so
    # that the file holds nothing that opens anything.
    ticket = "" if own["token"] is None else f"#ticket={viewer._issue_ticket()}"
    display(
        {
            "text/html": frame_html(place, ticket, height, width),
            "text/plain": f"negato viewer at {own['base_url']} (it ends with this kernel)",
        },
        raw=True,
    )


def frame_html(place: str, fragment: str, height: int, width: str) -> str:
    """A frame with the viewer as long as it runs. In a notebook that is opened later, the text stays."""
    import uuid

    identity = f"negato-{uuid.uuid4().hex}"
    # In a script, a text must not end it.
    settings = json.dumps(
        {"id": identity, "place": place, "fragment": fragment, "height": int(height), "width": width}
    ).replace("<", "\\u003c")
    return (
        f'<div id="{identity}" style="font-family: sans-serif">'
        "negato: this viewer has ended, or the notebook is not trusted. Run the cell again to open it."
        "</div>"
        f"<script>({_SCRIPT})({settings});</script>"
    )


# Behind a proxy the answer tells whether the viewer runs. Of another origin nothing can be read; its page tells by itself
# that it is there, and until then the text stays.
_SCRIPT = """async ({ id, place, fragment, height, width }) => {
  const box = document.getElementById(id);
  if (box === null) return;
  const isNear = new URL(place, location.href).origin === location.origin;
  if (isNear && (await fetch(place, { cache: 'no-store' }).catch(() => ({}))).ok !== true) return;
  const frame = document.createElement('iframe');
  frame.src = place + fragment;
  frame.width = width;
  frame.height = isNear ? height : 0;
  frame.style.border = '0';
  frame.allow = 'clipboard-write; fullscreen';
  frame.title = 'negato';
  if (isNear) {
    box.replaceChildren(frame);
    return;
  }
  box.append(frame);
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow || data !== 'negato') return;
    if (box.firstChild !== frame) box.firstChild.remove();
    frame.height = height;
  });
}"""


def _is_vscode() -> bool:
    """VS Code shows notebooks in pages of its own, and forwards the ports of another machine."""
    return "VSCODE_PID" in os.environ


def _has_proxy() -> bool:
    from importlib.util import find_spec

    return find_spec("jupyter_server_proxy") is not None


def _find_server() -> Optional[dict[str, Any]]:
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


def _runtime_folders() -> list[Path]:
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
