#!/usr/bin/env python3
"""Records sacreBLEU's scores of the texts in a file, or compares them with --check.

  record_metrics.py [--check] tests/train/data/metrics/recorded.json

The file holds the texts and the metrics to compute; this script adds the scores. It needs sacrebleu 2.2 or later.
The field `version` of the signatures is left out, so that the scores of a later version compare equal.
"""
import json
import math
import re
import sys

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}


def answer(metric, hypotheses, references, samples=1):
    score = metric.corpus_score(hypotheses, references, n_bootstrap=samples)
    text = score.format(width=1, signature=metric.get_signature().format())
    return {"score": score.score, "text": re.sub(r"\|version:[^ ]*", "", text)}


def metric_of(question):
    return METRICS[question["metric"]](**question["options"])


def compare(question, systems):
    _, table = PairedTest([("baseline", systems["baseline"]), ("system", systems["system"])],
                          {question["metric"]: metric_of(question)}, systems["references"],
                          question["test"], question["samples"])()
    (baseline, system), = [column for name, column in table.items() if name != "System"]
    found = {"baseline": baseline.score, "system": system.score, "p_value": system.p_value}
    if question["test"] == "bs":
        found["intervals"] = [[float(baseline.mean), float(baseline.ci)],
                              [float(system.mean), float(system.ci)]]
    return found


def same(one, other):
    """Equal up to the last digits, which depend on the versions of Python and NumPy."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return math.isclose(one, other, rel_tol=1e-6) if isinstance(one, float) else one == other


def main():
    check = sys.argv[1] == "--check"
    path = sys.argv[-1]
    with open(path, encoding="utf-8") as file:
        recorded = json.load(file)
    before = json.loads(json.dumps(recorded))
    sets = {texts["name"]: texts for texts in recorded["sets"]}
    for question in recorded["results"]:
        texts = sets[question["set"]]
        if question.get("each_line"):
            lines = zip(texts["hypotheses"], *texts["references"])
            question["lines"] = [answer(metric_of(question), [line[0]], [[r] for r in line[1:]])
                                 for line in lines]
        else:
            question.update(answer(metric_of(question), texts["hypotheses"], texts["references"]))
    systems = recorded["systems"]
    for question in recorded["intervals"]:
        question.update(answer(metric_of(question), systems["baseline"], systems["references"],
                               question["samples"]))
    for question in recorded["comparisons"]:
        question.update(compare(question, systems))
    if check:
        print("equal" if same(recorded, before) else "DIFFERENT")
        return
    with open(path, "w", encoding="utf-8") as file:
        json.dump(recorded, file, ensure_ascii=False, indent=0)
        file.write("\n")


main()
