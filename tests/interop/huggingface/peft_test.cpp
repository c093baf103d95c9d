// Adapters in the files of PEFT, out and in.
#include "interop/huggingface/peft.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/temporary_folder.h"
#include "interop/change_json.h"
#include "interop/huggingface/small_bert.h"
#include "interop/small_text.h"
#include "nn/models/classification_head.h"
#include "support/message_of.h"
#include "train/storage/safetensors.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

constexpr AdapterOptions lora = {.kind = AdapterKind::lora, .rank = 3, .alpha = 6, .dropout = 0};

template <class Model>
struct Adapted {
  Parameters base, trained;
  Model model;

  template <class Options>
  explicit Adapted(const Options& options) : model(Path(base, trained), options) {
    base.allocate();
    base.freeze_all();
    trained.allocate();
  }
};

struct ExportedAdapter {
  TemporaryFolder folder;
  Config config = small_text_config(LanguageModelShape::gemma3);
  Tokenizer tokenizer = text_tokenizer(TokenizerKind::bytes);
  Adapted<LanguageModel> adapted;

  explicit ExportedAdapter(const AdapterOptions& adapter = lora)
      : adapted((config.model.adapter = adapter, SmallText::options_of(config, tokenizer))) {
    config.model.init_from = "runs/base";
    fill_randomly(adapted.trained);
    export_to("peft", RunParts{config, {tokenizer}}, adapted.model, peft());
  }
  std::string peft() const { return folder.path("peft"); }
  std::string refusal(const std::string& key, const Json& value) const {
    const std::string before = folder.read("peft/adapter_config.json");
    change_json(folder, "peft/adapter_config.json", key, value);
    const std::string message = message_of([&] { read_peft(peft()); });
    folder.write("peft/adapter_config.json", before);
    return message;
  }
};

// Compares the numbers of each parameter, without the gaps between them.
bool same_numbers(const Parameters& a, const Parameters& b) {
  return std::ranges::equal(a.entries(), b.entries(), [](const auto& one, const auto& other) {
    return one.name == other.name && std::ranges::equal(one.values(), other.values());
  });
}

template <class Model>
void fill(const Model& model, ForeignTensors& tensors) {
  PeftFillingWalk walk(tensors);
  walk_huggingface(walk, model);
}

}  // namespace

TEST_CASE("an exported adapter that is imported again has the same bits") {
  const ExportedAdapter out;
  PeftAdapter in = read_peft(out.peft());
  CHECK(in.options == lora);
  const Adapted<LanguageModel> again(out.adapted.model.options);
  fill(again.model, in.tensors);
  CHECK(in.tensors.empty());
  CHECK(same_numbers(again.trained, out.adapted.trained));
}

TEST_CASE("PEFT's A is [rank, in] and its B [columns, rank], one for each matrix of transformers") {
  const ExportedAdapter out;
  const PeftAdapter in = read_peft(out.peft());
  const std::string layer = "base_model.model.model.layers.1.";
  const Tensor& a = *in.tensors.find(layer + "self_attn.k_proj.lora_A.weight");
  const Tensor& b = *in.tensors.find(layer + "self_attn.k_proj.lora_B.weight");
  const Tensor own_a = out.adapted.trained.find("layers.1.self_attention.qkv.lora_a")->tensor;
  const Tensor own_b = out.adapted.trained.find("layers.1.self_attention.qkv.lora_b.1")->tensor;
  CHECK(a.shape() == Shape{3, 12});
  CHECK(b.shape() == Shape{8, 3});
  CHECK(a.data()[2 * 12 + 5] == own_a.data()[5 * 9 + 3 + 2]);
  CHECK(b.data()[7 * 3 + 1] == own_b.data()[1 * 8 + 7]);
  for (const char* name : {"mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "self_attn.o_proj"}) {
    CHECK(in.tensors.has(layer + name + ".lora_A.weight"));
  }
}

TEST_CASE("a layer that the files lack has zeros, and tensors without a layer are left over") {
  const ExportedAdapter out;
  PeftAdapter in = read_peft(out.peft());
  const std::string layer = "base_model.model.model.layers.0.self_attn.k_proj.lora_";
  in.tensors.drop(layer + "A.weight");
  in.tensors.drop(layer + "B.weight");
  LanguageModelOptions options = out.adapted.model.options;
  options.layer.adapter.feed_forward = false;
  const Adapted<LanguageModel> again(options);
  fill(again.model, in.tensors);
  const Tensor b = again.trained.find("layers.0.self_attention.qkv.lora_b.1")->tensor;
  CHECK(std::ranges::count(b.span(), real(0)) == b.size());
  CHECK_FALSE(in.tensors.empty());
  CHECK(in.tensors.has("base_model.model.model.layers.0.mlp.up_proj.lora_A.weight"));
}

TEST_CASE("the head of a classifier is a module to save") {
  Config config = small_bert();
  config.task = TaskKind::classification;
  config.model.adapter = lora;
  config.model.init_from = "runs/base";
  const ClassifierOptions options{.encoder = encoder_options(config, bert_pieces().size()),
                                  .head = {.classes = 3}};
  const Adapted<Classifier> adapted(options), again(options);
  fill_randomly(adapted.trained);
  const TemporaryFolder folder;
  export_to("peft", RunParts{config, {bert_pieces()}, {"a", "b", "c"}}, adapted.model,
            folder.path("peft"));
  const Json json = Json::parse(folder.read("peft/adapter_config.json"));
  CHECK(json["modules_to_save"] == Json({"bert.pooler.dense", "classifier"}));
  CHECK(json["task_type"] == "SEQ_CLS");
  PeftAdapter in = read_peft(folder.path("peft"));
  fill(again.model, in.tensors);
  CHECK(in.tensors.empty());
  CHECK(same_numbers(again.trained, adapted.trained));
}

TEST_CASE("rsLoRA is LoRA with another alpha, and other variants are refused by name") {
  const ExportedAdapter out;
  const std::string place = out.peft() + "/adapter_config.json: ";
  CHECK(out.refusal("peft_type", "IA3").starts_with(place));
  for (const char* variant : {"use_dora", "fan_in_fan_out"}) {
    CHECK(out.refusal(variant, true).find(variant) != std::string::npos);
  }
  CHECK(out.refusal("rank_pattern", Json{{"q_proj", 4}}).find("rank_pattern") != std::string::npos);
  CHECK(out.refusal("rank_pattern", Json::object()) == "");
  CHECK(out.refusal("bias", "all").find("bias") != std::string::npos);
  CHECK(out.refusal("r", 0).find(": r must") != std::string::npos);
  change_json(out.folder, "peft/adapter_config.json", "use_rslora", Json(true));
  CHECK(read_peft(out.peft()).options.alpha == doctest::Approx(6 * std::sqrt(3.0)));
}

TEST_CASE("a plain model and GPT-2 have no files of PEFT") {
  Config config = small_text_config(LanguageModelShape::llama);
  const auto keys = [&] {
    std::vector<std::string> found;
    for (const Obstacle& each : obstacles(format_named("peft"), config)) found.push_back(each.key);
    return found;
  };
  CHECK(keys() == std::vector<std::string>{"model.adapter"});
  config.model.adapter = lora;
  CHECK(keys().empty());
  config = small_text_config(LanguageModelShape::gpt2);
  config.model.adapter = lora;
  CHECK(keys() == std::vector<std::string>{"model.positions"});
}

}  // namespace calque
