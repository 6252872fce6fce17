"""Writes kappa.json: Cohen's kappa of pairs of answers by scikit-learn, and its 95 % interval by statsmodels.

pip install scikit-learn==1.9.1 statsmodels==0.15.0
python3 makeKappa.py > kappa.json
"""

import json
import random
import sys

import numpy
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import cohens_kappa

random.seed(20261119)


def record(categories, first, second):
    table = confusion_matrix(first, second, labels=categories)
    case = {"categories": categories, "pairs": [list(pair) for pair in zip(first, second)]}
    for name, weights, wt in (("none", None, None), ("linear", "linear", "linear"), ("quadratic", "quadratic", "quadratic")):
        value = cohen_kappa_score(first, second, labels=categories, weights=weights)
        if numpy.isnan(value):
            case[name] = None
            continue
        found = cohens_kappa(table, wt=wt)
        assert abs(found.kappa - value) < 1e-12, (found.kappa, value)
        error = found.std_kappa
        case[name] = {"value": value, "low": max(-1, found.kappa_low), "high": min(1, found.kappa_upp)}
        assert error >= 0
    return case


def draw(categories, count, agreement):
    first = [random.choice(categories) for _ in range(count)]
    second = [one if random.random() < agreement else random.choice(categories) for one in first]
    return first, second


cases = []
VERDICTS = ["accept", "reject", "unsure"]
for count, agreement in ((200, 0.8), (37, 0.5), (500, 0.0), (12, 0.9)):
    cases.append(record(VERDICTS, *draw(VERDICTS, count, agreement)))
cases.append(record(["accept", "reject"], *draw(["accept", "reject"], 60, 0.7)))
SCORES = [1, 2, 3, 4, 5]
for count, agreement in ((150, 0.6), (80, 0.3)):
    cases.append(record(SCORES, *draw(SCORES, count, agreement)))
# A scale of which some steps were never used, and answers that differ by one step.
first = [random.choice([1, 2, 5, 9]) for _ in range(90)]
cases.append(record(list(range(1, 11)), first, [min(10, one + random.choice([0, 0, 1])) for one in first]))
# Readers who always differ, who never do, and who have only one answer.
cases.append(record(["accept", "reject"], ["accept", "reject"] * 10, ["reject", "accept"] * 10))
cases.append(record(VERDICTS, VERDICTS * 7, VERDICTS * 7))
cases.append(record(["accept", "reject"], ["accept"] * 9, ["accept"] * 9))
# The readers have no answer in common.
cases.append(record(["accept", "reject"], ["accept"] * 5, ["reject"] * 5))
json.dump(cases, sys.stdout)
