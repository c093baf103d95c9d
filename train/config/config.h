#pragma once
// All settings, as plain structs with their defaults: `model.d_model` in a file is
// Config::model.d_model. The schema (schema.h) has the meaning and the allowed values of each
// setting. A choice that belongs to a lower layer uses the enum of that layer.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/named.h"
#include "core/products/blas.h"
#include "data/conversations/turns.h"
#include "data/corpora/filters.h"
#include "data/documents/documents.h"
#include "data/images/augmentation.h"
#include "data/tokenizers/tokenizer.h"
#include "data/toy/toy.h"
#include "data/words/contexts.h"
#include "decode/search/search.h"
#include "nn/options.h"
#include "optim/flat.h"
#include "train/config/checks/limits.h"
#include "train/metrics/tokenization/tokenization.h"
#include "train/metrics/translation/minimum_risk.h"

namespace calque {

// What is trained; each task has a folder in train/tasks/.
enum class TaskKind {
  translation,
  language_model,
  masked_lm,
  classification,
  images,
  word2vec,
  tagging
};
inline constexpr Named<TaskKind> task_kinds[] = {
    {"translation", TaskKind::translation}, {"language-model", TaskKind::language_model},
    {"masked-lm", TaskKind::masked_lm},     {"classification", TaskKind::classification},
    {"images", TaskKind::images},           {"word2vec", TaskKind::word2vec},
    {"tagging", TaskKind::tagging}};

// One corpus. A corpus of pairs has exactly one of prefix, source + target, file, tsv and toy; a
// corpus of text has one of text, conversations, preferences and toy; of labelled text, one of
// labelled and toy; of tagged words, one of tagged and toy; of images, one of images and toy.
struct CorpusConfig {
  using Toy = calque::Toy;
  using Split = calque::Split;
  // In which directions a corpus of a multilingual run is translated.
  enum class Directions { forward, backward, both };

  std::string name;
  std::vector<std::string> text;           // files of a language model
  std::vector<std::string> conversations;  // files of JSON lines of a language model
  std::vector<std::string> preferences;    // the same, each line with two answers
  std::string labelled;                    // a file of classification: label, tab or space, text
  std::string tagged;                      // a file of tagging: a word and its tag in each line
  std::string images;                      // a folder of classes, or an IDX file
  std::string labels;  // the IDX file of its labels; empty: the one beside `images`
  std::string prefix;
  std::vector<std::string> languages;
  Directions directions = Directions::forward;
  std::string source;
  std::string target;
  std::string file;  // of translators: .po, .mo, .tmx, .xlf
  std::string tsv;
  int64_t source_column = 1;
  int64_t target_column = 2;
  Toy toy = Toy::none;
  std::optional<Split> split;  // absent: the split of the section, such as data.validation
  int64_t pairs = 0;
  int64_t seed = 1;
  int64_t symbols = 26;
  int64_t shortest = 1;
  int64_t longest = 12;
  double weight = 1;
  int64_t epochs = 0;
  bool teacher = true;  // whether training.teacher teaches it

  bool operator==(const CorpusConfig&) const = default;
};
// The keys of which a corpus has exactly one, and those of them that name one file or folder.
inline constexpr std::string_view corpus_forms =
    "`prefix`, `source` and `target`, `file`, `tsv`, `text`, `conversations`, `preferences`, "
    "`labelled`, `tagged`, `images` and `toy`";
inline constexpr std::string CorpusConfig::*corpus_paths[] = {
    &CorpusConfig::prefix,   &CorpusConfig::source, &CorpusConfig::file,  &CorpusConfig::tsv,
    &CorpusConfig::labelled, &CorpusConfig::tagged, &CorpusConfig::images};
inline constexpr Named<CorpusConfig::Directions> corpus_directions[] = {
    {"forward", CorpusConfig::Directions::forward},
    {"backward", CorpusConfig::Directions::backward},
    {"both", CorpusConfig::Directions::both}};
inline constexpr Named<std::optional<Split>> toy_splits[] = {
    {"auto", std::nullopt},
    {"train", Split::train},
    {"validation", Split::validation},
    {"test", Split::test},
    {"compositional", Split::compositional}};

using Corpora = std::vector<CorpusConfig>;

// Sources that a run makes of texts in the target language.
struct BackTranslation {
  std::string run;  // empty: none
  std::vector<std::string> text;
  int64_t beam = 1;
  bool sampling = false;
  int64_t top_k = 0;
  bool tag = true;
  double weight = 1;
  int64_t epochs = 0;

