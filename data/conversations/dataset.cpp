#include "data/conversations/dataset.h"

#include <algorithm>

#include "core/error.h"
#include "data/conversations/conversation.h"
#include "data/files/text_lines.h"

namespace calque {
namespace {

// Increase it when the same input gives other ids.
constexpr int conversation_version = 1;

// The place of id `i` among the expected ids, which begin with id 1.
auto expected_place(std::vector<int32_t>& expected, size_t i) {
  return expected.begin() + static_cast<std::ptrdiff_t>(i > 0 ? i - 1 : 0);
}

PreparedLine prepare_conversation(std::string_view line, const std::string& where,
                                  const TurnTokens& turns, int64_t context) {
  const Conversation conversation = parse_conversation(line, where);
  return with_place(where, [&] {
    std::string answers, rest;
    for (const TurnPiece& piece : turn_pieces(turns.options(), conversation, false)) {
      (piece.answer ? answers : rest) += piece.text;
    }
    TurnTokens::Encoded encoded = turns.encode(conversation, false);
    const bool too_long = std::ssize(encoded.ids) - 1 > context;
    return PreparedLine{
        {answers, rest}, {std::move(encoded.ids), std::move(encoded.runs)}, too_long};
  });
}

}  // namespace

Dataset load_conversations(const std::vector<ConversationSource>& sources,
                           const Tokenizer& tokenizer, const TurnOptions& turns,
                           const ConversationOptions& options) {
  const TurnTokens tokens(tokenizer, turns);
  return load_json_lines(sources, tokenizer, turns, options, "conversations", conversation_version,
                         2, "conversation", [&](std::string_view line, const std::string& where) {
                           return prepare_conversation(line, where, tokens, options.context);
                         });
}

void to_columns(std::vector<int32_t>& ids, std::vector<int32_t>& runs) {
  std::vector<int32_t> expected(ids.begin() + 1, ids.end());
  size_t at = 0;
  for (size_t run = 0; run < runs.size(); ++run) {
    const size_t end = at + static_cast<size_t>(runs[run]);
    if (run % 2 == 0)
      std::fill(expected_place(expected, at), expected_place(expected, end), no_answer);
    at = end;
  }
  ids.pop_back();
  runs = std::move(expected);
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
    to_columns(out[0], out[1]);
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
