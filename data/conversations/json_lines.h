#pragma once
// What datasets of conversations and of preferences have in common: the files, and how their lines
// become examples.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/conversations/turn_tokens.h"
#include "data/datasets/dataset.h"

namespace calque {

struct ConversationSource {
  std::vector<std::string> paths;  // JSON lines
  CorpusShare share = {};
};
std::string name_of(const ConversationSource& source);

struct ConversationOptions {
  int64_t context = 256;         // the most steps of a conversation, one fewer than its ids
  bool drop_duplicates = false;  // drop lines that occurred before
  std::string cache_folder = {};
};

// A line as an example: its texts, of which no more than columns, and its ids by column.
struct PreparedLine {
  std::vector<std::string> texts;
  std::vector<std::vector<int32_t>> ids;
  bool too_long = false;
};
using PrepareLine = std::function<PreparedLine(std::string_view line, const std::string& where)>;

// The runs of ids of a conversation (TurnTokens::Encoded) that is not too long are below this.
inline int32_t longest_run(int64_t context) { return static_cast<int32_t>(context + 2); }

// The dataset of the lines that are not blank; `kind` begins the hash of everything that decides
// it, and `noun` is the word for an example. `prepare` is called on several threads.
Dataset load_json_lines(const std::vector<ConversationSource>& sources, const Tokenizer& tokenizer,
                        const TurnOptions& turns, const ConversationOptions& options,
                        std::string_view kind, int version, int columns, const std::string& noun,
                        const PrepareLine& prepare);

// Calls use() and adds the place to errors of the turn format.
template <class Use>
auto with_place(const std::string& where, Use&& use) {
  try {
    return use();
  } catch (const Error& error) {
    fail("{}: {}", where, error.what());
  }
}

}  // namespace calque
