// One function for each subject. Each function is a list of rules: if these settings contradict
// each other, blame this key.
#include "train/config/checks/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "train/config/checks/corpora.h"
#include "train/config/checks/languages.h"
#include "train/config/language_pairs.h"
#include "train/config/presets.h"
#include "train/config/schema.h"

namespace calque {
namespace {

void complete(const DataConfig& data, Corpora& corpora, Split split, int64_t pairs) {
  for (CorpusConfig& corpus : corpora) {
    if (data.multilingual && corpus.languages.empty()) corpus.languages = toy_languages(corpus);
    const bool has_languages = data.multilingual || !corpus.prefix.empty() || !corpus.file.empty();
    if (has_languages && corpus.languages.empty()) corpus.languages = data.languages;
    if (corpus.toy == CorpusConfig::Toy::none) continue;
    if (!corpus.split) corpus.split = split;
    if (corpus.pairs == 0) corpus.pairs = pairs;
  }
}

// The divisor of `number` nearest to `wanted`.
int64_t nearest_divisor(int64_t number, int64_t wanted) {
  int64_t best = 1;
  for (int64_t divisor = 1; divisor <= number; ++divisor) {
    if (number % divisor == 0 && std::abs(divisor - wanted) < std::abs(best - wanted)) {
      best = divisor;
    }
  }
  return best;
}

void check_tokenizer(const Config& config, Contradictions& all) {
  const TokenizerConfig& tokenizer = config.tokenizer;
  const bool one = tokenizer.joint || lacks(config, Feature::pairs);
  if (!tokenizer.files.empty() && tokenizer.files.size() != (one ? 1 : 2)) {
    blame(all, "tokenizer.files", "joint: {} needs {}, not {}", tokenizer.joint,
          one ? "one file" : "two files, [source, target]", tokenizer.files.size());
  }
  const bool pretrained =
      has(config, Feature::encoder_tokenizer) && !config.model.init_from.empty();
  const bool imported =
      tokenizer.kind == TokenizerKind::word_piece || tokenizer.kind == TokenizerKind::byte_pairs;
  if (imported && tokenizer.files.empty() && !pretrained) {
    blame(all, "tokenizer.kind",
          "{} is not trained by calque; set tokenizer.files to the vocabulary of an imported "
          "model, or take sentencepiece-bpe",
          name_of(tokenizer_kinds, tokenizer.kind));
  }
  if (is_sentence_piece(tokenizer.kind) && tokenizer.files.empty() &&
      tokenizer.vocabulary_size < 10) {
    blame(all, "tokenizer.vocabulary_size", "{} is too small for SentencePiece; use about 8000",
          tokenizer.vocabulary_size);
  }
  // Two files may have the same tokens in the same order; the model checks the sizes.
  if (!one && config.model.tied == Tying::all && tokenizer.files.empty()) {
    blame(all, "tokenizer.joint",
          "model.tied: all shares one matrix between both languages and needs joint: true; or set "
          "model.tied: target");
  }
}

void check_embeddings(const Config& config, Contradictions& all) {
  const EmbeddingConfig& embeddings = config.model.embeddings;
  if (embeddings == EmbeddingConfig() || lacks(config, Feature::text)) return;
  if (config.model.adapter) {
    blame(all, "model.embeddings", "model.adapter freezes the tables; leave one of both out");
  }
  if (!embeddings.target.empty() && lacks(config, Feature::pairs)) {
    blame(all, "model.embeddings", "target {}; name the file as source",
          missing_feature(config.task, Feature::pairs));
  }
  if (config.tokenizer.kind == TokenizerKind::bytes) {
    blame(all, "model.embeddings", "bytes are not words; set tokenizer.kind");
  }
}

void check_model(const Config& config, Contradictions& all) {
  using enum PositionKind;
  if (lacks(config, Feature::network) || is_rnn(config)) return;
  const ModelConfig& model = config.model;
  if (model.head_width == 0 && model.d_model % model.heads != 0) {
    blame(all, "model.heads", "{} heads do not divide d_model {}; the nearest divisor is {}",
          model.heads, model.d_model, nearest_divisor(model.d_model, model.heads));
  } else if (model.positions == rotary && model.head_size() % 2 != 0) {
    if (model.head_width > 0) {
      blame(all, "model.head_width", "{} is odd, but positions: rotary needs pairs",
            model.head_width);
    } else {
      blame(all, "model.positions",
            "rotary needs an even head size, but d_model / heads is {} ({} / {})",
            model.head_size(), model.d_model, model.heads);
    }
  } else if (model.positions == rotary && model.rotation.rotated(model.head_size()) < 2) {
    blame(all, "model.rotation", "part: {} of {} numbers is less than a pair", model.rotation.part,
          model.head_size());
  }
  if (model.heads % model.key_heads() != 0) {
    blame(all, "model.kv_heads", "{} does not divide heads {}; the nearest divisor is {}",
          model.kv_heads, model.heads, nearest_divisor(model.heads, model.kv_heads));
  }
  if (is_sinusoidal(model.positions) && model.d_model % 2 != 0) {
    blame(all, "model.d_model", "{} is odd, but sinusoidal positions need pairs of sine and cosine",
          model.d_model);
  }
  if (model.positions == plane && lacks(config, Feature::pixels)) {
    blame(all, "model.positions", "plane {}; texts have no rows and columns",
          missing_feature(config.task, Feature::pixels));
  } else if (model.positions == plane && model.d_model % 4 != 0) {
    blame(all, "model.d_model", "{} is not a multiple of 4, which positions: plane needs",
          model.d_model);
  }
  if ((model.positions == t2t || model.positions == fairseq) && model.d_model < 4) {
    blame(all, "model.d_model", "{} is too small for positions: {}, which needs 4", model.d_model,
          name_of(position_kinds, model.positions));
  }
  const int64_t longest = config.data.max_length + 1;  // with </s>
  if (has(config, Feature::pairs) && model.positions == learned &&
      (config.data.max_length == 0 || longest > model.max_positions)) {
    blame(all, "model.max_positions",
          "{} learned positions are too few for data.max_length: {} (0: any) and </s>",
          model.max_positions, config.data.max_length);
  }
}

void check_schedule(const Config& config, Contradictions& all) {
  using Schedule = TrainingConfig::Schedule;
  const TrainingConfig& training = config.training;
  const bool ends = training.has_final_step();
  const double peak = peak_learning_rate(config);
  const bool divides =
      training.schedule == Schedule::noam || training.schedule == Schedule::whole_run;
  if (divides && training.warmup_steps == 0) {
    blame(all, "training.warmup_steps",
          "must be 1 or more for the schedules auto and noam, which divide by it");
  }
  if (!divides && training.warmup_from > peak) {
    blame(all, "training.warmup_from", "{} is above learning_rate {:.3g}, the peak",
          training.warmup_from, peak);
  }
  if (ends && training.decay_steps == 0) {
    blame(all, "training.decay_steps",
          "the schedule needs a last step; set this, or give training.until in updates, such as "
          "9000u");
  } else if (ends && training.decay_steps <= training.warmup_steps) {
    blame(all, "training.decay_steps", "{} leaves no step after warmup_steps {}",
          training.decay_steps, training.warmup_steps);
  }
  if (ends && training.final_learning_rate > peak) {
    blame(all, "training.final_learning_rate", "{} is above learning_rate {:.3g}",
          training.final_learning_rate, peak);
  }
}

void check_training(const Config& config, Contradictions& all) {
  const TrainingConfig& training = config.training;
  if (!std::has_single_bit(static_cast<uint64_t>(training.parts))) {
    const auto below = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(training.parts)));
    blame(all, "training.parts", "{} is not a power of two; use {} or {}", training.parts, below,
          2 * below);
  }
  if (training.memory_limit.count > 0 && training.batch_tokens == 0 &&
      training.batch_sentences > 0 && config.data.max_length == 0) {
    blame(all, "training.memory_limit",
          "the size of a batch has no limit: set batch_tokens, or data.max_length");
  }
  if (training.patience > 0 &&
      (config.data.validation.empty() || training.validate_every == Interval())) {
    blame(all, "training.patience", "it counts validations; set {}",
          config.data.validation.empty() ? "data.validation" : "training.validate_every");
  }
  if (training.divergence_factor > 0 && training.divergence_factor <= 1) {
    blame(all, "training.divergence_factor",
          "{} would stop training at an ordinary loss; use more than 1, or 0 for never",
          training.divergence_factor);
  }
}