  bool operator==(const BackTranslation&) const = default;
};

// Targets that a run makes of the sources of data.train.
struct Distillation {
  std::string run;  // empty: none
  int64_t beam = 5;
  bool keep = false;

  bool operator==(const Distillation&) const = default;
};

// Terms that are marked in training sources, with their translations.
struct TermTraining {
  double share = 0;  // of the pairs with terms; 0: none
  std::string file;  // a glossary; empty: learned from the corpora

  bool operator==(const TermTraining&) const = default;
};

struct DataConfig {
  std::vector<std::string> languages;
  bool multilingual = false;
  double temperature = 1;  // of the choice of a language pair
  Corpora train;
  Corpora validation;
  Corpora test;
  BackTranslation back_translate;
  Distillation distill;
  TermTraining terms;
  int64_t preceding_sentences = 0;
  bool lowercase = false;
  bool nfkc = true;
  InvalidText invalid_utf8 = InvalidText::error;
  int64_t max_length = 256;
  double max_ratio = 0;
  bool drop_duplicates = false;
  bool cache = true;
  DocumentUnit documents = DocumentUnit::lines;
  int64_t context = 256;
  TurnOptions turns;
  bool cross_documents = true;
  bool begin_windows = false;
  double mask_share = 0.15;
  bool whole_words = false;
  int64_t window = 5;
  double subsample = 0.001;
  int64_t image_size = 0;  // 0: that of model.init_from, or of all images

  bool operator==(const DataConfig&) const = default;
};

struct TokenizerConfig {
  TokenizerKind kind = TokenizerKind::bpe;
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

// Files of word vectors that a run starts from; empty: none.
struct EmbeddingConfig {
  std::string source;  // also for the only table of a task with one language
  std::string target;
  bool freeze = false;

  bool operator==(const EmbeddingConfig&) const = default;
};

// The options of all modules, and those of whole models.
struct ModelConfig : LayerOptions {
  enum class Preset { none, tiny, small, base, big };

  enum class Kind { transformer, rnn };  // of a translator

  Preset preset = Preset::none;
  Kind kind = Kind::transformer;
  CellKind cell = CellKind::gru;
  ScoreKind attention_score = ScoreKind::additive;
  int64_t hidden = 0;  // 0: d_model
  int64_t layers = 6;  // of a decoder-only or encoder-only model
  int64_t encoder_layers = 6;
  int64_t decoder_layers = 6;
  Tying tied = Tying::all;
  DecoderStart decoder_start = DecoderStart::bos;
  bool source_end = true;
  bool output_bias = false;
  real output_cap = 0;
  bool segment_embeddings = false;
  bool masked_head = true;
  Pooling pooling = Pooling::cls;
  int64_t patch = 4;  // the side of a patch in pixels
  WordPrediction predict = WordPrediction::skip_gram;
  std::string init_from;
  EmbeddingConfig embeddings;

  bool operator==(const ModelConfig&) const = default;
};
inline constexpr Named<ModelConfig::Kind> model_kinds[] = {
    {"transformer", ModelConfig::Kind::transformer}, {"rnn", ModelConfig::Kind::rnn}};
inline constexpr Named<ModelConfig::Preset> presets[] = {{"none", ModelConfig::Preset::none},
                                                         {"tiny", ModelConfig::Preset::tiny},
                                                         {"small", ModelConfig::Preset::small},
                                                         {"base", ModelConfig::Preset::base},
                                                         {"big", ModelConfig::Preset::big}};

struct TrainingConfig {
  enum class BatchBy { target, source, both };
  enum class Optimizer { adam, adamw, sgd, adafactor, muon };
  enum class Schedule { whole_run, noam, inverse_sqrt, cosine, linear, constant };
  // How validation sentences are translated: not at all, greedily, or with the section `decoding`.
  enum class Translate { none, greedy, beam };

