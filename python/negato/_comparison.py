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

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The slices in which the two differ, a dict for each slice of each pair, the first slice first.

        Samples that only the test has (`false_positive`) or only the truth (`false_negative`), and one of these samples by its
        `column` and `row`. ValueError without `errors=True`.
        """
        found = [
            {"part": pair["truth"]["name"], "test_part": pair["test"]["name"], **one}
            for pair, listed in self._listed()
            for one in listed["slices"]
        ]
        return sorted(found, key=lambda one: int(one["slice"]))

    @property
    def worst_slice(self) -> Optional[int]:
        """The slice with most wrong samples of all pairs, the first of several; None if the two do not differ."""
        wrong: dict[int, int] = {}
        for one in self.errors:
            wrong[one["slice"]] = wrong.get(one["slice"], 0) + one["false_positive"] + one["false_negative"]
        return max(wrong, key=lambda at: wrong[at]) if wrong else None

    @property
    def largest_errors(self) -> list[dict[str, Any]]:
        """For each pair the largest component that is false, and the largest that is missed; None if there is none."""
        return [
            {
                "part": pair["truth"]["name"],
                "largest_false": listed["largest_false"],
                "largest_missed": listed["largest_missed"],
            }
            for pair, listed in self._listed()
        ]

    def _listed(self) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        pairs = self.answer["pairs"]
        if any(pair["errors"] is None for pair in pairs):
            raise ValueError("errors were not asked for: compare(..., errors=True) lists them")
        return [(pair, pair["errors"]) for pair in pairs]

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
