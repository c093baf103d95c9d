// Spans and their scores, as tests/reference/spans.py records them from seqeval.
#include "train/metrics/spans.h"

#include <doctest/doctest.h>

using namespace calque;

using Tags = std::vector<std::string>;

TEST_CASE("spans have the borders that seqeval finds, whatever the scheme") {
  using Spans = std::vector<TagSpan>;
  CHECK(spans_of(Tags{"I-PER", "I-PER", "O", "I-PER", "B-PER", "I-LOC"}) ==
        Spans{{"PER", 0, 2}, {"PER", 3, 4}, {"PER", 4, 5}, {"LOC", 5, 6}});
  CHECK(spans_of(Tags{"B-PER", "I-PER", "E-PER", "S-PER", "E-LOC", "I-LOC", "O", "E-LOC"}) ==
        Spans{{"PER", 0, 3}, {"PER", 3, 4}, {"LOC", 4, 5}, {"LOC", 5, 6}, {"LOC", 7, 8}});
  CHECK(spans_of(Tags{"B-geo-loc", "I-geo-loc", "B-geo-loc"}) ==
        Spans{{"geo-loc", 0, 2}, {"geo-loc", 2, 3}});
  CHECK(spans_of(Tags{"U-LOC", "U-LOC", "O", "B-PER", "L-PER"}) ==
        Spans{{"LOC", 0, 2}, {"PER", 3, 5}});
  CHECK(spans_of(Tags{"B", "I", "O", "I"}) == Spans{{"_", 0, 2}, {"_", 3, 4}});
  CHECK(spans_of(Tags{"O", "O"}).empty());
  CHECK(spans_of(Tags()).empty());
}

TEST_CASE("precision, recall and F1 of spans are those of seqeval") {
  SpanCounts counts;
  CHECK(counts.f1() == 0);
  counts.add_sentence(Tags{"B-PER", "I-PER", "O", "B-LOC"}, Tags{"B-PER", "I-PER", "O", "O"});
  counts.add_sentence(Tags{"I-ORG", "O", "B-PER", "I-LOC"},
                      Tags{"B-ORG", "I-ORG", "B-PER", "I-PER"});
  CHECK(counts.precision() == doctest::Approx(1.0 / 3));
  CHECK(counts.recall() == doctest::Approx(0.2));
  CHECK(counts.f1() == doctest::Approx(0.25));
}

TEST_CASE("labels mark spans if each is O or begins with a letter of a scheme") {
  CHECK(mark_spans(Tags{"B-PER", "I-PER", "O"}));
  CHECK(mark_spans(Tags{"E-X", "L-X", "S-X", "U-X"}));
  CHECK(mark_spans(Tags{"B", "I", "O"}));
  CHECK_FALSE(mark_spans(Tags{"O"}));
  CHECK_FALSE(mark_spans(Tags{"ADJ", "INTJ", "NOUN"}));
  CHECK_FALSE(mark_spans(Tags{"B-PER", "NOUN", "O"}));
}
