// The options made from the settings of a config.

#include "train/tasks/translation/settings.h"

#include <doctest/doctest.h>

#include <set>
#include <tuple>

#include "core/error.h"
#include "train/config/load.h"
#include "train/config/presets.h"
#include "train/config/schema.h"
#include "train/settings.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/run_tokenizers.h"
#include "train/tasks/text/corpora.h"
#include "train/tasks/translation/text_search.h"

using namespace calque;

TEST_CASE("every schedule of the config gives the rates of its curve") {
  Config config;
  config.model.d_model = 256;
  TrainingConfig& t = config.training;
  t.until.updates = 1000;
  t.learning_rate = 0.01, t.warmup_steps = 100, t.warmup_from = 0.001;
  t.final_learning_rate = 0.002, t.factor = 3;
  const auto rate = [&](TrainingConfig::Schedule kind, int64_t step) {
    t.schedule = kind;
    return learning_rate(schedule_of(config), step);
  };
  using Kind = TrainingConfig::Schedule;
  for (const Kind kind : {Kind::inverse_sqrt, Kind::cosine, Kind::linear, Kind::constant}) {
    CHECK(rate(kind, 50) == doctest::Approx(0.0055));  // half way from 0.001 to 0.01
    CHECK(rate(kind, 100) == doctest::Approx(0.01));
  }
  CHECK(rate(Kind::inverse_sqrt, 400) == doctest::Approx(0.005));
  CHECK(rate(Kind::constant, 900) == doctest::Approx(0.01));
  CHECK(rate(Kind::linear, 550) == doctest::Approx(0.006));  // half of the way down
  CHECK(rate(Kind::cosine, 325) == doctest::Approx(0.006 + 0.004 * 0.70710678));  // an eighth turn
  CHECK(rate(Kind::linear, 1000) == doctest::Approx(0.002));
  t.decay_steps = 550;  // instead of all updates
  CHECK(rate(Kind::linear, 325) == doctest::Approx(0.006));
  CHECK(rate(Kind::cosine, 600) == doctest::Approx(0.002));
  CHECK(rate(Kind::noam, 400) == doctest::Approx(3 / 16.0 / 20));
}

TEST_CASE("dropout rises over the first epochs to its full probability") {
  Config config;
  config.training.dropout_epochs = 4;
  CHECK(risen_dropout(config, 0) == 0);
  CHECK(risen_dropout(config, 1) == doctest::Approx(0.25));
  CHECK(risen_dropout(config, 5) == 1);
  config.model.init_from = "runs/pretrained";  // whose weights can overfit at once
  CHECK(risen_dropout(config, 0) == 1);
  config = {};
  config.training.dropout_epochs = 0;
  CHECK(risen_dropout(config, 0) == 1);
}

TEST_CASE("without a schedule, rate and warm-up follow from the model, the batch and the run") {
  Config config;
  config.model.d_model = 128, config.training.batch_tokens = 8192;
  CHECK(peak_learning_rate(config) == doctest::Approx(0.01));
  config.training.optimizer = TrainingConfig::Optimizer::adam;
  CHECK(peak_learning_rate(config) == doctest::Approx(0.005));
  config.model.d_model = 512, config.training.batch_tokens = 1024, config.training.accumulation = 2;
  CHECK(peak_learning_rate(config) == doctest::Approx(0.005 / 4 / 2));
  config.training.accumulation = 1, config.training.parts = 2;
  CHECK(peak_learning_rate(config) == doctest::Approx(0.005 / 4 / 2));
  config.training.until = {.seconds = 600};
  const auto by_time = std::get<WholeRun>(schedule_of(config));
  CHECK(by_time.peak == peak_learning_rate(config));
  CHECK(by_time.warmup_steps == 4000);
  config.training.until = {.goal = {.metric = "exact"}};  // the end is unknown
  CHECK(std::get<InverseSqrt>(schedule_of(config)).warmup_steps == 1000);
  config.training.learning_rate = 0.01;
  CHECK(peak_learning_rate(config) == 0.01);
}

TEST_CASE("every optimizer of the config gets the settings of the config") {
  TrainingConfig training;
  training.momentum = 0.5, training.betas = {0.8, 0.9}, training.weight_decay = 0.01;
  training.epsilon = 0.125;
  const auto made = [&](TrainingConfig::Optimizer kind) {
    training.optimizer = kind;
    return optimizer_settings(training);
  };
  using Kind = TrainingConfig::Optimizer;
  CHECK(std::get<SgdSettings>(made(Kind::sgd)).momentum == 0.5);
  CHECK(std::get<AdafactorSettings>(made(Kind::adafactor)).decay.rate == 0.01);
  CHECK(std::get<MuonSettings>(made(Kind::muon)).decay.rate == 0.01);
  const auto adam = std::get<AdamSettings>(made(Kind::adam));
  const auto adamw = std::get<AdamSettings>(made(Kind::adamw));
  CHECK(adam.epsilon == 0.125);
  CHECK(adam.decay.rate == 0.01);
  CHECK(adam.beta1 == 0.8);
  CHECK(adam.beta2 == 0.9);
  CHECK(adam.decay.coupling == Coupling::coupled);
  CHECK(adamw.decay.coupling == Coupling::decoupled);
}

