#include "train/tasks/word2vec/work.h"

#include <algorithm>
#include <utility>

#include "train/tasks/example_works.h"

namespace calque {

Word2VecWork::Word2VecWork(const Word2Vec& model, std::vector<Example> slices,
                           std::vector<int64_t> numbers, std::shared_ptr<const WordContexts> text)
    : model_(model),
      slices_(std::move(slices)),
      numbers_(std::move(numbers)),
      text_(std::move(text)) {}

SummedLoss Word2VecWork::forward() const {
  std::vector<int32_t> words, candidates;
  Segments segments;
  for (const Example& slice : slices_) {
    words.insert(words.end(), slice[read_words].begin(), slice[read_words].end());
    candidates.insert(candidates.end(), slice[candidate_words].begin(),
                      slice[candidate_words].end());
    for (const int32_t count : slice[read_counts]) segments.append(count);
  }
  return summed(model_.loss(words, segments, candidates));
}

WorkSize Word2VecWork::size() const {
  WorkSize size{.examples = std::ssize(slices_)};
  for (const int64_t number : numbers_) size.tokens += text_->words(number);
  return size;
}

std::string Word2VecWork::where() const {
  return origins_of(numbers_, [&](int64_t slice) { return text_->where(slice); });
}

// Slices have similar lengths, so each chunk takes the same number of slices.
Works Word2VecWork::split(int64_t chunks) const {
  const int64_t count = std::ssize(slices_);
  const int64_t each = (count + chunks - 1) / chunks;
  Works works;
  for (int64_t first = 0; first < count; first += each) {
    const int64_t last = std::min(count, first + each);
    works.push_back(std::make_unique<Word2VecWork>(
        model_, std::vector(slices_.begin() + first, slices_.begin() + last),
        std::vector(numbers_.begin() + first, numbers_.begin() + last), text_));
  }
  return works;
}

}  // namespace calque
