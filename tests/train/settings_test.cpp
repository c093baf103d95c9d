// A word in a config means the choice of the same name below.

#include "train/settings.h"

#include <doctest/doctest.h>

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
