#include "train/tasks/translation/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "data/files/text_lines.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/translation/parts.h"

namespace calque {
namespace {

// The parts of the sources, with the prefixes and the numbers of these sources. Equal parts of a
// source are translated once: a long line may repeat one word.
struct SearchInputs {
  std::vector<std::vector<int32_t>> sources, prefixes;
  std::vector<int64_t> numbers;
  std::vector<std::shared_ptr<const RequiredPhrases>> required;
  std::vector<std::pair<size_t, size_t>> uses;  // of each part: the index of its source, its input
};

bool in_parts(int64_t tokens, const TranslationOptions& options) {
  return options.longest_source > 0 && tokens > options.longest_source;
}

// The k-th translation of a source joins the k-th one of each part, or the last one of a part with
// fewer.
void append_part(FoundTranslations& found, const std::vector<Hypothesis>& part) {
  if (found.best.empty()) {
    found.best = part;
    found.target_ends.resize(found.best.size());
  } else {
    const size_t count = std::max(found.best.size(), part.size());
    found.best.resize(count, found.best.back());
    found.target_ends.resize(count, found.target_ends.back());
    for (size_t k = 0; k < count; ++k) {
      const Hypothesis& added = part[std::min(k, part.size() - 1)];
      Hypothesis& whole = found.best[k];
      whole.ids.insert(whole.ids.end(), added.ids.begin(), added.ids.end());
      whole.log_probability += added.log_probability;
      whole.score += added.score;
      whole.finished = whole.finished && added.finished;
    }
  }
  for (size_t k = 0; k < found.best.size(); ++k) {
    found.target_ends[k].push_back(found.best[k].ids.size());
  }
}

}  // namespace

std::vector<FoundTranslations> search_sources(std::span<const Translator> models,
                                              const Tokenizers& tokenizers,
                                              std::vector<std::vector<int32_t>> sources,
                                              const TranslationOptions& asked,
                                              std::span<const std::vector<int32_t>> prefixes,
                                              int64_t first_number,
                                              const std::function<void(int64_t)>& done) {
  std::vector<FoundTranslations> found(sources.size());
  SearchInputs inputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    FoundTranslations& own = found[i];
    own.source = std::move(sources[i]);
    std::vector<int32_t> beginning;
    if (!prefixes.empty()) beginning = prefixes[i];
    if (own.source.empty()) {
      append_part(own, {Hypothesis{.ids = std::move(beginning)}});
      continue;
    }
    own.source_ends = {own.source.size()};
    if (in_parts(std::ssize(own.source), asked)) {
      own.source_ends = part_ends(own.source, tokenizers.source, asked.longest_source);
    }
    std::map<std::vector<int32_t>, size_t> known;
    for (std::vector<int32_t>& part : divided(own.source, own.source_ends)) {
      const auto [at, added] = known.emplace(part, inputs.sources.size());
      inputs.uses.emplace_back(i, at->second);
      if (!added) continue;
      if (!beginning.empty()) known.clear();  // no other part has the prefix
      inputs.sources.push_back(tokenizers.read(part));
      inputs.prefixes.push_back(std::exchange(beginning, {}));
      inputs.numbers.push_back(first_number + static_cast<int64_t>(i));
      const bool whole = asked.required && own.source_ends.size() == 1;
      inputs.required.push_back(whole ? (*asked.required)[i] : nullptr);
    }
  }
  TranslationOptions options = asked;
  options.numbers = &inputs.numbers;
  if (asked.required) options.required = &inputs.required;
  if (!prefixes.empty()) options.prefixes = &inputs.prefixes;
  const auto best = translate(models, inputs.sources, options, done);
  for (const auto& [source, input] : inputs.uses) append_part(found[source], best[input]);
  return found;
}

std::string objection_to(std::span<const TranslationRun> runs, const std::string& text,
                         PairSide side) {
  if (std::ssize(text) > longest_line) {
    return fmt::format("{} bytes, more than the {} of the longest line; split the line",
                       text.size(), longest_line);
  }
  const Tokenizers& both = runs.front().tokenizers;
  const auto ids = [&] {
    return (side == PairSide::source ? both.source : both.target).encode(text);
  };
  if (side == PairSide::target && std::ranges::count(ids(), unknown_id) > 0) {
    return "contains text that is not in the vocabulary; use another spelling";
  }
  for (const TranslationRun& run : runs) {
    const int64_t most = run.model().learned_positions();
    if (most == 0) continue;
    const bool read = side == PairSide::source;
    const int64_t tokens = std::ssize(ids()) + 1 + (read ? std::ssize(both.before_source) : 0);
    if (tokens > most) {
      return fmt::format("{} tokens, but the model has learned {} positions; split the line",
                         tokens, most);
    }
  }
  return "";
}

void limit_sources(const TranslationRun& run, TranslationOptions& options) {
  const auto without_token = [&](int64_t tokens) {
    return tokens == 0 ? 0 : tokens - std::ssize(run.tokenizers.before_source);
  };
  options.longest_source = without_token(run.config.data.max_length);
  options.longest_trained = without_token(run.longest_input);
  options.shortlist = options.use_shortlist ? run.shortlist : nullptr;
}

std::string long_source_warning(int64_t tokens, const TranslationOptions& options) {
  const bool parts = in_parts(tokens, options);
  if (!parts && (options.longest_trained == 0 || tokens <= options.longest_trained)) return "";
  const int64_t longest =
      parts && options.longest_trained == 0 ? options.longest_source : options.longest_trained;
  return fmt::format("{} tokens, more than the {} of any training sentence{}", tokens, longest,
                     parts ? "; translated in parts, sentence by sentence" : "");
}

}  // namespace calque
