#pragma once
// Divides a text into sentences. A sentence is a range of the text without white space at its ends;
// between two sentences, before the first and after the last there is only white space. So the
// sentences and what lies between them are the text, byte for byte.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/sentences/language_words.h"
#include "data/text/text_range.h"

namespace calque {

class SentenceSplitter {
 public:
  // Without words, the rules that hold for all languages decide. `learnt` adds to those of the
  // language.
  explicit SentenceSplitter(std::string_view language = {}, const LanguageWords& learnt = {});

  // A line end ends a sentence. Quotations and brackets of up to 300 bytes are not divided.
  // Requires well-formed UTF-8. Takes time in proportion to the text.
  std::vector<TextRange> split(std::string_view text) const;

 private:
  LanguageWords words_;
  bool greek_ = false, armenian_ = false;  // whether ; or : ends a sentence
};

// The text with sentence i in place of ranges[i].
std::string with_sentences(std::string_view text, std::span<const TextRange> ranges,
                           std::span<const std::string> sentences);

}  // namespace calque