void check_decoding(const Config& config, Contradictions& all) {
  const DecodingConfig& decoding = config.decoding;
  if (decoding.n_best > decoding.beam) {
    blame(all, "decoding.n_best", "{} is more than beam {}; widen the beam or lower this",
          decoding.n_best, decoding.beam);
  }
  if (decoding.max_length > 0 && decoding.min_length > decoding.max_length) {
    blame(all, "decoding.min_length", "{} is above max_length {}", decoding.min_length,
          decoding.max_length);
  }
  if (decoding.max_length == 0 && decoding.max_length_ratio == 0 &&
      decoding.max_length_extra == 0) {
    blame(all, "decoding.max_length",
          "no token is allowed: set this, max_length_ratio or max_length_extra");
  }
}

}  // namespace

void complete(Config& config) {
  DataConfig& data = config.data;
  complete(data, data.train, Split::train, 100'000);
  complete(data, data.validation, Split::validation, 1000);
  complete(data, data.test, Split::test, 1000);
  TrainingConfig& training = config.training;
  if (training.has_final_step() && training.decay_steps == 0) {
    training.decay_steps = training.until.updates;
  }
}

Contradictions contradictions(const Config& config) {
  Contradictions all;
  check_corpora(config, all);
  check_languages(config, all);
  check_tokenizer(config, all);
  check_model(config, all);
  check_embeddings(config, all);
  check_schedule(config, all);
  check_training(config, all);
  check_decoding(config, all);
  return all;
}

}  // namespace calque
