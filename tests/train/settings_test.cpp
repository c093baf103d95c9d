// A word in a config means the choice of the same name below.

#include "train/tasks/translation/settings.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/error.h"
#include "train/memory_fit.h"

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
  check_names(model.positions, position_kinds, [&] { return options().positions; });
  check_names(model.norm, norm_placements, [&] { return options().norm_placement; });
  check_names(model.norm_kind, norm_kinds, [&] { return options().norm; });
  check_names(model.activation, feed_forward_kinds, [&] { return options().feed_forward; });
  check_names(model.tied, tyings, [&] { return options().tying; });
}

TEST_CASE("every word for the search, the text and the decay means the choice of that name") {
  Config config;
  const auto penalty = [&](DecodingConfig::Penalty kind) {
    config.decoding.length_penalty_kind = kind;
    return search_options(config.decoding).penalty;
  };
  CHECK(penalty(DecodingConfig::Penalty::wu) == SearchOptions::Penalty::wu);
  CHECK(penalty(DecodingConfig::Penalty::power) == SearchOptions::Penalty::power);
  CHECK(penalty(DecodingConfig::Penalty::none) == SearchOptions::Penalty::none);

  const auto stop = [&](DecodingConfig::Stop kind) {
    config.decoding.early_stopping = kind;
    return search_options(config.decoding).stop;
  };
  CHECK(stop(DecodingConfig::Stop::optimal) == SearchOptions::Stop::optimal);
  CHECK(stop(DecodingConfig::Stop::first) == SearchOptions::Stop::first);
  CHECK(stop(DecodingConfig::Stop::never) == SearchOptions::Stop::never);

  const auto tokenizer = [&](TokenizerConfig::Kind kind) {
    config.tokenizer.kind = kind;
    return tokenizer_options(config).kind;
  };
  CHECK(tokenizer(TokenizerConfig::Kind::sentencepiece_bpe) == TokenizerKind::bpe);
  CHECK(tokenizer(TokenizerConfig::Kind::sentencepiece_unigram) == TokenizerKind::unigram);
  CHECK(tokenizer(TokenizerConfig::Kind::words) == TokenizerKind::words);
  CHECK(tokenizer(TokenizerConfig::Kind::characters) == TokenizerKind::characters);

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

TEST_CASE("every number of the model is that of the config") {
  ModelConfig model;
  model.d_model = 24, model.d_ff = 40, model.heads = 3, model.encoder_layers = 2;
  model.decoder_layers = 5, model.max_positions = 77, model.norm_epsilon = 0.25;
  model.output_bias = true, model.tied = ModelConfig::Tied::none;
  model.dropout = 0.5, model.attention_dropout = 0.125, model.activation_dropout = 0.375;
  CHECK(transformer_options(model, 100, 200) ==
        TransformerOptions{.source_vocabulary = 100,
                           .target_vocabulary = 200,
                           .d_model = 24,
                           .d_ff = 40,
                           .heads = 3,
                           .encoder_layers = 2,
                           .decoder_layers = 5,
                           .max_positions = 77,
                           .norm_epsilon = real(0.25),
                           .tying = Tying::none,
                           .output_bias = true,
                           .dropout = real(0.5),
                           .attention_dropout = real(0.125),
                           .activation_dropout = real(0.375)});
}

TEST_CASE("every number of the search is that of the config") {
  DecodingConfig decoding;
  decoding.beam = 7, decoding.length_penalty = 1.5, decoding.n_best = 2, decoding.min_length = 3;
  decoding.min_length_ratio = 0.25, decoding.max_length = 40, decoding.max_length_ratio = 3.5;
  decoding.max_length_extra = 9, decoding.no_repeat_ngram = 4, decoding.batch_tokens = 123;
  const SearchOptions search = search_options(decoding);
  CHECK(search.beam == 7);
  CHECK(search.length_penalty == 1.5);
  CHECK(search.n_best == 2);
  CHECK(search.min_length == 3);
  CHECK(search.min_length_ratio == 0.25);
  CHECK(search.max_length == 40);
  CHECK(search.max_length_ratio == 3.5);
  CHECK(search.max_length_extra == 9);
  CHECK(search.no_repeat_ngram == 4);
  CHECK(search.batch_tokens == 123);
}

TEST_CASE("every number of the data, the batches and the tokeniser is that of the config") {
  Config config;
  config.data.max_length = 31, config.data.max_ratio = 2.5, config.data.drop_duplicates = true;
  const FilterOptions filters = filter_options(config.data);
  CHECK(filters.max_length == 31);
  CHECK(filters.max_length_ratio == 2.5);
  CHECK(filters.drop_duplicates);

  TrainingConfig& training = config.training;
  training.batch_tokens = 777, training.batch_sentences = 13, training.seed = 99;
  const auto unit = [&](TrainingConfig::BatchBy by) {
    training.batch_by = by;
    return batch_options(training).unit;
  };
  CHECK(unit(TrainingConfig::BatchBy::source) == BatchUnit::source);
  CHECK(unit(TrainingConfig::BatchBy::target) == BatchUnit::target);
  CHECK(unit(TrainingConfig::BatchBy::both) == BatchUnit::both);
  CHECK(batch_options(training).tokens == 777);
  CHECK(batch_options(training).sentences == 13);
  CHECK(batch_options(training).seed == 99);

  config.tokenizer.vocabulary_size = 321, config.tokenizer.minimum_count = 6;
  config.tokenizer.character_coverage = 0.75, config.tokenizer.byte_fallback = true;
  const TokenizerTraining pieces = tokenizer_training(config.tokenizer);
  CHECK(pieces.vocabulary_size == 321);
  CHECK(pieces.min_count == 6);
  CHECK(pieces.character_coverage == 0.75);
  CHECK(pieces.byte_fallback);
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
  CHECK(columns.source_column == 3);
  CHECK(columns.target_column == 1);
  CHECK(source(tsv).share.weight == 0.5);
  CHECK(source(tsv).share.epochs == 7);
  CHECK(corpus_name(tsv) == "pairs.tsv");
  CorpusConfig aligned;
  aligned.source = "a.en", aligned.target = "b.de";
  CHECK(std::get<AlignedFiles>(source(aligned).place).target == "b.de");
  CHECK(corpus_name(aligned) == "a.en");
  CorpusConfig prefixed;
  prefixed.prefix = "train";
  CHECK(std::get<AlignedFiles>(source(prefixed).place).source.starts_with("train.en"));
  CHECK(corpus_name(prefixed) == "train");
  prefixed.name = "mine";
  CHECK(corpus_name(prefixed) == "mine");
}

TEST_CASE("a limit of memory cuts the batch into as few pieces as fit, or is refused") {
  Config config;
  config.training.batch_tokens = 8192;
  const TransformerOptions options = transformer_options(config.model, 1000, 1000);
  const auto pieces = [&](double bytes) {
    config.training.memory_limit = {static_cast<int64_t>(bytes)};
    return pieces_for_memory(config, options);
  };
  const auto needed = [&](int64_t count) {
    SummaryBatch part = summary_batch(config);
    part.source_tokens = largest_piece(part.source_tokens, count);
    part.target_tokens = largest_piece(part.target_tokens, count);
    part.source_length = part.target_length = 1000;  // long, whatever the corpus has
    part.accumulated = count > 1;
    return summarise(options, part).memory.total();
  };
  CHECK(pieces(0) == 1);
  CHECK(pieces(needed(1) + 1) == 1);
  CHECK(pieces(needed(1) - 1) == 2);
  CHECK(pieces(needed(4) + 1) == 4);
  CHECK_THROWS_WITH_AS(pieces(1e6), doctest::Contains("training.memory_limit of 1MB is too little"),
                       Error);
}

TEST_CASE("a limit of memory holds for sentences of the greatest length, if they are counted") {
  Config config;
  const TransformerOptions options = transformer_options(config.model, 1000, 1000);
  const auto pieces = [&](int64_t tokens, int64_t sentences, int64_t longest) {
    config.training.batch_tokens = tokens;
    config.training.batch_sentences = sentences;
    config.data.max_length = longest;
    return pieces_for_memory(config, options);
  };
  config.training.memory_limit = {std::numeric_limits<int64_t>::max()};
  CHECK(pieces(8000, 0, 99) == 1);
  config.training.memory_limit = {2'000'000'000};
  const int64_t by_tokens = pieces(8000, 0, 99);
  REQUIRE(by_tokens > 1);
  CHECK(pieces(0, 80, 99) == by_tokens);  // 80 sentences of 99 tokens and </s>
  CHECK(pieces(8000, 1'000'000, 99) == by_tokens);
  CHECK(pieces(8'000'000, 80, 99) == by_tokens);
  CHECK(pieces(8000, 80, 0) == by_tokens);
  CHECK(pieces(0, 4, 99) == 1);
}

TEST_CASE("with r_drop a step keeps two passes of each batch") {
  Config config;
  const TransformerOptions options = transformer_options(config.model, 1000, 1000);
  const auto activations = [&](double r_drop) {
    config.training.r_drop = r_drop;
    return summarise(options, summary_batch(config)).memory.activations;
  };
  const double table = 1000.0 * 512 * sizeof(real);  // the projection's gradient, formed once
  CHECK(activations(5) == doctest::Approx(2 * activations(0) - table));
}

TEST_CASE("what a step keeps of each parameter depends on the optimiser and on averaging") {
  Config config;
  const auto kept = [&](TrainingConfig::Optimizer kind, double momentum, double ema) {
    config.training.optimizer = kind;
    config.training.momentum = momentum;
    config.training.ema = ema;
    return summary_batch(config).moments;
  };
  using Kind = TrainingConfig::Optimizer;
  CHECK(kept(Kind::adam, 0, 0) == 2);
  CHECK(kept(Kind::adamw, 0, 0.999) == 3);
  CHECK(kept(Kind::sgd, 0, 0) == 0);
  CHECK(kept(Kind::sgd, 0.9, 0) == 1);
  CHECK(kept(Kind::adafactor, 0, 0) == 0);
}
