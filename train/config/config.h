#pragma once
// Everything that a person can set, as plain structs with defaults. What each member means, what it
// may be and how it is called elsewhere stands in the schema (schema.h), once, under the name that
// it has here: `model.d_model` in a file is Config::model.d_model.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/limits.h"

namespace calque {

// Enumerators and their names in a config stand in the same order; choices() gives the names.
template <class... Names>
constexpr std::array<std::string_view, sizeof...(Names)> choice_names(Names... all) {
  return {all...};
}

// One corpus. Of pairs: exactly one of prefix, source + target, tsv and toy. Of text: one of text
// and toy.
struct CorpusConfig {
  enum class Toy { none, copy, reverse, sort, toy_en_de, toy_en_fr, toy_text };
  friend constexpr auto choices(Toy) {
    return choice_names("none", "copy", "reverse", "sort", "toy-en-de", "toy-en-fr", "toy-text");
  }
  // automatic: that of the section in which the corpus stands.
  enum class Split { automatic, train, validation, test, compositional };
  friend constexpr auto choices(Split) {
    return choice_names("auto", "train", "validation", "test", "compositional");
  }

  std::string name;
  std::vector<std::string> text;  // files of a language model
  std::string prefix;
  std::vector<std::string> languages;
  std::string source;
  std::string target;
  std::string tsv;
  int64_t source_column = 1;
  int64_t target_column = 2;
  Toy toy = Toy::none;
  Split split = Split::automatic;
  int64_t pairs = 0;
  int64_t seed = 1;
  int64_t symbols = 26;
  int64_t shortest = 1;
  int64_t longest = 12;
  double weight = 1;
  int64_t epochs = 0;

  bool operator==(const CorpusConfig&) const = default;
};

using Corpora = std::vector<CorpusConfig>;

struct DataConfig {
  enum class InvalidUtf8 { error, skip };
  friend constexpr auto choices(InvalidUtf8) { return choice_names("error", "skip"); }
  enum class Documents { lines, paragraphs, files };
  friend constexpr auto choices(Documents) { return choice_names("lines", "paragraphs", "files"); }

  std::vector<std::string> languages;
  Corpora train;
  Corpora validation;
  Corpora test;
  bool lowercase = false;
  bool nfkc = true;
  InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  int64_t max_length = 256;
  double max_ratio = 0;
  bool drop_duplicates = false;
  bool cache = true;
  Documents documents = Documents::lines;
  int64_t context = 256;
  bool cross_documents = true;

  bool operator==(const DataConfig&) const = default;
};

struct TokenizerConfig {
  enum class Kind { sentencepiece_bpe, sentencepiece_unigram, words, characters, bytes };
  friend constexpr auto choices(Kind) {
    return choice_names("sentencepiece-bpe", "sentencepiece-unigram", "words", "characters",
                        "bytes");
  }

  Kind kind = Kind::sentencepiece_bpe;
  bool joint = true;
  int64_t vocabulary_size = 8000;
  std::vector<std::string> files;
  int64_t minimum_count = 1;
  double character_coverage = 0.9995;
  bool byte_fallback = false;
  double bpe_dropout = 0;
  int64_t training_pairs = 1'000'000;

  bool operator==(const TokenizerConfig&) const = default;
};

struct ModelConfig {
  enum class Preset { none, tiny, small, base, big };
  friend constexpr auto choices(Preset) {
    return choice_names("none", "tiny", "small", "base", "big");
  }
  enum class Norm { post, pre };
  friend constexpr auto choices(Norm) { return choice_names("post", "pre"); }
  enum class NormKind { layer, rms };
  friend constexpr auto choices(NormKind) { return choice_names("layer", "rms"); }
  enum class Activation { relu, gelu, silu, swiglu };
  friend constexpr auto choices(Activation) {
    return choice_names("relu", "gelu", "silu", "swiglu");
  }
  enum class Positions { interleaved, halves, t2t, learned, rotary, none };
  friend constexpr auto choices(Positions) {
    return choice_names("interleaved", "halves", "t2t", "learned", "rotary", "none");
  }
  enum class Tied { all, target, none };
  friend constexpr auto choices(Tied) { return choice_names("all", "target", "none"); }

  Preset preset = Preset::none;
  int64_t d_model = 512;
  int64_t d_ff = 2048;
  int64_t heads = 8;
  int64_t layers = 6;  // of a model that is one stack
  int64_t encoder_layers = 6;
  int64_t decoder_layers = 6;
  Norm norm = Norm::post;
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = 1e-5;
  Activation activation = Activation::relu;
  Positions positions = Positions::interleaved;
  int64_t max_positions = 1024;
  Tied tied = Tied::all;
  bool output_bias = false;
  double dropout = 0.1;
  double attention_dropout = 0;
  double activation_dropout = 0;
  std::string init_from;