TEST_CASE("every key that a translator's model or search uses changes its options") {
  // Keys that have no effect on a translator, or affect another part of the program.
  const std::set<std::string> elsewhere = {"model.preset",
                                           "model.layers",
                                           "model.segment_embeddings",
                                           "model.masked_head",
                                           "model.patch",
                                           "model.pooling",
                                           "model.init_from",
                                           "model.embeddings",
                                           "model.predict",
                                           "decoding.bleu_tokenize",
                                           "decoding.bleu_lowercase",
                                           "decoding.precision",
                                           "decoding.force_terms"};  // with a glossary
  const std::string base = "data: {train: {toy: copy}}\nmodel: {d_model: 48, positions: learned}\n";
  const auto options = [](const Config& c) {
    const TextSearch o = text_search(c.decoding);
    return std::tuple(c.model.kind, transformer_options(c.model, 100, 100),
                      recurrent_options(c.model, 100, 100), o.beam, o.penalty, o.length_penalty,
                      o.stop, o.n_best, o.min_length, o.min_length_ratio, o.max_length,
                      o.max_length_ratio, o.max_length_extra, o.no_repeat_ngram, o.allow_unknown,
                      o.batch_tokens, o.use_shortlist, o.risk_samples, o.utility);
  };
  const Config before = parse_config(base, "c.yaml").config;
  for (const ConfigKey& key : config_keys()) {
    const bool here = key.name.starts_with("model.") || key.name.starts_with("decoding.");
    if (!here || elsewhere.contains(key.name)) continue;
    Config changed = before;
    bool found = false;
    for (const char* value :
         {"16", "2", "0.05", "true", "false", "none", "pre", "rms", "gelu", "first", "{count: 4}",
          "{window: 4}", "{base: 2}", "{kind: lora}", "rnn", "lstm", "zero", "bleu"}) {
      try {
        key.read(parse_yaml_argument(value, key.name), changed);
        options(changed);
      } catch (const Error&) {
        changed = before;
        continue;
      }
      found = key.write(changed) != key.write(before);
      if (found) break;
    }
    CHECK_MESSAGE(found, key.name);
    CHECK_MESSAGE(options(changed) != options(before), key.name);
  }
}

TEST_CASE("data.lowercase makes BLEU and chrF ignore case, and bleu_lowercase only BLEU") {
  Config config;
  CHECK_FALSE(bleu_options(config).lowercase);
  CHECK_FALSE(chrf_options(config).lowercase);
  config.decoding.bleu_lowercase = true;  // only for BLEU
  CHECK(bleu_options(config).lowercase);
  CHECK_FALSE(chrf_options(config).lowercase);
  config.decoding.bleu_lowercase = false;
  config.data.lowercase = true;
  CHECK(bleu_options(config).lowercase);
  CHECK(chrf_options(config).lowercase);
}

TEST_CASE("a corpus is read from the files in the config, and named after them") {
  Config config;
  config.data.languages = {"en", "de"};
  const auto source = [&](const CorpusConfig& corpus) {
    return corpus_sources({corpus}, config.data, Split::train).at(0);
  };
  CorpusConfig tsv;
  tsv.tsv = "pairs.tsv", tsv.source_column = 3, tsv.target_column = 1, tsv.weight = 0.5,
  tsv.epochs = 7;
  const auto columns = std::get<TsvFile>(source(tsv).place);
  CHECK(columns.path == "pairs.tsv");
  CHECK(columns.columns == std::vector<int>{3, 1});
  CHECK(source(tsv).share.weight == 0.5);
  CHECK(source(tsv).share.epochs == 7);
  CHECK(corpus_name(tsv) == "pairs.tsv");
  CorpusConfig aligned;
  aligned.source = "a.en", aligned.target = "b.de";
  CHECK(std::get<AlignedFiles>(source(aligned).place).paths.at(1) == "b.de");
  CHECK(corpus_name(aligned) == "a.en");
  CorpusConfig prefixed;
  prefixed.prefix = "train";
  CHECK(std::get<AlignedFiles>(source(prefixed).place).paths.at(0).starts_with("train.en"));
  CHECK(corpus_name(prefixed) == "train");
  prefixed.name = "mine";
  CHECK(corpus_name(prefixed) == "mine");
}

TEST_CASE("the tokens that a batch counts are those of the sides that batch_by names") {
  TrainingConfig training;
  const auto columns = [&](TrainingConfig::BatchBy by) {
    training.batch_by = by;
    return cost_columns(training);
  };
  CHECK(columns(TrainingConfig::BatchBy::source) == std::vector<int>{0});
  CHECK(columns(TrainingConfig::BatchBy::target) == std::vector<int>{1});
  CHECK(columns(TrainingConfig::BatchBy::both) == std::vector<int>{0, 1});
}

TEST_CASE("a language model has as many learned positions as its context, and no source to tie") {
  Config config;
  config.task = TaskKind::language_model;
  config.data.context = 77;
  config.model.max_positions = 9;
  config.model.positions = PositionKind::learned;
  CHECK(language_model_options(config, 50).layer.max_positions == 77);
  CHECK(language_model_options(config, 50).tied);
  config.model.tied = Tying::none;
  CHECK_FALSE(language_model_options(config, 50).tied);
}

TEST_CASE("a tokenizer needs a line end for documents of several lines, and for toy-text") {
  DataConfig data;
  data.train = {CorpusConfig{}};
  data.train[0].text = {"a.txt"};
  CHECK_FALSE(has_line_ends(data));
  data.documents = DocumentUnit::paragraphs;
  CHECK(has_line_ends(data));
  data.documents = DocumentUnit::lines;
  data.train[0].toy = CorpusConfig::Toy::toy_text;
  CHECK(has_line_ends(data));
}
