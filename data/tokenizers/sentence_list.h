#pragma once
// Texts as the input of the SentencePiece trainer. The texts must outlive the list. Only .cpp files
// include this header.

#include <sentencepiece_trainer.h>

#include <span>
#include <string>

namespace calque {

class SentenceList : public sentencepiece::SentenceIterator {
 public:
  explicit SentenceList(std::span<const std::string> texts) : texts_(texts) {}
  bool done() const override { return at_ == texts_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return texts_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::span<const std::string> texts_;
  size_t at_ = 0;
};

}  // namespace calque
