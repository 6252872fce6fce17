"""How far two layers over a series agree."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from ._labels import choose_layers

_COMPONENTS = ("truth", "found", "missed", "test", "false")


class Comparison:
    """What `Viewer.compare` returns: a row of numbers for each pair of parts."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        #: The answer of `/api/compare`, with what was compared on which grid.
        self.answer = answer

    @property
    def only_truth(self) -> list[dict[str, Any]]:
        """Parts of the truth without a partner."""
        return list(self.answer["only_truth"])

    @property
    def only_test(self) -> list[dict[str, Any]]:
        """Parts of the test without a partner."""
        return list(self.answer["only_test"])

    @property
    def notes(self) -> list[str]:
        """How areas became samples, and what was left out."""
        return list(self.answer["notes"])

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each pair. What does not exist, such as a distance from nothing, is None."""
        return [_to_row(pair) for pair in self.answer["pairs"]]

    def table(self) -> Any:
        """The same as a DataFrame if pandas is installed, else as a list."""
        try:
            import pandas
        except ImportError:
            return self.rows()
        return pandas.DataFrame(self.rows())

    def __getitem__(self, name: str) -> dict[str, Any]:
        """The row of the part of the truth with a name."""
        found = [row for row in self.rows() if row["part"] == name]
        if len(found) != 1:
            known = ", ".join(row["part"] for row in self.rows()) or "none"
            raise KeyError(f"{'no' if not found else 'more than one'} pair is of {name!r}; there are {known}")
        return found[0]

    def __repr__(self) -> str:
        pairs = "".join(f"\n  {row['part']}: Dice {row['dice']:.4f}" for row in self.rows())
        return f"<Comparison of {self.answer['truth']['title']!r} and {self.answer['test']['title']!r}{pairs}>"


def _to_row(pair: Mapping[str, Any]) -> dict[str, Any]:
    numbers = dict(pair["numbers"])
    components = numbers.pop("components") or dict.fromkeys(_COMPONENTS)
    return {
        "part": pair["truth"]["name"],
        "test_part": pair["test"]["name"],
        "paired_by": pair["paired_by"],
        "truth_ml": pair["truth"]["volume_ml"],
        "test_ml": pair["test"]["volume_ml"],
        **numbers,
        **{f"components_{name}": components[name] for name in _COMPONENTS},
    }


def choose_side(found: Sequence[Mapping[str, Any]], side: Union[int, str]) -> Optional[Union[int, str]]:
    if side == "marks":
        return side
    if isinstance(side, bool) or not isinstance(side, (int, str)):
        raise ValueError(f"truth and test are a layer or 'marks', not {side!r}")
    return choose_layers(found, [side])[0]
