// The keys of model.attention, a small map.
#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/small_map.h"

namespace calque {
namespace {

using S = Sparsity;

std::vector<AttentionKey> declare_attention_keys() {
  std::vector<AttentionKey> table;
  Section in(
      "", [](auto& sparsity) -> auto& { return sparsity; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  const auto no_random = [](const S& s) { return s.random == 0; };
  constexpr std::string_view with_random = "needs random";
  constexpr Range tokens = between(0, 1'000'000);
  in.key("window", &S::window, between(1, 1'000'000), fixed,
         "The number of tokens that a token sees on each side; with a causal mask, only before it.",
         "Hugging Face: sliding_window");
  in.key("dilation", &S::dilation, between(1, 1000), fixed,
         "The distance between neighbouring tokens of the window, which then reaches this many "
         "times as far.");
  in.key("dilated_from", &S::dilated_from, tokens, fixed,
         "The first layer with dilation, counted from 0; the layers below it have dilation: 1.")
      .idle_if([](const S& s) { return s.dilation == 1; }, "needs dilation");
  in.key("full_every", &S::full_every, between(0, 1000), fixed,
         "The last of so many layers sees all tokens: with 6, the layers 5, 11, 17, ... counted "
         "from 0. 0: all layers have the window.",
         "Hugging Face: sliding_window_pattern");
  in.key("global", &S::global, tokens, fixed,
         "The number of global tokens at the start of each sequence: they see all tokens, and all "
         "tokens see them.");
  in.key("random", &S::random, between(0, 1000), fixed,
         "The number of random blocks of tokens that each block sees in addition to its window.",
         "Hugging Face: num_random_blocks");
  in.key("block", &S::block, between(1, 1'000'000), fixed,
         "The number of tokens in a block. Blocks of 64 or more are efficient.",
         "Hugging Face: block_size")
      .idle_if(no_random, with_random);
  in.key("seed", &S::seed, at_least(0), fixed, "Determines the random blocks.")
      .idle_if(no_random, with_random);
  return table;
}

}  // namespace

const std::vector<AttentionKey>& attention_keys() {
  static const std::vector<AttentionKey> keys = declare_attention_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, Sparsity& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  Sparsity sparsity;
  read_small_map(from, key, attention_keys(), sparsity);
  if (!from.entries.empty() && sparsity.window == 0) {
    fail("{}: {}: needs window, the tokens on each side", from.place.text(), key);
  }
  to = sparsity;
}

std::string write_value(const Sparsity& sparsity) {
  return sparsity.window == 0 ? "{}" : write_small_map(attention_keys(), sparsity);
}

std::string allowed_values(const Range&, const Sparsity&) {
  return "a map such as {window: 128, global: 1}";
}

}  // namespace calque
