#pragma once
// Texts as the input of the SentencePiece trainer. Only sources include this.

#include <sentencepiece_trainer.h>

#include <string>
#include <utility>
#include <vector>

namespace calque {

class SentenceList : public sentencepiece::SentenceIterator {
 public:
  explicit SentenceList(std::vector<std::string> texts) : texts_(std::move(texts)) {}
  bool done() const override { return at_ == texts_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return texts_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> texts_;
  size_t at_ = 0;
};

}  // namespace calque
