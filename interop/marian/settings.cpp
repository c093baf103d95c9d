#include "interop/marian/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "interop/huggingface/import_parts.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

// The whole text as a number; nothing if it is not one.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || text.empty()) return std::nullopt;
  return number;
}

// The operations before or after a sublayer, without dropout (d): a adds the sublayer's input, n
// and r normalize.
std::string operations(const MarianSettings& settings, const std::string& key,
                       const std::string& usual) {
  std::string names = settings.text("transformer-" + key, usual);
  std::erase(names, 'd');
  return names;
}

void read_norms(const MarianSettings& settings, ModelConfig& to) {
  const std::string before = operations(settings, "preprocess", ""),
                    after = operations(settings, "postprocess", "dan"),
                    top = operations(settings, "postprocess-top", "");
  const bool post = before.empty() && (after == "an" || after == "ar") && top.empty();
  const bool pre = (before == "n" || before == "r") && after == "a" && top == before;
  if (!post && !pre) {
    settings.refuse(
        "transformer-postprocess",
        fmt::format("{}, with {} before a sublayer and {} at the top, is neither post-norm (dan) "
                    "nor pre-norm (n, da, n)",
                    printable(after), before.empty() ? "nothing" : printable(before),
                    top.empty() ? "nothing" : printable(top)));
  }
  to.norm_placement = pre ? NormPlacement::pre : NormPlacement::post;
  to.norm_kind = (pre ? before : after).back() == 'r' ? NormKind::rms : NormKind::layer;
  to.norm_epsilon = real(1e-6);
  if (!operations(settings, "postprocess-emb", "d").empty()) {
    settings.refuse("transformer-postprocess-emb", "must be d or empty");
  }
}

void refuse_other_models(const MarianSettings& settings) {
  if (const std::string type = settings.text("type"); type != "transformer") {
    settings.refuse("type", fmt::format("is {}; calque imports transformer", printable(type)));
  }
  if (settings.text("transformer-decoder-autoreg", "self-attention") != "self-attention") {
    settings.refuse("transformer-decoder-autoreg", "must be self-attention");
  }
  for (const char* key :
       {"transformer-no-projection", "transformer-pool", "transformer-no-bias",
        "transformer-no-affine", "transformer-train-position-embeddings", "right-left", "ulr"}) {
    if (settings.flag(key, false)) settings.refuse(key, "must be false");
  }
  for (const char* key : {"transformer-tied-layers", "special-vocab"}) {
    if (!settings.list(key).empty()) settings.refuse(key, "must be empty");
  }
  if (settings.integer("lemma-dim-emb", -3, 1 << 20, 0) != 0) {
    settings.refuse("lemma-dim-emb", "must be 0");
  }
}

Activation read_activation(const MarianSettings& settings) {
  const std::string name = settings.text("transformer-ffn-activation", "swish");
  if (const auto found = choice_named(marian_activations, name)) return *found;
  settings.refuse("transformer-ffn-activation",
                  fmt::format("is {}; calque has relu and swish", printable(name)));
}

}  // namespace

MarianSettings::MarianSettings(std::string_view text, std::string place)
    : map_(parse_yaml(text, place)), place_(std::move(place)) {
  if (map_.kind != YamlValue::Kind::map) fail("{}: must be a map of settings", place_);
}

int64_t MarianSettings::integer(std::string_view key, int64_t least, int64_t most,
                                std::optional<int64_t> fallback) const {
  const YamlValue* found = find(key, !fallback);
  if (!found) return *fallback;
  const auto number = number_of<int64_t>(found->scalar);
  if (!number || *number < least || *number > most) {
    refuse(key, fmt::format("must be a whole number from {} to {}", least, most));
  }
  return *number;
}

double MarianSettings::number(std::string_view key, double fallback) const {
  const YamlValue* found = find(key, false);
  if (!found) return fallback;
  const auto number = number_of<double>(found->scalar);
  if (!number || !std::isfinite(*number)) refuse(key, "must be a number");
  return *number;
}

bool MarianSettings::flag(std::string_view key, bool fallback) const {
  const YamlValue* found = find(key, false);
  if (!found) return fallback;
  if (found->scalar != "true" && found->scalar != "false") refuse(key, "must be true or false");
  return found->scalar == "true";
}

std::string MarianSettings::text(std::string_view key, std::optional<std::string> fallback) const {
  const YamlValue* found = find(key, !fallback);
  if (!found) return *fallback;
  if (found->kind != YamlValue::Kind::scalar) refuse(key, "must be a text");
  return found->scalar;
}

std::vector<std::string> MarianSettings::list(std::string_view key) const {
  const YamlValue* found = find(key, false);
  if (!found) return {};
  std::vector<std::string> list;
  for (const YamlValue& item : found->items) list.push_back(item.scalar);
  if (found->kind != YamlValue::Kind::list) refuse(key, "must be a list");
  return list;
}

void MarianSettings::refuse(std::string_view key, std::string_view why) const {
  fail("{}: {} {}", place_, key, why);
}

const YamlValue* MarianSettings::find(std::string_view key, bool required) const {
  const auto found = std::ranges::find(map_.entries, key, &YamlEntry::key);
  if (found != map_.entries.end() && found->value.kind != YamlValue::Kind::nothing) {
    return &found->value;
  }
  if (required) refuse(key, "is missing");
  return nullptr;
}

void read_marian_model(const MarianSettings& settings, ModelConfig& to) {
  refuse_other_models(settings);
  to.preset = ModelConfig::Preset::none;
  to.decoder_start = DecoderStart::zero;
  to.d_model = settings.integer("dim-emb", 1, most_units);
  to.heads = settings.integer("transformer-heads", 1, 1024);
  if (to.d_model % to.heads != 0) settings.refuse("transformer-heads", "must divide dim-emb");
  to.encoder_layers = settings.integer("enc-depth", 1, 1000);
  to.decoder_layers = settings.integer("dec-depth", 1, 1000);
  to.d_ff = settings.integer("transformer-dim-ffn", 1, 1 << 20);
  const int64_t width = settings.integer("transformer-decoder-dim-ffn", 0, 1 << 20, 0);
  if (width != 0 && width != to.d_ff) {
    settings.refuse("transformer-decoder-dim-ffn", "must be that of the encoder");
  }
  const int64_t depth = settings.integer("transformer-decoder-ffn-depth", 0, 1000, 0);
  if (settings.integer("transformer-ffn-depth", 1, 1000, 2) != 2 || (depth != 0 && depth != 2)) {
    settings.refuse("transformer-ffn-depth", "must be 2");
  }
  to.activation = read_activation(settings);
  read_norms(settings, to);
  const bool none = settings.flag("transformer-disable-position-embeddings", false);
  if (!none && (to.d_model % 2 != 0 || to.d_model < 4)) {
    settings.refuse("dim-emb", "must be even and at least 4");
  }
  to.positions = none ? PositionKind::none : PositionKind::t2t;
  to.scale_embeddings = !none;  // Marian scales embeddings only if it adds positions
}

}  // namespace calque
