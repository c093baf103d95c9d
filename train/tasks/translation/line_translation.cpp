#include "train/tasks/translation/line_translation.h"

#include <algorithm>
#include <type_traits>

#include "core/error.h"
#include "core/parse_number.h"
#include "data/text_lines.h"
#include "data/utf8.h"
#include "data/vocabulary.h"
#include "decode/alignment.h"
#include "train/tasks/translation/translation.h"

namespace calque {
namespace {

// The number of the word that each token is part of.
std::vector<int32_t> words_of(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  const bool each = tokenizer.options().kind == TokenizerKind::words;
  std::vector<int32_t> words;
  int32_t word = 0;
  for (const int32_t id : ids) {
    if (!words.empty() && (each || tokenizer.symbol(id).starts_with("\u2581"))) ++word;
    words.push_back(word);
  }
  return words;
}

std::string pharaoh(const TranslationRun& run, const std::vector<int32_t>& source,
                    const std::vector<int32_t>& target) {
  if (source.empty()) return "";
  const auto from = words_of(run.tokenizers.source, source);
  const auto to = words_of(run.tokenizers.target, target);
  const auto places = attended_places(run.model(), {source}, {target}).front();
  std::vector<std::pair<int32_t, int32_t>> pairs;
  pairs.reserve(places.size());
  for (size_t t = 0; t < places.size(); ++t) pairs.push_back({from[places[t]], to[t]});
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
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
    return fmt::format("{} bytes are no sentence; the longest line is {}", line.size(),
                       longest_line);
  }
  if (std::string problem = utf8_problem(line); !problem.empty()) return problem;
  const Tokenizers& both = runs_.front().tokenizers;
  const auto ids = [&] { return (side == Side::source ? both.source : both.target).encode(line); };
  if (side == Side::target && std::ranges::count(ids(), unknown_id) > 0) {
    return "not all of it is in the vocabulary; spell it with what is";
  }
  for (const TranslationRun& run : runs_) {
    const TransformerOptions& options = run.model().options;
    if (options.layer.positions != PositionKind::learned) continue;
    const int64_t tokens = std::ssize(ids()) + 1;
    if (tokens > options.layer.max_positions) {
      return fmt::format("{} tokens, but the model has learned {} positions; split the line",
                         tokens, options.layer.max_positions);
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

Sampling parse_sampling(const std::string& text) {
  Sampling sampling;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::string_view name = part.substr(0, part.find('='));
    const std::string_view value = part.substr(std::min(part.size(), name.size() + 1));
    const auto read = [&](auto& number, auto least, auto most) {
      const auto given = parse_number<std::remove_reference_t<decltype(number)>>(value);
      if (!given || !(*given >= least) || !(*given <= most)) {
        fail("{}: a number from {} to {} is needed", part, least, most);
      }
      number = *given;
    };
    if (name == "temperature") {
      read(sampling.temperature, 0.0, 1000.0);
    } else if (name == "top-p") {
      read(sampling.top_p, 0.0, 1.0);
    } else if (name == "top-k") {
      read(sampling.top_k, int64_t{0}, int64_t{1} << 31);
    } else if (name == "seed") {
      read(sampling.seed, uint64_t{0}, ~uint64_t{0});
    } else {
      fail(
          "{}: there are temperature, top-k, top-p and seed, as in "
          "top-p=0.9,temperature=0.8",
          part);
    }
  }
  return sampling;
}

}  // namespace calque
