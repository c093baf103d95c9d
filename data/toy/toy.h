#pragma once
// Toy languages: generated parallel text. `copy`, `reverse` and `sort` transform lines of symbols;
// `toy-en-de` and `toy-en-fr` have sentences from a synchronous grammar; `listops` has expressions
// and their values.
//
// The split `compositional` has the sentences with a combination that no other split has: a word in
// a construction, two neighbouring symbols, or an outermost operation with a number of arguments. A
// hash of the source side divides the others, so splits share no sentence whatever the seeds.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/named.h"
#include "core/random.h"

namespace calque {

// The toys: the languages below, and the documents, lines and images of the other files here.
enum class Toy {
  none,
  copy,
  reverse,
  sort,
  toy_en_de,
  toy_en_fr,
  listops,
  toy_text,
  toy_analogies,
  shapes
};
inline constexpr Named<Toy> toys[] = {
    {"none", Toy::none},       {"copy", Toy::copy},           {"reverse", Toy::reverse},
    {"sort", Toy::sort},       {"toy-en-de", Toy::toy_en_de}, {"toy-en-fr", Toy::toy_en_fr},
    {"listops", Toy::listops}, {"toy-text", Toy::toy_text},   {"toy-analogies", Toy::toy_analogies},
    {"shapes", Toy::shapes}};

enum class Split { train, validation, test, compositional };

// Throws an Error for a name other than "train", "validation", "test" and "compositional".
Split split_named(std::string_view name);

using SentencePair = std::pair<std::string, std::string>;  // source, target

// The number of symbols and the lengths of lines of copy, reverse and sort; the lengths of listops.
struct SymbolOptions {
  int64_t symbols = 26;
  int64_t shortest = 1;
  int64_t longest = 12;
};

class ToyLanguage {
 public:
  // A random pair, and whether it has a combination held out of training.
  struct Draft {
    SentencePair pair;
    bool unseen = false;
  };
  using Draw = std::function<Draft(Random&)>;

  // Throws an Error for an unknown name and for invalid options.
  static ToyLanguage named(std::string_view name, const SymbolOptions& options = {});
  static std::vector<std::string> names();
  // The language of a grammar; `file` is its name in messages.
  static ToyLanguage from_grammar(std::string_view text, std::string file);
  // The language whose pairs `draw` draws at random; it has about `count` different ones.
  static ToyLanguage from_drafts(std::string name, double count, Draw draw);

  // `count` distinct pairs of a split, in random order: a function of the arguments alone, and a
  // prefix of any longer list with the same seed. Throws an Error if the language has too few.
  std::vector<SentencePair> pairs(Split split, int64_t count, uint64_t seed) const;

  // About the number of pairs in all splits together.
  double count() const { return count_; }
  const std::string& name() const { return name_; }
  // Those of the grammar, such as "en"; "src" and "tgt" for languages without a grammar.
  const std::string& source_language() const { return source_language_; }
  const std::string& target_language() const { return target_language_; }

 private:
  static ToyLanguage symbols(Toy toy, const SymbolOptions& options);
  struct Chunk;
  Chunk attempt(Split split, uint64_t seed, uint32_t number) const;

  std::string name_;
  std::string source_language_ = "src";
  std::string target_language_ = "tgt";
  double count_ = 0;
  Draw draw_;
};

}  // namespace calque
