"""A tile in the launcher of JupyterLab, by jupyter-server-proxy: the viewer over a socket file, without any port."""

from __future__ import annotations

import os
import sys
from typing import Any
from urllib.parse import urlsplit


def setup_negato() -> dict[str, Any]:
    command = [sys.executable, "-m", "negato", "--no-browser", "--unix-socket", "{unix_socket}"]
    # Requests keep the name by which the browser reaches the hub. The socket is reached through the hub only.
    public = os.environ.get("JUPYTERHUB_PUBLIC_URL") or os.environ.get("JUPYTERHUB_HOST")
    host = urlsplit(public).hostname if public else None
    if host:
        command += ["--allow-host", host]
    return {
        "command": [*command, "."],
        "unix_socket": True,
        "timeout": 30,
        "launcher_entry": {"title": "negato (DICOM)", "category": "Notebook"},
        "new_browser_tab": True,
    }
