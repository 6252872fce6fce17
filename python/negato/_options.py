"""The options of the command `negato`, as parameters of `view`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

if TYPE_CHECKING:  # pragma: no cover
    from ._objects import PrivateFolder

#: Options of the command that `view` has no parameter for, and what there is instead. A test compares the options of `negato --help`
#: with these and the parameters.
NOT_PARAMETERS = {
    "--demo": "source=None",
    "--unix-socket": "the viewer of Python listens on a port",
    "--truth": "Viewer.compare",
    "--test": "Viewer.compare",
    "--stop-with-stdin": "always",
    "--no-browser": "always; browser=True opens one",
    "--startup-json": "always",
    "--version": "negato.__version__",
    "--help": "help(negato.view)",
}


def to_arguments(given: Mapping[str, Any], folder: "PrivateFolder") -> list[str]:
    """The options for parameters of `view` that are not None. A mistake is told with the parameter and what it takes."""
    arguments: list[str] = []
    for name, value in given.items():
        if value is not None:
            flag, read = PARAMETERS[name]
            arguments += read(name, flag, value, folder)
    return arguments


def refuse(name: str, takes: str, value: Any) -> Exception:
    """TypeError for a value of a wrong type, as Python's own."""
    shown = repr(value)
    return TypeError(f"{name} must be {takes}, not {shown if len(shown) < 80 else type(value).__name__}")


def check_pair(name: str, value: Any) -> tuple[float, float]:
    """A window: (center, width)."""
    try:
        center, width = value
        pair = (float(center), float(width))
    except (TypeError, ValueError):
        raise refuse(name, "(center, width), two numbers", value) from None
    if not pair[1] > 0:
        raise ValueError(f"{name} must have a width above 0, not {value!r}")
    return pair


def check_choice(name: str, value: Any, known: Iterable[str]) -> str:
    known = tuple(known)
    if value not in known:
        listed = ", ".join(map(repr, known[:-1])) + f" or {known[-1]!r}"
        raise ValueError(f"{name} must be {listed}, not {value!r}")
    return value


def check_whole(name: str, value: Any, least: int = 0) -> int:
    # numpy has whole numbers of its own, which have this method.
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise refuse(name, "a whole number", value)
    number = value.__index__()
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")
    return number


def check_switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise refuse(name, "True or False", value)
    return value


def _on(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    return [flag] if check_switch(name, value) else []


def _off(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    return [] if check_switch(name, value) else [flag]


def _whole(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    return [flag, str(check_whole(name, value))]


def _number(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refuse(name, "a number", value)
    return [flag, str(int(value) if value == int(value) else float(value))]


def _text(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    if not isinstance(value, str):
        raise refuse(name, "a text", value)
    return [flag, value]


def _size(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise refuse(name, "a size such as '2G', or a number of bytes", value)
    return [flag, str(value)]


def _seed(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise refuse(name, "a text or a whole number", value)
    return [flag, str(value)]


def _texts(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    listed = [value] if isinstance(value, str) else value
    texts = list(listed) if isinstance(listed, Iterable) else []
    if not isinstance(listed, Iterable) or not all(isinstance(one, str) for one in texts):
        raise refuse(name, "a text or a list of them", value)
    return [part for one in texts for part in (flag, one)]


def _path(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    if not isinstance(value, (str, os.PathLike)):
        raise refuse(name, "a path", value)
    return [flag, os.path.expanduser(os.fspath(value))]


def _paths(name: str, flag: str, value: Any, folder: "PrivateFolder") -> list[str]:
    listed = [value] if isinstance(value, (str, os.PathLike)) else value
    if not isinstance(listed, Iterable):
        raise refuse(name, "a path or a list of them", value)
    return [part for one in listed for part in _path(name, flag, one, folder)]


def _json(name: str, flag: str, value: Any, folder: "PrivateFolder") -> list[str]:
    """A path, or what its JSON would have."""
    if isinstance(value, (str, os.PathLike)):
        return _path(name, flag, value, folder)
    if not isinstance(value, (Mapping, list)):
        raise refuse(name, "the path of a JSON file, or what is in it as a dict or list", value)
    path = os.path.join(folder.make(), f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"classes": value} if name == "classes" and isinstance(value, list) else value, file)
    return [flag, path]


def _filters(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    if isinstance(value, Mapping):
        value = [f"{field}={one}" for field, one in value.items()]
    return _texts(name, flag, value, _folder)


def _watch(name: str, flag: str, value: Any, folder: "PrivateFolder") -> list[str]:
    if isinstance(value, bool):
        return ["--watch"] if value else []
    if not isinstance(value, (int, float)):
        raise refuse(name, "True, False or a number of seconds", value)
    return _number(name, "--watch-poll", value, folder)


def _restore(name: str, _flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    return ["--restore" if check_switch(name, value) else "--forget"]


def _token(name: str, flag: str, value: Any, _folder: "PrivateFolder") -> list[str]:
    # A token is never an argument, which other users could read; it goes into the environment.
    if isinstance(value, bool):
        return [flag if value else "--no-token"]
    if not isinstance(value, str):
        raise refuse(name, "a text of at least 32 characters, True or False", value)
    return [flag]


Reader = Callable[[str, str, Any, "PrivateFolder"], "list[str]"]

#: By the parameter: the option, and what makes arguments of a value.
PARAMETERS: dict[str, tuple[str, Reader]] = {
    "filters": ("--filter", _filters),
    "recursive": ("--no-recursive", _off),
    "watch": ("--watch", _watch),
    "archives": ("--no-archives", _off),
    "anonymous": ("--anonymous", _on),
    "profile": ("--profile", _text),
    "endpoint": ("--endpoint", _text),
    "region": ("--region", _text),
    "bearer_command": ("--bearer-command", _text),
    "origin_requests": ("--origin-requests", _whole),
    "origin_timeout": ("--origin-timeout", _number),
    "max_objects": ("--max-objects", _whole),
    "cache_dir": ("--cache-dir", _path),
    "cache_size": ("--cache-size", _size),
    "mask": ("--mask", _on),
    "mask_key": ("--mask-key", _path),
    "index": ("--index", _paths),
    "where": ("--where", _text),
    "annotations": ("--annotations", _path),
    "scores": ("--scores", _path),
    "hanging": ("--hanging", _json),
    "review": ("--review", _paths),
    "reader": ("--reader", _text),
    "units": ("--units", _text),
    "scheme": ("--scheme", _json),
    "blind": ("--blind", _seed),
    "second": ("--second", _on),
    "classes": ("--labels", _json),
    "assist": ("--assist", _texts),
    "restore": ("--restore", _restore),
    "host": ("--host", _text),
    "base_path": ("--base-path", _text),
    "tunnel": ("--tunnel", _text),
    "tunnel_port": ("--tunnel-port", _whole),
    "dicomweb": ("--dicomweb", _on),
    "dicomweb_origins": ("--dicomweb-origin", _texts),
    "timeout": ("--timeout", _whole),
    "memory": ("--memory", _size),
    "cache_budget": ("--cache-budget", _size),
    "insecure_http": ("--insecure-http", _on),
    "token": ("--token", _token),
    "allow_hosts": ("--allow-host", _texts),
    "embed": ("--embed", _texts),
    "log_level": ("--log-level", _text),
}

#: Options that other parameters of `view` stand for, or values of those above.
OTHER_PARAMETERS = {
    "--overlay": "overlays",
    "--port": "port",
    "--watch-poll": "watch",
    "--forget": "restore",
    "--no-token": "token",
}
