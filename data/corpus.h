#pragma once
// A parallel corpus: pairs of lines, in order or in any order, from two line-aligned files, from
// one TSV file, or from memory. Whatever the place, a pair is known by its number, and an error
// about it names file and line.

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/corpus_share.h"
#include "data/text_lines.h"

namespace calque {

struct TextPair {
  std::string source, target;
  bool operator==(const TextPair&) const = default;
};

enum class Side { source, target };

struct AlignedFiles {
  std::string source, target;
};

struct TsvFile {
  std::string path;
  int source_column = 1, target_column = 2;
};

struct PairsInMemory {
  std::string name;  // for messages
  std::shared_ptr<const std::vector<TextPair>> pairs;
};

// Where a corpus is, and what it has to do with an epoch.
struct CorpusSource {
  std::variant<AlignedFiles, TsvFile, PairsInMemory> place;
  CorpusShare share = {};
};

// PREFIX.SOURCE and PREFIX.TARGET, or the same with .gz.
AlignedFiles files_of_prefix(const std::string& prefix, const std::string& source_language,
                             const std::string& target_language);

// An Error if a file of the corpus cannot be opened; nothing is read.
void require_files(const CorpusSource& source);

PairsInMemory in_memory(std::string name, std::vector<TextPair> pairs);

// The same from pairs of strings, as generators give them.
template <std::same_as<std::vector<std::pair<std::string, std::string>>> Pairs>
PairsInMemory in_memory(std::string name, Pairs pairs) {
  std::vector<TextPair> texts;
  texts.reserve(pairs.size());
  for (auto& [source, target] : pairs) texts.push_back({std::move(source), std::move(target)});
  return in_memory(std::move(name), std::move(texts));
}

// "train.en + train.de", "pairs.tsv", the name.
std::string name_of(const CorpusSource& source);

// A hash of all that open corpora of this source would give: of the files' bytes as they lie there.
uint64_t content_hash(const CorpusSource& source);

struct LinePair {
  Line source, target;
};

// Consecutive pairs. The lines point into the other members, or into the corpus.
struct PairBlock {
  std::vector<LinePair> pairs;
  std::vector<char> source_bytes, target_bytes;
};

class Corpus {
 public:
  // An Error: a file that cannot be read or is empty, two files of different length.
  explicit Corpus(const CorpusSource& source);

  const std::string& name() const { return name_; }
  int64_t size() const;

  // Pairs from `first` on: at most `pairs`, and no more than make about `bytes` of text, but at
  // least one. The texts may be anything but lines; a TSV line that lacks a column is an Error.
  PairBlock read(int64_t first, int64_t pairs, int64_t bytes) const;

  // One pair; overlong lines are an Error, and so is text that is not UTF-8.
  TextPair pair(int64_t index) const;

  // "train.de:17".
  std::string where(int64_t index, Side side) const;

 private:
  struct Aligned {
    TextLines source, target;
  };
  struct Tsv {
    TextLines lines;
    int source_column, target_column;
  };

  std::string name_;
  std::variant<Aligned, Tsv, PairsInMemory> place_;
};

// Whether a line is neither overlong nor anything but UTF-8.
bool is_text(const Line& line);

// Throws the Error that a line deserves that is overlong or not UTF-8.
void require_text(const Line& line, const std::string& where);

}  // namespace calque
