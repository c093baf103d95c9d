#include "train/tasks/translation/lines.h"

#include <algorithm>

#include "data/files/text_lines.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/translation/search.h"
#include "train/tasks/translation/word_alignment.h"

namespace calque {
namespace {

std::string pharaoh(const TranslationRun& run, const std::vector<int32_t>& source,
                    const std::vector<int32_t>& target) {
  if (source.empty()) return "";
  const auto pairs = align_words(run, {source}, {target}).front().links;
  std::vector<std::string> links;
  links.reserve(pairs.size());
  for (const auto& [i, j] : pairs) links.push_back(fmt::format("{}-{}", i, j));
  return fmt::format("{}", fmt::join(links, " "));
}

}  // namespace

LineTranslator::LineTranslator(std::vector<TranslationRun> runs, const LineOptions& options)
    : runs_(std::move(runs)), options_(options), models_(models_of(runs_)) {}

std::string LineTranslator::objection(const std::string& line, Side side) const {
  if (std::ssize(line) > longest_line) {
    return fmt::format("{} bytes, more than the {} of the longest line; split the line",
                       line.size(), longest_line);
  }
  if (std::string problem = utf8_problem(line); !problem.empty()) return problem;
  const Tokenizers& both = runs_.front().tokenizers;
  const auto ids = [&] { return (side == Side::source ? both.source : both.target).encode(line); };
  if (side == Side::target && std::ranges::count(ids(), unknown_id) > 0) {
    return "contains text that is not in the vocabulary; use another spelling";
  }
  for (const TranslationRun& run : runs_) {
    const int64_t most = run.model().learned_positions();
    if (most == 0) continue;
    const int64_t tokens = std::ssize(ids()) + 1;
    if (tokens > most) {
      return fmt::format("{} tokens, but the model has learned {} positions; split the line",
                         tokens, most);
    }
  }
  return "";
}

void LineTranslator::write(std::string& out, const std::vector<int32_t>& source,
                           const Hypothesis& hypothesis, int64_t number) const {
  const bool ranked = options_.search.n_best > 1;
  if (ranked) out += fmt::format("{} ||| ", number);
  out += runs_.front().tokenizers.target.decode(hypothesis.ids);
  if (ranked || options_.scores) {
    out += fmt::format(" ||| {:.4f} {:.4f}", hypothesis.score, hypothesis.log_probability);
  }
  if (options_.alignment) out += " ||| " + pharaoh(runs_.front(), source, hypothesis.ids);
  out += '\n';
}

std::string LineTranslator::translate(std::span<const std::string> lines, int64_t first_number,
                                      std::span<const std::string> prefixes) {
  std::string out;
  int64_t number = first_number;
  for (const FoundTranslations& found : search_texts(models_, runs_.front().tokenizers, lines,
                                                     options_.search, prefixes, first_number)) {
    for (const Hypothesis& hypothesis : found.best) {
      write(out, found.source, hypothesis, number);
      if (!found.source.empty()) tokens_written_ += std::ssize(hypothesis.ids) + 1;
    }
    ++number;
  }
  return out;
}

}  // namespace calque
