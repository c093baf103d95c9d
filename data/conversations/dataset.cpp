#include "data/conversations/dataset.h"

#include <algorithm>

#include "core/error.h"
#include "core/threads/ordered_chunks.h"
#include "data/conversations/conversation.h"
#include "data/datasets/preparation.h"
#include "data/files/content_hash.h"
#include "data/files/text_lines.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// Increase it when the same input gives other ids.
constexpr int conversation_version = 1;

constexpr int64_t conversations_at_once = 4096, conversation_bytes_at_once = 8 << 20,
                  conversations_per_chunk = 16;

// A line of a file, prepared.
struct PreparedConversation {
  bool blank = false;
  TurnTokens::Encoded encoded;
  std::string answers, rest;  // the texts of the answers, and all others
};

// The runs of a conversation are below this number.
int32_t longest_run(int64_t context) { return static_cast<int32_t>(context + 2); }

// The place of id `i` among the expected ids, which begin with id 1.
auto expected_place(std::vector<int32_t>& expected, size_t i) {
  return expected.begin() + static_cast<std::ptrdiff_t>(i > 0 ? i - 1 : 0);
}

// Calls use() and adds the place to errors of the turn format.
template <class Use>
auto with_place(const std::string& where, Use&& use) {
  try {
    return use();
  } catch (const Error& error) {
    fail("{}: {}", where, error.what());
  }
}

PreparedConversation prepare_conversation(const Line& line, const std::string& where,
                                          const TurnTokens& turns) {
  if (line.too_long) fail("{}: the line is longer than {} bytes", where, longest_line);
  PreparedConversation prepared;
  if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) {
    prepared.blank = true;
    return prepared;
  }
  const Conversation conversation = parse_conversation(line.text, where);
  with_place(where, [&] {
    for (const TurnPiece& piece : turn_pieces(turns.options(), conversation, false)) {
      (piece.answer ? prepared.answers : prepared.rest) += piece.text;
    }
    prepared.encoded = turns.encode(conversation, false);
  });
  return prepared;
}

void add_conversation_file(const TextLines& lines, int64_t first_line, const TurnTokens& turns,
                           int64_t context, DatasetPreparation& preparation) {
  for (int64_t first = 0; first < lines.count();) {
    const LineBlock block = lines.read(first, conversations_at_once, conversation_bytes_at_once);
    const auto count = std::ssize(block.lines);
    std::vector<PreparedConversation> all(static_cast<size_t>(count));
    parallel_chunks(count, conversations_per_chunk, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        all[i] = prepare_conversation(block.lines[i], lines.where(first + i), turns);
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      const PreparedConversation& own = all[i];
      if (own.blank) continue;
      const std::string_view texts[] = {own.answers, own.rest};
      const std::span<const int32_t> ids[] = {own.encoded.ids, own.encoded.runs};
      const bool too_long = std::ssize(own.encoded.ids) - 1 > context;
      preparation.add(texts, ids, first_line + first + i,
                      {too_long ? Drop::too_long : Drop::none, 0},
                      [&](int) { return lines.where(first + i); });
    }
    first += count;
  }
}

void add_conversations_of(const ConversationSource& source, const TurnTokens& turns,
                          int64_t context, DatasetPreparation& preparation) {
  std::vector<TextLines> files;
  int64_t lines = 0;
  for (const std::string& path : source.paths) {
    files.emplace_back(path);
    lines += files.back().count();
  }
  preparation.begin_part(name_of(source), lines);
  int64_t first_line = 0;
  for (const TextLines& file : files) {
    add_conversation_file(file, first_line, turns, context, preparation);
    first_line += file.count();
  }
}

uint64_t key_of_conversations(const std::vector<ConversationSource>& sources,
                              const Tokenizer& tokenizer, const TurnOptions& turns,
                              const ConversationOptions& options) {
  ContentHash hash;
  hash.add_text("conversations").add(conversation_version).add(tokenizer.hash());
  hash.add(turns.format).add_text(turns.system).add_text(turns.begin).add_text(turns.end);
  hash.add(options.context).add(options.drop_duplicates);
  for (const ConversationSource& source : sources) {
    hash.add(source.paths.size());
    for (const std::string& path : source.paths) add_file(path, hash);
  }
  return hash.value();
}

}  // namespace

std::string name_of(const ConversationSource& source) {
  const size_t more = source.paths.size() - 1;
  return source.paths.front() + (more > 0 ? fmt::format(" + {} more files", more) : "");
}

Dataset load_conversations(const std::vector<ConversationSource>& sources,
                           const Tokenizer& tokenizer, const TurnOptions& turns,
                           const ConversationOptions& options) {
  const TurnTokens tokens(tokenizer, turns);
  const CacheKey key{.key = key_of_conversations(sources, tokenizer, turns, options),
                     .columns = 2,
                     .vocabulary = std::max(tokenizer.size(), longest_run(options.context))};
  return load_sources(sources, options.cache_folder, key, "conversation", options.drop_duplicates,
                      [&](const ConversationSource& source, DatasetPreparation& preparation) {
                        add_conversations_of(source, tokens, options.context, preparation);
                      });
}

ExampleSet conversation_examples(const Dataset& dataset) {
  const TokenStore& store = *dataset.tokens;
  require(is_of_conversations(dataset), "conversation_examples: {} columns", store.columns());
  ExampleSet set;
  for (int64_t i = 0; i < store.count(); ++i) {
    set.costs.push_back(static_cast<int32_t>(store.length(i, 0) - 1));
  }
  set.parts = dataset.ranges();
  set.read = [tokens = dataset.tokens](int64_t, int64_t example, Example& out) {
    tokens->read(example, out);
    std::vector<int32_t>& inputs = out[0];
    std::vector<int32_t> expected(inputs.begin() + 1, inputs.end());
    size_t at = 0;
    for (size_t run = 0; run < out[1].size(); ++run) {
      const size_t end = at + static_cast<size_t>(out[1][run]);
      if (run % 2 == 0)
        std::fill(expected_place(expected, at), expected_place(expected, end), no_answer);
      at = end;
    }
    inputs.pop_back();
    out[1] = std::move(expected);
  };
  set.where = [dataset](int64_t example) { return dataset.where(dataset.tokens->line(example)); };
  return set;
}

std::vector<std::string> conversation_texts(const std::vector<ConversationSource>& sources,
                                            const TurnOptions& turns, int64_t most) {
  std::vector<std::string> texts;
  for (const ConversationSource& source : sources) {
    for (const std::string& path : source.paths) {
      const TextLines lines(path);
      for (int64_t i = 0; i < lines.count() && std::ssize(texts) < most; ++i) {
        const std::string line = lines.line(i);
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const Conversation conversation = parse_conversation(line, lines.where(i));
        texts.push_back(with_place(
            lines.where(i), [&] { return text_of(turn_pieces(turns, conversation, false)); }));
      }
    }
  }
  return texts;
}

}  // namespace calque
