#include "data/text/nfkc.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/error.h"
#include "data/text/utf8.h"
#include "data/tokenizers/sentence_list.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// The characters up to U+017F that NFKC changes even if no combining mark follows.
constexpr std::array<char32_t, 20> changing = {0xA0,  0xA8,  0xAA,  0xAF,  0xB2,  0xB3, 0xB4,
                                               0xB5,  0xB8,  0xB9,  0xBA,  0xBC,  0xBD, 0xBE,
                                               0x132, 0x133, 0x13F, 0x140, 0x149, 0x17F};

bool surely_normal(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const char32_t point = next_code_point(text, at);
    if (point >= 0x180 || (point >= 0x80 && std::ranges::find(changing, point) != changing.end())) {
      return false;
    }
  }
  return true;
}

// A model of single characters that normalizes and preserves spaces.
std::unique_ptr<sentencepiece::SentencePieceProcessor> make_normalizer() {
  const std::vector<std::string> text = {"a"};
  SentenceList any(text);
  std::string model;
  const auto trained =
      sentencepiece::SentencePieceTrainer::Train({{"model_type", "char"},
                                                  {"vocab_size", "5"},
                                                  {"hard_vocab_limit", "false"},
                                                  {"normalization_rule_name", "nfkc"},
                                                  {"add_dummy_prefix", "false"},
                                                  {"remove_extra_whitespaces", "false"},
                                                  {"minloglevel", "2"}},
                                                 &any, &model);
  auto normalizer = std::make_unique<sentencepiece::SentencePieceProcessor>();
  if (!trained.ok() || !normalizer->LoadFromSerializedProto(model).ok()) {
    fail("nfkc: the SentencePiece library has no normalisation tables; set nfkc: false");
  }
  return normalizer;
}

// The pieces of a text, known or not, make up the normalized text.
void append_normal(std::string_view text, std::string& out) {
  static const auto normalizer = make_normalizer();
  std::vector<std::string> pieces;
  const auto status = normalizer->Encode(text, &pieces);
  if (!status.ok()) fail("nfkc: {}", status.ToString());
  std::string normal;
  for (const std::string& piece : pieces) normal += piece;
  for (size_t at = 0; at < normal.size();) {
    const size_t mark = std::min(normal.find(space_mark, at), normal.size());
    out.append(normal, at, mark - at);
    if (mark < normal.size()) out.push_back(' ');
    at = mark + space_mark.size();
  }
}

}  // namespace

std::string nfkc(std::string_view text) {
  if (surely_normal(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  // A space mark in the text is a character that must not become a space: normalize between marks.
  for (size_t at = 0;;) {
    const size_t mark = std::min(text.find(space_mark, at), text.size());
    append_normal(text.substr(at, mark - at), out);
    if (mark == text.size()) return out;
    out += space_mark;
    at = mark + space_mark.size();
  }
}

}  // namespace calque
