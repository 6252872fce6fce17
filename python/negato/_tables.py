"""Tables go out as DataFrames where pandas is installed, and come in from any library of DataFrames."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:  # pragma: no cover
    import pandas

#: A DataFrame if pandas is installed, else a list of dicts.
Table = Union["pandas.DataFrame", "list[dict[str, Any]]"]


def to_table(rows: Sequence[Mapping[str, Any]], columns: Optional[Sequence[str]] = None) -> Any:
    try:
        import pandas
    except ImportError:
        return list(rows)
    return pandas.DataFrame(list(rows), columns=None if columns is None else list(columns))


def to_records(table: Any, name: str = "rows") -> list[dict[str, Any]]:
    """The rows of a DataFrame of pandas, polars or another library, of a table of Arrow, or of a list of dicts. What is missing
    (None, NaN, NaT) is None."""
    if hasattr(table, "to_dicts"):  # polars
        rows = table.to_dicts()
    elif hasattr(table, "to_pylist"):  # Arrow
        rows = table.to_pylist()
    elif hasattr(table, "to_dict"):  # pandas
        rows = table.to_dict("records")
    elif isinstance(table, Mapping):
        rows = [table]
    elif hasattr(table, "__arrow_c_stream__") or hasattr(table, "__dataframe__"):
        rows = _exchange(table)
    else:
        rows = table
    if isinstance(rows, (str, bytes)) or not hasattr(rows, "__iter__"):
        raise TypeError(f"{name} must be a DataFrame or a list of dicts, not {type(table).__name__}")
    listed = list(rows)
    for row in listed:
        if not isinstance(row, Mapping):
            raise TypeError(f"{name} must be a DataFrame or a list of dicts, and has {type(row).__name__}: {row!r:.80}")
    return [{str(key): _plain(value) for key, value in row.items()} for row in listed]


def _exchange(table: Any) -> list[dict[str, Any]]:
    """By the protocols that libraries of tables have in common: that of Arrow, and the older one of DataFrames."""
    if hasattr(table, "__arrow_c_stream__"):
        with contextlib.suppress(ImportError):
            import pyarrow

            return pyarrow.table(table).to_pylist()
    if hasattr(table, "__dataframe__"):
        with contextlib.suppress(ImportError):
            from pandas.api.interchange import from_dataframe

            return from_dataframe(table).to_dict("records")
    raise TypeError(f"a table of {type(table).__module__} needs pyarrow or pandas to be read; or pass a list of dicts")


def _plain(value: Any) -> Any:
    """Numbers of numpy are numbers of Python, arrays are lists, and what is missing is None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    # NaN and NaT are not equal to themselves.
    return None if isinstance(value, float) and value != value or type(value).__name__ in _MISSING else value


_MISSING = ("NaTType", "NAType")


def require(row: Mapping[str, Any], fields: Sequence[str], name: str, at: int) -> None:
    missing = [field for field in fields if row.get(field) is None]
    if missing:
        has = ", ".join(map(str, row)) or "nothing"
        raise ValueError(f"{name}[{at}] needs {', '.join(fields)}; {', '.join(missing)} is missing, and there is {has}")
