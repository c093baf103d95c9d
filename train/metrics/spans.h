#pragma once
// Spans of words, such as the names in a text, from tags such as B-PER, I-PER and O, and their
// scores. The borders are those of conlleval and of seqeval's default mode, for the schemes IOB1,
// IOB2 (BIO) and IOBES, and also for tags that follow no scheme.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

struct TagSpan {
  std::string type;
  int64_t begin = 0, end = 0;  // the words [begin, end)
  bool operator==(const TagSpan&) const = default;
};

// "B-geo-loc": B of the type geo-loc. As in seqeval, a tag without a type has the type _.
struct Tag {
  char letter = 'O';
  std::string_view type = "_";

  Tag() = default;
  explicit Tag(std::string_view text)
      : letter(text.front()), type(text.size() > 2 ? text.substr(2) : "_") {}

  bool is_one_of(std::string_view letters) const { return letters.find(letter) != letters.npos; }
  bool marks() const { return letter != 'O'; }
};

// In order of their position.
inline std::vector<TagSpan> spans_of(const std::vector<std::string>& tags) {
  std::vector<TagSpan> spans;
  Tag before;
  int64_t begin = 0;
  for (size_t i = 0; i <= tags.size(); ++i) {
    const Tag tag = i < tags.size() ? Tag(tags[i]) : Tag();
    const bool other = before.type != tag.type;
    if (before.is_one_of("ES") || (before.is_one_of("BI") && tag.is_one_of("BSO")) ||
        (before.marks() && other)) {
      spans.push_back({std::string(before.type), begin, int64_t(i)});
    }
    if (tag.is_one_of("BS") || (before.is_one_of("ESO") && tag.is_one_of("EI")) ||
        (tag.marks() && other)) {
      begin = int64_t(i);
    }
    before = tag;
  }
  return spans;
}

// Whether every label is O or B, I, E, S, L or U with or without a type, and one is not O.
inline bool mark_spans(const std::vector<std::string>& labels) {
  const auto marks = [](const std::string& label) {
    return Tag(label).is_one_of("BIESLU") && (label.size() == 1 || label[1] == '-');
  };
  return std::ranges::any_of(labels, marks) && std::ranges::all_of(labels, [&](const auto& label) {
           return label == "O" || marks(label);
         });
}

// A span is correct if its type, begin and end are. Scores without spans are 0.
struct SpanCounts {
  int64_t expected = 0, predicted = 0, correct = 0;

  void add_sentence(const std::vector<std::string>& expected_tags,
                    const std::vector<std::string>& predicted_tags) {
    const std::vector<TagSpan> right = spans_of(expected_tags), found = spans_of(predicted_tags);
    expected += std::ssize(right);
    predicted += std::ssize(found);
    correct += std::ranges::count_if(
        found, [&](const TagSpan& span) { return std::ranges::count(right, span) > 0; });
  }

  double precision() const { return ratio(correct, predicted); }
  double recall() const { return ratio(correct, expected); }
  double f1() const { return ratio(2 * correct, expected + predicted); }

 private:
  static double ratio(int64_t part, int64_t whole) {
    return double(part) / double(std::max<int64_t>(1, whole));
  }
};

}  // namespace calque