  bool operator==(const ModelConfig&) const = default;
};

struct TrainingConfig {
  enum class BatchBy { target, source, both };
  friend constexpr auto choices(BatchBy) { return choice_names("target", "source", "both"); }
  enum class Optimizer { adam, adamw, sgd, adafactor };
  friend constexpr auto choices(Optimizer) {
    return choice_names("adam", "adamw", "sgd", "adafactor");
  }
  enum class Decayed { everything, matrices, matrices_but_embeddings };
  friend constexpr auto choices(Decayed) {
    return choice_names("everything", "matrices", "matrices-but-embeddings");
  }
  enum class Schedule { noam, inverse_sqrt, cosine, linear, constant };
  friend constexpr auto choices(Schedule) {
    return choice_names("noam", "inverse_sqrt", "cosine", "linear", "constant");
  }
  enum class Precision { float32, bfloat16 };
  friend constexpr auto choices(Precision) { return choice_names("float32", "bfloat16"); }
  // Whether the rate falls to its last value at a step told beforehand.
  friend constexpr bool comes_to_an_end(Schedule kind) {
    return kind == Schedule::cosine || kind == Schedule::linear;
  }
  // How validation sentences are translated: not at all, greedily, or as `decoding` says.
  enum class Translate { none, greedy, beam };
  friend constexpr auto choices(Translate) { return choice_names("none", "greedy", "beam"); }

  int64_t seed = 1;
  Until until = until_updates(100'000);
  int64_t batch_tokens = 4096;
  BatchBy batch_by = BatchBy::target;
  int64_t batch_sentences = 0;
  int64_t accumulation = 1;
  Bytes memory_limit;
  int64_t threads = 0;
  Precision precision = Precision::float32;

  Optimizer optimizer = Optimizer::adam;
  std::array<double, 2> betas{0.9, 0.98};
  double epsilon = 1e-9;
  double momentum = 0.9;
  double weight_decay = 0;
  Decayed decayed = Decayed::matrices;
  double clip_norm = 0;
  double label_smoothing = 0.1;
  double r_drop = 0;
  double ema = 0;

  Schedule schedule = Schedule::noam;
  double factor = 1;
  double learning_rate = 5e-4;
  int64_t warmup_steps = 4000;
  double warmup_from = 0;
  int64_t decay_steps = 0;
  double final_learning_rate = 0;

  Interval validate_every{.updates = 1000};
  Translate validate_translate = Translate::none;
  int64_t validate_sentences = 0;
  std::string metric = "loss";  // one of the task's
  int64_t patience = 0;
  Interval save_every{.updates = 1000};
  bool save_in_background = true;
  int64_t keep_last = 3;
  int64_t keep_best = 1;

  bool check_finite = true;
  int64_t max_bad_steps = 10;
  double divergence_factor = 3;
  int64_t divergence_steps = 200;

  bool operator==(const TrainingConfig&) const = default;
};

struct DecodingConfig {
  enum class Penalty { wu, power, none };
  friend constexpr auto choices(Penalty) { return choice_names("wu", "power", "none"); }
  enum class Stop { optimal, first, never };
  friend constexpr auto choices(Stop) { return choice_names("optimal", "first", "never"); }
  enum class Bleu { mteval_13a, intl, character, none };
  friend constexpr auto choices(Bleu) { return choice_names("13a", "intl", "char", "none"); }

  int64_t beam = 5;
  double length_penalty = 1;
  Penalty length_penalty_kind = Penalty::power;
  Stop early_stopping = Stop::optimal;
  int64_t n_best = 1;
  int64_t min_length = 0;
  double min_length_ratio = 0;
  int64_t max_length = 0;
  double max_length_ratio = 2;
  int64_t max_length_extra = 50;
  int64_t no_repeat_ngram = 0;
  bool allow_unknown = false;
  int64_t batch_tokens = 4096;
  Bleu bleu_tokenize = Bleu::mteval_13a;
  bool bleu_lowercase = false;

  bool operator==(const DecodingConfig&) const = default;
};

struct LoggingConfig {
  int64_t every = 100;
  int64_t samples = 3;
  bool report = true;
  bool tensorboard = false;

  bool operator==(const LoggingConfig&) const = default;
};

// What is trained; each has a folder in train/tasks/.
enum class TaskKind { translation, language_model };
constexpr auto choices(TaskKind) { return choice_names("translation", "language-model"); }

struct Config {
  TaskKind task = TaskKind::translation;
  DataConfig data;
  TokenizerConfig tokenizer;
  ModelConfig model;
  TrainingConfig training;
  DecodingConfig decoding;
  LoggingConfig logging;

  bool operator==(const Config&) const = default;
};

}  // namespace calque