  int64_t seed = 1;
  Until until{.updates = 100'000};
  int64_t batch_tokens = 0;  // 0: chosen for the run, unless batch_sentences is set
  BatchBy batch_by = BatchBy::target;
  int64_t batch_sentences = 0;
  int64_t accumulation = 1;
  int64_t parts = 1;
  Precision exchange = Precision::full;
  int64_t outer_steps = 0;
  double outer_rate = 0.7;
  double outer_momentum = 0.9;
  Bytes memory_limit;
  int64_t threads = 0;
  Precision precision = Precision::full;

  Optimizer optimizer = Optimizer::muon;
  std::array<double, 2> betas{0.9, 0.98};
  double epsilon = 1e-9;
  double momentum = 0.9;
  double weight_decay = 0;
  Decayed decayed = Decayed::matrices;
  double clip_norm = 0;
  double label_smoothing = 0.1;
  std::vector<std::string> class_weights;
  double r_drop = 0;
  std::string teacher;  // the folder of a run; empty: none
  double teacher_share = 0.5;
  double dpo_beta = 0.1;
  double dropout_epochs = 10;
  double ema = 0;
  int64_t negatives = 5;

  Schedule schedule = Schedule::whole_run;
  double factor = 1;
  double learning_rate = 0;  // 0: see peak_learning_rate()
  int64_t warmup_steps = 4000;
  double warmup_from = 0;
  int64_t decay_steps = 0;
  double final_learning_rate = 0;

  Interval validate_every{.updates = 1000};
  Translate validate_translate = Translate::none;
  int64_t validate_sentences = 0;
  std::string metric = "loss";  // a metric of the task
  int64_t patience = 0;
  Interval save_every{.updates = 1000};
  bool save_in_background = true;
  int64_t keep_last = 3;
  int64_t keep_best = 1;

  bool check_finite = true;
  int64_t max_bad_steps = 10;
  double divergence_factor = 3;
  int64_t divergence_steps = 200;
  int64_t rank_deadline = 20;  // seconds

  // The number of batches in a step, and in one update by an optimizer: with outer_steps, a step
  // consists of several updates by each part.
  int64_t batches_of_step() const {
    return parts * accumulation * std::max<int64_t>(1, outer_steps);
  }
  int64_t batches_of_update() const {
    return outer_steps > 0 ? accumulation : parts * accumulation;
  }
  // Whether a new run chooses batch_tokens (train/run/batch_size.h).
  static constexpr int64_t usual_batch_tokens = 4096;
  bool chooses_batch() const { return batch_tokens == 0 && batch_sentences == 0; }
  // Whether the learning rate reaches its last value at a step that is known in advance.
  bool has_final_step() const {
    return schedule == Schedule::cosine || schedule == Schedule::linear;
  }
  bool operator==(const TrainingConfig&) const = default;
};
inline constexpr Named<TrainingConfig::BatchBy> batch_sides[] = {
    {"target", TrainingConfig::BatchBy::target},
    {"source", TrainingConfig::BatchBy::source},
    {"both", TrainingConfig::BatchBy::both}};
inline constexpr Named<TrainingConfig::Optimizer> optimizers[] = {
    {"adam", TrainingConfig::Optimizer::adam},
    {"adamw", TrainingConfig::Optimizer::adamw},
    {"sgd", TrainingConfig::Optimizer::sgd},
    {"adafactor", TrainingConfig::Optimizer::adafactor},
    {"muon", TrainingConfig::Optimizer::muon}};
inline constexpr Named<TrainingConfig::Schedule> schedules[] = {
    {"auto", TrainingConfig::Schedule::whole_run},
    {"noam", TrainingConfig::Schedule::noam},
    {"inverse_sqrt", TrainingConfig::Schedule::inverse_sqrt},
    {"cosine", TrainingConfig::Schedule::cosine},
    {"linear", TrainingConfig::Schedule::linear},
    {"constant", TrainingConfig::Schedule::constant}};
inline constexpr Named<TrainingConfig::Translate> validation_searches[] = {
    {"none", TrainingConfig::Translate::none},
    {"greedy", TrainingConfig::Translate::greedy},
    {"beam", TrainingConfig::Translate::beam}};

struct DecodingConfig {
  int64_t beam = 5;
  double length_penalty = 1;
  SearchOptions::Penalty length_penalty_kind = SearchOptions::Penalty::power;
  SearchOptions::Stop early_stopping = SearchOptions::Stop::optimal;
  int64_t n_best = 1;
  int64_t min_length = 0;
  double min_length_ratio = 0;
  int64_t max_length = 0;
  double max_length_ratio = 2;
  int64_t max_length_extra = 50;
  int64_t no_repeat_ngram = 0;
  bool allow_unknown = false;
  bool force_terms = true;
  bool shortlist = true;
  int64_t mbr = 0;
  Utility mbr_metric = Utility::chrf;
  int64_t batch_tokens = 4096;
  Precision precision = Precision::full;
  Tokenization bleu_tokenize = Tokenization::v13a;
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

struct Config {
  TaskKind task = TaskKind::translation;
  DataConfig data;
  Augmentation augment;
  TokenizerConfig tokenizer;
  ModelConfig model;
  TrainingConfig training;
  DecodingConfig decoding;
  LoggingConfig logging;

  bool operator==(const Config&) const = default;
};

}  // namespace calque
