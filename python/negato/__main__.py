"""The command `negato`, for machines where only pip is used: the same as the command of the npm package."""

from __future__ import annotations

import os
import subprocess
import sys

from ._errors import NodeNotFound
from ._node import find_dist, find_node


def main() -> int:
    try:
        command = [find_node(), str(find_dist() / "negato.js"), *sys.argv[1:]]
    except NodeNotFound as error:
        print(f"negato: {error}", file=sys.stderr)
        return 1
    if sys.platform != "win32":
        # The viewer takes the place of this process, so that signals and the exit status are its own.
        os.execv(command[0], command)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
