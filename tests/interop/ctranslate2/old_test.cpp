// Imports of folders of old versions of CTranslate2.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "interop/ctranslate2/format.h"
#include "interop/export_to.h"
#include "interop/filled_translator.h"
#include "interop/small_translator.h"
#include "support/message_of.h"

namespace calque {
namespace {

template <class Number>
void append(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& out, std::string_view text) {
  append(out, static_cast<uint16_t>(text.size() + 1));
  out.append(text).push_back('\0');
}

// The bytes of a model.bin in the format of model.version.
std::string old_bytes(const Ct2Model& model) {
  constexpr uint8_t sizes[] = {4, 1, 2, 4, 2, 2};
  std::string out;
  append(out, model.version);
  if (model.version >= 2) {
    append_text(out, model.specification);
    append(out, model.revision);
  }
  append(out, static_cast<uint32_t>(model.variables.size()));
  for (const Ct2Variable& variable : model.variables) {
    append_text(out, variable.name);
    append(out, static_cast<uint8_t>(variable.sizes.size()));
    for (const uint32_t size : variable.sizes) append(out, size);
    const uint8_t unit = sizes[static_cast<size_t>(variable.type)];
    const auto size = static_cast<uint32_t>(variable.bytes.size());
    append(out, model.version >= 4 ? static_cast<uint8_t>(variable.type) : unit);
    append(out, model.version >= 4 ? size : size / unit);
    out += variable.bytes;
  }
  if (model.version >= 3) append(out, uint32_t{0});
  return out;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at != text.npos) text.replace(at, from.size(), to);
}

// The name of a variable in OpenNMT-tf.
std::string first_name(std::string name) {
  replace(name, "embeddings/weight", "w_embs");
  replace(name, "layer_norm", "LayerNorm");
  replace(name, "projection", "dense");
  replace(name, "linear_0", "conv1d");
  replace(name, "linear_", "conv1d_");
  replace(name, "weight", "kernel");
  const bool encoder = name.starts_with("encoder");
  if (name.find("self_attention") != name.npos) {
    replace(name, "self_attention", encoder ? "multi_head" : "masked_multi_head");
  } else {
    replace(name, "attention", "multi_head");
  }
  return "transformer/" + name + ":0";
}

struct OldFolder {
  TemporaryFolder folder;
  SmallTranslator small;
  Ct2Model model;

