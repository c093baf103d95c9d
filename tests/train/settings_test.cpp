// A word in a config means the choice of the same name below.

#include "train/tasks/translation/settings.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/run_tokenizers.h"
#include "train/training_settings.h"

using namespace calque;

namespace {

// Sets the config's choice to each of its values and compares its word with the name of what comes
// out.
template <class Choice, class Named, size_t count, class Made>
void check_names(Choice& choice, const Named (&names)[count], Made&& made) {
  const auto words = choices(Choice{});
  REQUIRE(words.size() == count);
  for (size_t i = 0; i < count; ++i) {
    choice = static_cast<Choice>(i);
    CHECK(name_of(names, made()) == words[i]);
  }
  choice = Choice{};
}

}  // namespace

TEST_CASE("every word for a part of the model makes the part of that name") {
  ModelConfig model;
  const auto options = [&] { return transformer_options(model, 100, 100); };
  check_names(model.positions, position_kinds, [&] { return options().layer.positions; });
  check_names(model.norm, norm_placements, [&] { return options().layer.norm_placement; });
  check_names(model.norm_kind, norm_kinds, [&] { return options().layer.norm_kind; });
  check_names(model.activation, feed_forward_kinds, [&] { return options().layer.feed_forward; });
  check_names(model.tied, tyings, [&] { return options().tying; });
}

TEST_CASE("every word for the search, the text and the decay means the choice of that name") {
  Config config;
  const auto penalty = [&](DecodingConfig::Penalty kind) {
    config.decoding.length_penalty_kind = kind;
    return translation_options(config.decoding).penalty;
  };
  CHECK(penalty(DecodingConfig::Penalty::wu) == TranslationOptions::Penalty::wu);
  CHECK(penalty(DecodingConfig::Penalty::power) == TranslationOptions::Penalty::power);
  CHECK(penalty(DecodingConfig::Penalty::none) == TranslationOptions::Penalty::none);

  const auto stop = [&](DecodingConfig::Stop kind) {
    config.decoding.early_stopping = kind;
    return translation_options(config.decoding).stop;
  };
  CHECK(stop(DecodingConfig::Stop::optimal) == TranslationOptions::Stop::optimal);
  CHECK(stop(DecodingConfig::Stop::first) == TranslationOptions::Stop::first);
  CHECK(stop(DecodingConfig::Stop::never) == TranslationOptions::Stop::never);

  const auto tokenizer = [&](TokenizerConfig::Kind kind) {
    config.tokenizer.kind = kind;
    return tokenizer_options(config).kind;
  };
  CHECK(tokenizer(TokenizerConfig::Kind::sentencepiece_bpe) == TokenizerKind::bpe);
  CHECK(tokenizer(TokenizerConfig::Kind::sentencepiece_unigram) == TokenizerKind::unigram);
  CHECK(tokenizer(TokenizerConfig::Kind::words) == TokenizerKind::words);
  CHECK(tokenizer(TokenizerConfig::Kind::characters) == TokenizerKind::characters);
  CHECK(tokenizer(TokenizerConfig::Kind::bytes) == TokenizerKind::bytes);

  const auto decayed = [&](TrainingConfig::Decayed kind) {
    config.training.decayed = kind;
    return std::get<AdamSettings>(optimizer_settings(config.training)).decay.what;
  };
  using Before = TrainingConfig::Decayed;
  CHECK(decayed(Before::everything) == Decayed::everything);
  CHECK(decayed(Before::matrices) == Decayed::matrices);
  CHECK(decayed(Before::matrices_but_embeddings) == Decayed::matrices_but_embeddings);
}

TEST_CASE("every schedule of the config is the curve of that name, with the config's numbers") {
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

TEST_CASE("every optimiser of the config is the one of that name") {
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
  const auto adam = std::get<AdamSettings>(made(Kind::adam));
  const auto adamw = std::get<AdamSettings>(made(Kind::adamw));
  CHECK(adam.epsilon == 0.125);
  CHECK(adam.decay.rate == 0.01);
  CHECK(adam.beta1 == 0.8);
  CHECK(adam.beta2 == 0.9);
  CHECK(adam.decay.coupling == Coupling::coupled);
  CHECK(adamw.decay.coupling == Coupling::decoupled);
}

TEST_CASE("every word for BLEU's tokenisation means the one of that name") {
  Config config;
  const auto tokenization = [&](DecodingConfig::Bleu kind) {
    config.decoding.bleu_tokenize = kind;
    return bleu_options(config).tokenization;
  };
  CHECK(tokenization(DecodingConfig::Bleu::mteval_13a) == Tokenization::v13a);
  CHECK(tokenization(DecodingConfig::Bleu::intl) == Tokenization::intl);
  CHECK(tokenization(DecodingConfig::Bleu::character) == Tokenization::character);
  CHECK(tokenization(DecodingConfig::Bleu::none) == Tokenization::none);
}

TEST_CASE("scores of texts in lower case say so in their signatures") {
  Config config;
  CHECK_FALSE(bleu_options(config).lowercase);
  CHECK_FALSE(chrf_options(config).lowercase);
  config.decoding.bleu_lowercase = true;  // BLEU's alone
  CHECK(bleu_options(config).lowercase);
  CHECK_FALSE(chrf_options(config).lowercase);
  config.decoding.bleu_lowercase = false;
  config.data.lowercase = true;
  CHECK(bleu_options(config).lowercase);
  CHECK(chrf_options(config).lowercase);
}

TEST_CASE("a corpus is read from where the config says, and called by that") {
  Config config;
  config.data.languages = {"en", "de"};
  const auto source = [&](const CorpusConfig& corpus) {
    return corpus_sources({corpus}, config.data, CorpusConfig::Split::train).at(0);
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

TEST_CASE("a language model learns as many positions as its context has, and ties by one word") {
  Config config;
  config.task = TaskKind::language_model;
  config.data.context = 77;
  config.model.max_positions = 9;
  config.model.positions = ModelConfig::Positions::learned;
  CHECK(language_model_options(config, 50).layer.max_positions == 77);
  CHECK(language_model_options(config, 50).tied);
  config.model.tied = ModelConfig::Tied::none;
  CHECK_FALSE(language_model_options(config, 50).tied);
}

TEST_CASE("a tokenizer needs a line end for documents of several lines, and for toy-text") {
  DataConfig data;
  data.train = {CorpusConfig{}};
  data.train[0].text = {"a.txt"};
  CHECK_FALSE(has_line_ends(data));
  data.documents = DataConfig::Documents::paragraphs;
  CHECK(has_line_ends(data));
  data.documents = DataConfig::Documents::lines;
  data.train[0].toy = CorpusConfig::Toy::toy_text;
  CHECK(has_line_ends(data));
}
