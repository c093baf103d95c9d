"""Prints the spans and scores that tests/train/metrics/spans_test.cpp records.

Needs seqeval 1.2.2 (pip install seqeval).
"""

import warnings

from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities

warnings.filterwarnings("ignore")

for line in [
    "I-PER I-PER O I-PER B-PER I-LOC",
    "B-PER I-PER E-PER S-PER E-LOC I-LOC O E-LOC",
    "B-geo-loc I-geo-loc B-geo-loc",
    "U-LOC U-LOC O B-PER L-PER",
    "B I O I",
    "O O",
]:
    print(line, [(kind, begin, last + 1) for kind, begin, last in get_entities(line.split())])

expected = [["B-PER", "I-PER", "O", "B-LOC"], ["I-ORG", "O", "B-PER", "I-LOC"]]
predicted = [["B-PER", "I-PER", "O", "O"], ["B-ORG", "I-ORG", "B-PER", "I-PER"]]
for score in (precision_score, recall_score, f1_score):
    print(score(expected, predicted))
