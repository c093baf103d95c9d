#pragma once
// Reads and checks the parts of a tokenizer.json.

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interop/files/json.h"

namespace calque {

struct TokenizerFile {
  ForeignJson file;
  std::string type;                       // of the model
  std::map<int64_t, std::string> tokens;  // by id, including the added tokens
  std::map<int64_t, float> scores;        // of a Unigram model
  std::map<std::string, int64_t> ids;
  std::set<int64_t> special, added;  // ids of special added tokens, and of other added tokens
  std::string unknown;               // the token for unknown text; empty: none
  bool byte_fallback = false;

  // Throws an Error if the file is damaged or an id is not below `size`.
  TokenizerFile(const std::string& path, int64_t size);

  ForeignJson model() const;
  // The pairs of tokens that BPE merges.
  std::vector<std::pair<std::string, std::string>> merges() const;
  // The parts of "normalizer", "pre_tokenizer" or "decoder": those of a Sequence, or the object
  // itself as the only part; none if it is missing or null.
  std::vector<ForeignJson> parts(const std::string& what) const;

  [[noreturn]] void refuse(std::string_view what, std::string_view why) const {
    file.refuse(what, why);
  }

 private:
  void add_token(const std::string& token, int64_t id, int64_t size);
  void read_vocabulary(const nlohmann::json& vocabulary, int64_t size);
  void read_added(int64_t size);
};

// The pattern of a part, a regular expression or a string; empty if it has none.
std::string part_pattern(const ForeignJson& part);

}  // namespace calque
