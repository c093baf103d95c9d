#include "interop/ctranslate2/revisions.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/text/utf8.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr uint32_t newest_revision = 7;

// In a name, the first occurrence of each left text becomes the right text. The order matters.
constexpr std::pair<std::string_view, std::string_view> first_names[] = {
    {"transformer/", ""},
    {":0", ""},
    {"w_embs", "embeddings/weight"},
    {"kernel", "weight"},
    {"LayerNorm", "layer_norm"},
    {"dense", "projection"},
    {"conv1d_", "linear_"},
    {"conv1d", "linear_0"}};

void replace_first(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at != text.npos) text.replace(at, from.size(), to);
}

std::string renamed_of_opennmt(std::string name) {
  for (const auto& [from, to] : first_names) replace_first(name, from, to);
  if (name.find("encoder") != name.npos) {
    replace_first(name, "multi_head", "self_attention");
  } else {
    replace_first(name, "masked_multi_head", "self_attention");
    replace_first(name, "multi_head", "attention");
  }
  return name;
}

// The number of heads that the specification implies; nothing if the model stores the number.
std::optional<int32_t> heads_of(const Ct2Model& model, const std::string& place) {
  const std::string& name = model.specification;
  const bool first = model.version == 1 && name.empty();
  const bool old = first || name == "TransformerBase" || name == "TransformerBig";
  const uint32_t least = old ? 1 : 3;
  if ((!old && name != "TransformerSpec") || model.revision < least ||
      model.revision > newest_revision) {
    fail(
        "{}: is a {} of revision {}; calque imports TransformerSpec of revisions 3 to {}, and "
        "TransformerBase and TransformerBig",
        place, printable(name), model.revision, newest_revision);
  }
  if (model.revision >= 3) return std::nullopt;
  return name == "TransformerBig" ? 16 : 8;
}

void add_unless_there(Ct2Model& model, Ct2Variable variable) {
  if (!find_ct2(model, variable.name)) model.variables.push_back(std::move(variable));
}

// Copies an attribute of the model to each side that lacks it.
void share_out(Ct2Model& model, const std::string& name,
               std::initializer_list<std::string_view> sides) {
  const Ct2Variable* found = find_ct2(model, name);
  if (!found) return;
  Ct2Variable of_side = *found;
  for (const std::string_view side : sides) {
    of_side.name = fmt::format("{}/{}", side, name);
    add_unless_there(model, of_side);
  }
}

void take_text(Ct2Model& model, const std::string& name, const std::string& place,
               nlohmann::json& settings) {
  const auto found = std::ranges::find(model.variables, name, &Ct2Variable::name);
  if (found == model.variables.end()) return;
  if (found->type != Ct2Type::int8 || found->bytes.empty() || find_invalid_utf8(found->bytes)) {
    fail("{}: {} must be a text", place, name);
  }
  settings[name] = found->bytes;
  model.variables.erase(found);
}

}  // namespace

const Ct2Variable* find_ct2(const Ct2Model& model, std::string_view name) {
  const auto found = std::ranges::find(model.variables, name, &Ct2Variable::name);
  return found == model.variables.end() ? nullptr : &*found;
}

std::optional<int64_t> ct2_whole(const Ct2Model& model, const std::string& name,
                                 const std::string& place) {
  const Ct2Variable* found = find_ct2(model, name);
  if (!found) return std::nullopt;
  const size_t size = found->bytes.size();
  const bool number = found->type == Ct2Type::int8 || found->type == Ct2Type::int16 ||
                      found->type == Ct2Type::int32;
  if (!found->sizes.empty() || !number) fail("{}: {} must be a whole number", place, name);
  int32_t value = 0;
  std::memcpy(&value, found->bytes.data(), size);
  const int unused = static_cast<int>(32 - 8 * size);
  return static_cast<int32_t>(static_cast<uint32_t>(value) << unused) >> unused;
}

void upgrade_to_current_revision(Ct2Model& model, const std::string& place) {
  const std::optional<int32_t> heads = heads_of(model, place);
  if (model.revision == 1) {
    for (Ct2Variable& variable : model.variables) {
      variable.name = renamed_of_opennmt(std::move(variable.name));
    }
    for (auto& [alias, name] : model.aliases) {
      alias = renamed_of_opennmt(std::move(alias));
      name = renamed_of_opennmt(std::move(name));
    }
  }
  if (heads) add_unless_there(model, ct2_integer("num_heads", Ct2Type::int8, *heads));
  if (model.revision < 5) {
    for (const char* name : {"num_heads", "pre_norm", "activation"}) {
      share_out(model, name, {"encoder", "decoder"});
    }
    share_out(model, "embeddings_merge", {"encoder"});
  }
  // A source without features may have its table under the name encoder/embeddings/weight.
  if (!find_ct2(model, "encoder/embeddings_0/weight")) {
    for (Ct2Variable& variable : model.variables) {
      replace_first(variable.name, "encoder/embeddings/weight", "encoder/embeddings_0/weight");
    }
    for (auto& [alias, name] : model.aliases) {
      replace_first(alias, "encoder/embeddings/weight", "encoder/embeddings_0/weight");
      replace_first(name, "encoder/embeddings/weight", "encoder/embeddings_0/weight");
    }
  }
  model.specification = "TransformerSpec";
  model.revision = newest_revision;
}

nlohmann::json take_ct2_settings(Ct2Model& model, const std::string& place) {
  nlohmann::json settings = {{"unk_token", "<unk>"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}};
  for (const char* name : {"unk_token", "bos_token", "eos_token"}) {
    take_text(model, name, place, settings);
  }
  const auto flag = [&](const char* name, bool fallback) {
    return ct2_whole(model, name, place).value_or(fallback ? 1 : 0) != 0;
  };
  settings["add_source_bos"] = flag("with_source_bos", false);
  settings["add_source_eos"] = flag("with_source_eos", false);
  if (flag("user_decoder_start_tokens", false)) {
    settings["decoder_start_token"] = nullptr;
  } else {
    settings["decoder_start_token"] =
        settings[flag("with_target_bos", true) ? "bos_token" : "eos_token"];
  }
  return settings;
}

}  // namespace calque
