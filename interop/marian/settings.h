#pragma once
// The settings of a model of Marian: the YAML in its .npz file, or its .decoder.yml. Settings that
// calque does not read are ignored; the others must have the right type and be in range.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"
#include "train/config/yaml.h"

namespace calque {

class MarianSettings {
 public:
  // `place` is for messages. Throws an Error unless the text is a map.
  MarianSettings(std::string_view text, std::string place);

  // With a fallback, the setting may be missing or null.
  int64_t integer(std::string_view key, int64_t least, int64_t most,
                  std::optional<int64_t> fallback = {}) const;
  double number(std::string_view key, double fallback) const;
  bool flag(std::string_view key, bool fallback) const;
  std::string text(std::string_view key, std::optional<std::string> fallback = {}) const;
  // Empty if missing or null.
  std::vector<std::string> list(std::string_view key) const;

  [[noreturn]] void refuse(std::string_view key, std::string_view why) const;

 private:
  const YamlValue* find(std::string_view key, bool required) const;

  YamlValue map_;
  std::string place_;
};

// The names of the activations that Marian has.
inline constexpr Named<Activation> marian_activations[] = {{"relu", Activation::relu},
                                                           {"swish", Activation::silu}};

// Reads the sizes and the kind of a Transformer, but not which of its tables are tied. Throws an
// Error for a model that calque cannot represent.
void read_marian_model(const MarianSettings& settings, ModelConfig& to);

}  // namespace calque
