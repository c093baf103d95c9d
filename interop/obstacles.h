#pragma once
// The settings of a config that a format cannot hold. An export is exact or refused, except that
// CTranslate2 can round weights to int8 and llama.cpp approximates GELU.

#include <string>
#include <vector>

#include "train/config/config.h"

namespace calque {

struct Obstacle {
  std::string key;    // "model.positions"
  std::string value;  // "rotary"
};

class Obstacles {
 public:
  explicit Obstacles(const Config& of) : config(of), model(of.model) {}

  void add_if(bool in_the_way, const std::string& key);
  // Options that no engine has.
  void add_of_every_engine();
  // Options of layers that only decoder-only models of other engines have.
  void add_of_language_models();
  // What a format of adapters cannot hold beside what its models cannot: a model without one, and
  // layers that mix queries, keys and values.
  void add_of_adapters();
  std::vector<Obstacle> take() { return std::move(found_); }

  const Config& config;
  const ModelConfig& model;

 private:
  std::vector<Obstacle> found_;
};

// Add the settings that the format's model for a task cannot hold.
void limit_ctranslate2(Obstacles& in);
void limit_marian_mt(Obstacles& in);  // of transformers, as the five that follow
void limit_m2m100(Obstacles& in);
void limit_causal_layers(Obstacles& in);  // of a language model without its output
void limit_causal_lm(Obstacles& in);
void limit_bert(Obstacles& in);
void limit_vit(Obstacles& in);
void limit_onnx(Obstacles& in);
void limit_marian(Obstacles& in);
void limit_gguf(Obstacles& in);

}  // namespace calque
