#include "data/conversations/preference_dataset.h"

#include <numeric>

#include "core/error.h"
#include "data/conversations/dataset.h"
#include "data/conversations/preference.h"

namespace calque {
namespace {

// Increase it when the same input gives other ids.
constexpr int preference_version = 1;

// Adds the earlier answers to the text before the last one. Runs of answers have odd numbers.
void keep_last_answer(std::vector<int32_t>& runs) {
  const auto last =
      static_cast<std::ptrdiff_t>(runs.size() % 2 == 0 ? runs.size() - 1 : runs.size() - 2);
  const int32_t before = std::accumulate(runs.begin(), runs.begin() + last, 0);
  runs.erase(runs.begin(), runs.begin() + last);
  runs.insert(runs.begin(), before);
}

// Adds the text, ids and runs of a conversation.
void add_conversation(const Conversation& conversation, const TurnTokens& turns, int64_t context,
                      PreparedLine& to) {
  TurnTokens::Encoded encoded = turns.encode(conversation, false);
  keep_last_answer(encoded.runs);
  to.too_long = to.too_long || std::ssize(encoded.ids) - 1 > context;
  to.texts.push_back(text_of(turn_pieces(turns.options(), conversation, false)));
  to.texts.emplace_back();  // of the column of runs
  to.ids.push_back(std::move(encoded.ids));
  to.ids.push_back(std::move(encoded.runs));
}

PreparedLine prepare_preference(std::string_view line, const std::string& where,
                                const TurnTokens& turns, int64_t context) {
  const Preference preference = parse_preference(line, where);
  PreparedLine prepared;
  with_place(where, [&] {
    add_conversation(preference.chosen, turns, context, prepared);
    add_conversation(preference.rejected, turns, context, prepared);
  });
  if (prepared.ids[0] == prepared.ids[2]) {
    fail("{}: `chosen` and `rejected` have the same tokens", where);
  }
  return prepared;
}

}  // namespace

Dataset load_preferences(const std::vector<ConversationSource>& sources, const Tokenizer& tokenizer,
                         const TurnOptions& turns, const ConversationOptions& options) {
  const TurnTokens tokens(tokenizer, turns);
  return load_json_lines(sources, tokenizer, turns, options, "preferences", preference_version, 4,
                         "preference", [&](std::string_view line, const std::string& where) {
                           return prepare_preference(line, where, tokens, options.context);
                         });
}

ExampleSet preference_examples(const Dataset& dataset) {
  const TokenStore& store = *dataset.tokens;
  require(is_of_preferences(dataset), "preference_examples: {} columns", store.columns());
  ExampleSet set;
  for (int64_t i = 0; i < store.count(); ++i) {
    set.costs.push_back(static_cast<int32_t>(store.length(i, 0) + store.length(i, 2) - 2));
  }
  set.parts = dataset.ranges();
  set.read = [tokens = dataset.tokens](int64_t, int64_t example, Example& out) {
    tokens->read(example, out);
    to_columns(out[0], out[1]);
    to_columns(out[2], out[3]);
    out.push_back({static_cast<int32_t>(example)});
  };
  set.where = [dataset](int64_t example) { return dataset.where(dataset.tokens->line(example)); };
  return set;
}

}  // namespace calque
