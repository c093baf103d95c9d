#include "interop/marian/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "interop/model.h"
#include "train/config/yaml.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

// A scalar without quotes may be a number or a flag.
nlohmann::json json_of(const YamlValue& yaml) {
  switch (yaml.kind) {
    case YamlValue::Kind::nothing:
      return nullptr;
    case YamlValue::Kind::scalar: {
      const nlohmann::json parsed = nlohmann::json::parse(yaml.scalar, nullptr, false);
      return parsed.is_number() || parsed.is_boolean() ? parsed : nlohmann::json(yaml.scalar);
    }
    case YamlValue::Kind::list: {
      nlohmann::json list = nlohmann::json::array();
      for (const YamlValue& item : yaml.items) list.push_back(json_of(item));
      return list;
    }
    case YamlValue::Kind::map: {
      nlohmann::json map = nlohmann::json::object();
      for (const YamlEntry& entry : yaml.entries) map[entry.key] = json_of(entry.value);
      return map;
    }
  }
  return nullptr;
}

// The operations before or after a sublayer, without dropout (d): a adds the sublayer's input, n
// and r normalize.
std::string operations(const ForeignJson& settings, const std::string& key,
                       const std::string& usual) {
  std::string names = settings.text("transformer-" + key, usual);
  std::erase(names, 'd');
  return names;
}

void read_norms(const ForeignJson& settings, ModelConfig& to) {
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

void refuse_other_models(const ForeignJson& settings) {
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
    if (settings.has(key) && !settings.json()[key].empty()) settings.refuse(key, "must be empty");
  }
  if (settings.integer("lemma-dim-emb", -3, 1 << 20, 0) != 0) {
    settings.refuse("lemma-dim-emb", "must be 0");
  }
}

Activation read_activation(const ForeignJson& settings) {
  const std::string name = settings.text("transformer-ffn-activation", "swish");
  if (const auto found = choice_named(marian_activations, name)) return *found;
  settings.refuse("transformer-ffn-activation",
                  fmt::format("is {}; calque has relu and swish", printable(name)));
}

}  // namespace

ForeignJson marian_settings(std::string_view text, const std::string& place) {
  const YamlValue map = parse_yaml(text, place);
  if (map.kind != YamlValue::Kind::map) fail("{}: must be a map of settings", place);
  return {json_of(map), place};
}

void read_marian_model(const ForeignJson& settings, ModelConfig& to) {
  refuse_other_models(settings);
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
