#pragma once
// Toy languages: endless parallel text that needs no download. `copy`, `reverse` and `sort` over
// symbols; `toy-en-de` and `toy-en-fr`, real sentences from a synchronous grammar.
//
// A sentence belongs to one split for good, by a hash of its source side, so splits share no
// sentence whatever the seeds. The split `compositional` holds the sentences with a word in a
// construction in which the other splits never show it.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"

namespace calque {

enum class Split { train, validation, test, compositional };

// The split called so: "train", "validation", "test" or "compositional"; an Error for other names.
Split split_named(std::string_view name);

using SentencePair = std::pair<std::string, std::string>;  // source, target

// The size of copy, reverse and sort: how many symbols there are, and how long a line is.
struct SymbolOptions {
  int64_t symbols = 26;
  int64_t shortest = 1;
  int64_t longest = 12;
};

class ToyLanguage {
 public:
  // A random pair, and whether it holds a combination kept from training.
  struct Draft {
    SentencePair pair;
    bool unseen = false;
  };
  using Draw = std::function<Draft(Random&)>;

  // An Error for an unknown name lists the known ones.
  static ToyLanguage named(std::string_view name, const SymbolOptions& options = {});
  static std::vector<std::string> names();
  // A language of one's own; `file` is the name that messages use.
  static ToyLanguage from_grammar(std::string_view text, std::string file);
  // The same from a function that draws one of about `count` pairs.
  static ToyLanguage from_drafts(std::string name, double count, Draw draw);

  // `count` distinct pairs of a split, in random order: a function of the arguments alone, not of
  // the number of threads, and the beginning of any longer list with the same seed. An Error if the
  // language has too few.
  std::vector<SentencePair> pairs(Split split, int64_t count, uint64_t seed) const;

  // How many pairs there are, in all splits together.
  double count() const { return count_; }
  const std::string& name() const { return name_; }
  // Such as "en"; "src" and "tgt" for symbols.
  const std::string& source_language() const { return source_language_; }
  const std::string& target_language() const { return target_language_; }

 private:
  static ToyLanguage symbols(std::string_view name, const SymbolOptions& options);
  struct Chunk;
  Chunk attempt(Split split, uint64_t seed, uint32_t number) const;

  std::string name_;
  std::string source_language_ = "src";
  std::string target_language_ = "tgt";
  double count_ = 0;
  Draw draw_;
};

}  // namespace calque
