#include "data/toy/toy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <unordered_set>

#include "core/error.h"
#include "core/threads/ordered_chunks.h"
#include "data/toy/derivation.h"
#include "data/toy/listops.h"

namespace calque {

extern const std::string_view en_de_grammar;
extern const std::string_view en_fr_grammar;

namespace {

constexpr int64_t drafts_per_chunk = 1024;
constexpr size_t most_chunks_per_round = 128;

constexpr std::array<std::pair<std::string_view, Split>, 4> splits{
    {{"train", Split::train},
     {"validation", Split::validation},
     {"test", Split::test},
     {"compositional", Split::compositional}}};

// Two sentences in a hundred are for validation, two for testing.
Split split_of(uint64_t source_hash, bool unseen) {
  if (unseen) return Split::compositional;
  const uint64_t fiftieth = (source_hash >> 32) % 50;
  return fiftieth == 0 ? Split::validation : fiftieth == 1 ? Split::test : Split::train;
}

// a, b, ... z, a1, b1, ...
std::string symbol_name(int64_t symbol) {
  std::string name(1, static_cast<char>('a' + symbol % 26));
  if (symbol >= 26) name += std::to_string(symbol / 26);
  return name;
}

std::string spell(const std::vector<int64_t>& line) {
  std::string text;
  for (const int64_t symbol : line) text += (text.empty() ? "" : " ") + symbol_name(symbol);
  return text;
}

bool held_out(int64_t left, int64_t right) {
  return hash_text(symbol_name(left) + " " + symbol_name(right)) % 50 == 0;
}

// A random line and its target. One in fifty pairs of neighbouring symbols is held out of training;
// a line with such a pair is unseen.
ToyLanguage::Draft draw_symbols(Toy toy, const SymbolOptions& options, Random& random) {
  const auto lengths = static_cast<uint64_t>(options.longest - options.shortest + 1);
  const auto length = static_cast<size_t>(options.shortest) + random.below(lengths);
  std::vector<int64_t> line(length);
  for (int64_t& symbol : line) symbol = static_cast<int64_t>(random.below(options.symbols));
  ToyLanguage::Draft draft;
  draft.pair.first = spell(line);
  for (size_t i = 1; i < length; ++i) draft.unseen = draft.unseen || held_out(line[i - 1], line[i]);
  if (toy == Toy::reverse) std::reverse(line.begin(), line.end());
  if (toy == Toy::sort) std::sort(line.begin(), line.end());
  draft.pair.second = spell(line);
  return draft;
}

// The number of lines.
double count_symbols(const SymbolOptions& options) {
  double sum = 0;
  for (int64_t length = options.shortest; length <= options.longest; ++length) {
    sum += std::pow(static_cast<double>(options.symbols), static_cast<double>(length));
  }
  return sum;
}

}  // namespace

Split split_named(std::string_view name) {
  for (const auto& [known, split] : splits) {
    if (known == name) return split;
  }
  fail("no split '{}': there are train, validation, test, compositional", name);
}

std::vector<std::string> ToyLanguage::names() {
  return {"copy", "reverse", "sort", "toy-en-de", "toy-en-fr", "listops"};
}

ToyLanguage ToyLanguage::named(std::string_view name, const SymbolOptions& options) {
  if (name == "toy-en-de" || name == "toy-en-fr") {
    const bool german = name == "toy-en-de";
    ToyLanguage language = from_grammar(german ? en_de_grammar : en_fr_grammar,
                                        german ? "en-de.grammar" : "en-fr.grammar");
    language.name_ = name;
    return language;
  }
  if (name == "listops") return listops(options);
  const auto toy = choice_named(toys, name);
  if (toy == Toy::copy || toy == Toy::reverse || toy == Toy::sort) return symbols(*toy, options);
  fail("no toy language '{}': there are {}", name, fmt::join(names(), ", "));
}

ToyLanguage ToyLanguage::symbols(Toy toy, const SymbolOptions& options) {
  const std::string_view name = name_of(toys, toy);
  if (options.symbols < 1 || options.symbols > 1'000'000) {
    fail("{}: symbols is {}, but must be from 1 to 1000000", name, options.symbols);
  }
  if (options.shortest < 1 || options.longest < options.shortest || options.longest > 10'000) {
    fail("{}: lengths from {} to {}, but 1 <= shortest <= longest <= 10000 is needed", name,
         options.shortest, options.longest);
  }
  return from_drafts(std::string(name), count_symbols(options),
                     [toy, options](Random& random) { return draw_symbols(toy, options, random); });
}

ToyLanguage ToyLanguage::from_grammar(std::string_view text, std::string file) {
  const auto grammar = std::make_shared<const Grammar>(parse_grammar(text, file));
  ToyLanguage language = from_drafts(std::move(file), grammar->categories[grammar->start].count,
                                     [grammar](Random& random) {
                                       Derivation tree;
                                       derive(*grammar, grammar->start, random, tree);
                                       Writer write(*grammar);
                                       return Draft{{write(tree, 0), write(tree, 1)}, tree.unseen};
                                     });
  language.source_language_ = grammar->languages[0];
  language.target_language_ = grammar->languages[1];
  return language;
}

ToyLanguage ToyLanguage::from_drafts(std::string name, double count, Draw draw) {
  ToyLanguage language;
  language.name_ = std::move(name);
  language.count_ = count;
  language.draw_ = std::move(draw);
  return language;
}

// The pairs of the split among some drafts, and the hashes of their sources.
struct ToyLanguage::Chunk {
  std::vector<SentencePair> pairs;
  std::vector<uint64_t> hashes;
};

ToyLanguage::Chunk ToyLanguage::attempt(Split split, uint64_t seed, uint32_t number) const {
  Chunk chunk;
  Random random(Stream{.seed = seed,
                       .step = number,
                       .part = static_cast<uint32_t>(split),
                       .use = static_cast<uint32_t>(hash_text(name_))});
  for (int64_t i = 0; i < drafts_per_chunk; ++i) {
    Draft draft = draw_(random);
    const uint64_t hash = hash_text(draft.pair.first);
    if (split_of(hash, draft.unseen) != split) continue;
    chunk.pairs.push_back(std::move(draft.pair));
    chunk.hashes.push_back(hash);
  }
  return chunk;
}

std::vector<SentencePair> ToyLanguage::pairs(Split split, int64_t count, uint64_t seed) const {
  require(count >= 0, "pairs: a count of {}", count);
  if (static_cast<double>(count) > count_) {
    fail("{}: has {} sentences in all splits together: ask for fewer than {}", name_, count_,
         count);
  }
  std::vector<SentencePair> pairs;
  std::unordered_set<uint64_t> seen;
  const auto wanted = static_cast<size_t>(count);
  // Enough drafts for a rare split; without a limit, the loop would not end for a language with too
  // few pairs.
  const int64_t most_drafts = 300'000 + 1000 * count;
  uint32_t next = 0;
  while (pairs.size() < wanted) {
    if (static_cast<int64_t>(next) * drafts_per_chunk > most_drafts) {
      fail("{}: found only {} distinct sentences for {}: ask for fewer than {}", name_,
           pairs.size(), splits[static_cast<size_t>(split)].first, count);
    }
    // Rounds grow, so that a rare split takes few rounds.
    std::vector<Chunk> round(std::clamp<size_t>(next, 2, most_chunks_per_round));
    parallel_chunks(std::ssize(round), 1, [&](int64_t i, int64_t) {
      round[i] = attempt(split, seed, next + static_cast<uint32_t>(i));
    });
    next += static_cast<uint32_t>(round.size());
    for (Chunk& chunk : round) {
      for (size_t i = 0; i < chunk.pairs.size() && pairs.size() < wanted; ++i) {
        if (seen.insert(chunk.hashes[i]).second) pairs.push_back(std::move(chunk.pairs[i]));
      }
    }
  }
  return pairs;
}

}  // namespace calque
