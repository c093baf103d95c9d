#pragma once
// The settings of a GGUF file, as an import reads them. Errors name the file and the key.

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "data/tokenizers/tokenizer.h"
#include "interop/gguf/file.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/tensors.h"
#include "train/config/config.h"

namespace calque {

// The key-value pairs of a GGUF file.
class GgufSettings {
 public:
  GgufSettings(const GgufFile& file, std::string place) : place_(std::move(place)) {
    for (const auto& [key, value] : file.values) values_.emplace(key, &value);
  }

  template <class Value>
  const Value* find(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    const auto* value = std::get_if<Value>(found->second);
    if (!value) refuse(key, "is of another type");
    return value;
  }
  template <class Value>
  const Value& get(const std::string& key) const {
    const Value* value = find<Value>(key);
    if (!value) refuse(key, "is missing");
    return *value;
  }
  int64_t whole(const std::string& key, int64_t least, int64_t most,
                std::optional<int64_t> fallback = {}) const {
    const auto* value = find<uint32_t>(key);
    if (!value && fallback) return *fallback;
    if (!value) refuse(key, "is missing");
    if (*value < least || *value > most) {
      refuse(key, fmt::format("is {}; it must be from {} to {}", *value, least, most));
    }
    return *value;
  }
  [[noreturn]] void refuse(const std::string& key, std::string_view why) const {
    fail("{}: {} {}", place_, key, why);
  }
  const std::string& place() const { return place_; }

 private:
  std::string place_;
  std::map<std::string, const GgufValue*, std::less<>> values_;
};

// Reads the sizes and kinds of the model, which the keys and for some the tensors tell. Throws an
// Error for an architecture that calque does not have.
void read_gguf_model(const GgufSettings& from, ForeignTensors& tensors, Config& to);

// Reads the tokenizer. Returns the rows of its tokens. Throws an Error for one that calque does not
// have.
VocabularyRows read_gguf_tokenizer(const GgufSettings& from, Tokenizer& to);

}  // namespace calque