  static TransformerOptions options() {
    TransformerOptions options = small_options();
    options.layer.d_model = 16;
    options.layer.heads = 8;
    options.layer.norm_placement = NormPlacement::pre;
    options.tying = Tying::none;
    options.output_bias = true;
    options.source_end = false;
    return options;
  }
  OldFolder() : small(options()) {
    small.model.output.bias.data()[5] = real(0.5);
    export_to("ctranslate2", small.parts(), small.model, place());
    model = parse_ct2(folder.read("ct2/model.bin"), "model.bin");
    // <unk> is the last row, and the lists of tokens lack it.
    for (Ct2Variable& each : model.variables) {
      replace(each.name, "encoder/embeddings_0", "encoder/embeddings");
      const bool table = each.name.find("embeddings/weight") != each.name.npos ||
                         each.name.find("projection/") != each.name.npos;
      if (!table) continue;
      const auto row = static_cast<int64_t>(each.bytes.size() / each.sizes[0]);
      std::rotate(each.bytes.begin(), each.bytes.begin() + row, each.bytes.end());
    }
    for (const char* name : {"config.json", "shared_vocabulary.json"}) {
      std::filesystem::remove(place() + "/" + name);
    }
    for (const char* side : {"source", "target"}) {
      folder.write(fmt::format("ct2/{}_vocabulary.txt", side), "<s>\n</s>\neins\nzwei\ndrei\n");
    }
  }
  std::string place() const { return folder.path("ct2"); }
  void remove(std::string_view part) {
    std::erase_if(model.variables, [part](const Ct2Variable& each) {
      return each.sizes.empty() && each.name.find(part) != each.name.npos;
    });
  }
  void become_first() {
    model.version = 1;
    remove("");
    for (Ct2Variable& each : model.variables) each.name = first_name(each.name);
  }
  // Replaces the attributes of encoder and decoder by attributes of the model.
  void share_attributes(uint32_t version, const char* specification, uint32_t revision) {
    model.version = version;
    model.specification = specification;
    model.revision = revision;
    for (const char* name : {"/num_heads", "/pre_norm", "/activation", "/embeddings_merge"}) {
      remove(name);
    }
    model.variables.push_back(ct2_integer("pre_norm", Ct2Type::int8, 1));
    model.variables.push_back(ct2_integer("activation", Ct2Type::int8, 0));
    model.variables.push_back(ct2_integer("embeddings_merge", Ct2Type::int8, 0));
    if (revision >= 3) model.variables.push_back(ct2_integer("num_heads", Ct2Type::int8, 8));
  }
  FilledTranslator imported() const {
    folder.write("ct2/model.bin", old_bytes(model));
    return FilledTranslator(import_ctranslate2(place()));
  }
  // Checks that the import has the weights and settings that the folder was made from.
  void check() const {
    const FilledTranslator filled(imported());
    CHECK_FALSE(filled.from.config.model.source_end);
    CHECK(filled.from.config.model.heads == 8);
    CHECK(filled.from.config.model.norm_placement == NormPlacement::pre);
    CHECK(filled.from.source().symbol(3) == "eins");
    const TemporaryFolder other;
    export_to("ctranslate2", filled.from, filled.model, other.path("again"));
    export_to("ctranslate2", small.parts(), small.model, other.path("original"));
    for (const char* name : {"model.bin", "config.json", "shared_vocabulary.json"}) {
      CAPTURE(name);
      CHECK(other.read(std::string("again/") + name) ==
            other.read(std::string("original/") + name));
    }
  }
  std::string refused() const {
    return message_of<Error>([&] { const FilledTranslator filled(imported()); });
  }
};

TEST_CASE("old models of CTranslate2 are imported with the weights and settings of the original") {
  OldFolder old;
  SUBCASE("version 1: names of OpenNMT-tf, no attributes") { old.become_first(); }
  SUBCASE("revision 1 in version 2") {
    old.become_first();
    old.model.version = 2;
    old.model.specification = "TransformerBase";
    old.model.revision = 1;
  }
  SUBCASE("revision 2: no number of heads") { old.share_attributes(2, "TransformerBase", 2); }
  SUBCASE("revision 3: attributes of the model") { old.share_attributes(3, "TransformerSpec", 3); }
  SUBCASE("revision 4, with types") { old.share_attributes(4, "TransformerSpec", 4); }
  SUBCASE("version 5 of the current revision") { old.model.version = 5; }
  old.check();
}

TEST_CASE("attributes of old models become settings") {
  OldFolder old;
  old.share_attributes(5, "TransformerSpec", 4);
  old.model.variables.push_back(ct2_integer("with_source_eos", Ct2Type::int8, 1));
  CHECK(old.imported().from.config.model.source_end);
  old.model.variables.push_back(
      {.name = "unk_token", .sizes = {4}, .type = Ct2Type::int8, .bytes = "<uk>"});
  CHECK(old.imported().from.source().symbol(3) == "eins");
  SUBCASE("a text attribute of another type") {
    old.model.variables.back() = ct2_integer("unk_token", Ct2Type::int16, 7);
    CHECK(old.refused().ends_with("model.bin: unk_token must be a text"));
  }
  SUBCASE("sources that begin with <s>") {
    old.model.variables.push_back(ct2_integer("with_source_bos", Ct2Type::int8, 1));
    CHECK(old.refused().ends_with("model.bin: add_source_bos must be false"));
  }
  SUBCASE("a flag that is a matrix") {
    old.model.variables.push_back(
        {.name = "with_target_bos", .sizes = {1, 1}, .type = Ct2Type::int8, .bytes = "a"});
    CHECK(old.refused().ends_with("model.bin: with_target_bos must be a whole number"));
  }
}

TEST_CASE("integers of 16 bits without a scale are thousandths") {
  OldFolder old;
  old.become_first();
  const std::string name = "transformer/encoder/layer_0/ffn/conv1d/kernel:0";
  const auto found = std::ranges::find(old.model.variables, name, &Ct2Variable::name);
  REQUIRE(found != old.model.variables.end());
  std::string integers;
  for (size_t i = 0; i < found->bytes.size(); i += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, found->bytes.data() + i, sizeof value);
    append(integers, static_cast<int16_t>(std::lrint(value * 1000)));
  }
  found->type = Ct2Type::int16;
  found->bytes = integers;
  const FilledTranslator filled(old.imported());
  const Tensor& exact = dense(old.small.model.encoder.layers[0].feed_forward).inner.weight;
  const Tensor& read = dense(filled.model.encoder.layers[0].feed_forward).inner.weight;
  REQUIRE(read.size() == exact.size());
  real most = 0;
  for (int64_t i = 0; i < exact.size(); ++i) {
    most = std::max(most, std::abs(exact.data()[i] - read.data()[i]));
  }
  CHECK(most > 0);
  CHECK(most <= real(0.000501));
  SUBCASE("integers of 8 bits need a scale") {
    found->type = Ct2Type::int8;
    found->bytes.resize(found->bytes.size() / 2);
    CHECK(old.refused().ends_with("encoder/layer_0/ffn/linear_0/weight_scale is missing"));
  }
}

TEST_CASE("an old model that calque cannot represent, or that is cut off, is refused") {
  OldFolder old;
  SUBCASE("no row for <unk>") {
    old.folder.write("ct2/source_vocabulary.txt", "<s>\n</s>\neins\nzwei\ndrei\nvier\n");
    old.become_first();
    CHECK(old.refused().ends_with(
        "source_vocabulary: has no <unk>, which is unk_token in model.bin"));
  }
  SUBCASE("another specification") {
    old.share_attributes(2, "TransformerSpec", 2);
    CHECK(old.refused().find("model.bin: is a TransformerSpec of revision 2; calque imports") !=
          std::string::npos);
  }
  SUBCASE("heads that do not divide the width") {
    old.share_attributes(2, "TransformerBig", 2);
    old.remove("num_heads");
    old.model.variables.push_back(ct2_integer("num_heads", Ct2Type::int8, 7));
    CHECK(old.refused().ends_with("num_heads is 7, which does not divide the width 16"));
  }
  SUBCASE("cut off") {
    old.become_first();
    const std::string bytes = old_bytes(old.model);
    for (size_t end = 0; end < bytes.size(); end += 97) {
      CHECK_THROWS_AS(parse_ct2(bytes.substr(0, end), "m.bin"), Error);
    }
  }
}

}  // namespace
}  // namespace calque
