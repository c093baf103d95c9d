#include "train/tasks/translation/lines.h"

#include "core/error.h"
#include "train/tasks/translation/confidence/confidence.h"
#include "train/tasks/translation/word_alignment.h"

namespace calque {
namespace {

// The links of the k-th translation.
std::string pharaoh(const TranslationRun& run, const FoundTranslations& found, size_t k) {
  std::vector<std::string> links;
  for (const auto& [i, j] : align_words(run, found, k).links) {
    links.push_back(fmt::format("{}-{}", i, j));
  }
  return fmt::format("{}", fmt::join(links, " "));
}

// The confidence of the k-th translation and of its words.
std::string confidence_text(const TranslationRun& run, const Calibration& calibration,
                            const FoundTranslations& found, size_t k) {
  if (found.source.empty()) return "";
  const TextConfidence all = confidences(run, calibration, {found.source}, {found.best[k].ids})[0];
  std::string text = fmt::format("{:.2f}", all.confidence);
  for (const WordConfidence& word : all.words) text += fmt::format(" {:.2f}", word.confidence);
  return text;
}

}  // namespace

LineTranslator::LineTranslator(std::vector<TranslationRun> runs, const LineOptions& options)
    : runs_(std::move(runs)),
      options_(options),
      models_(models_of(runs_)),
      before_(runs_.front().config.data.preceding_sentences) {
  limit_sources(runs_.front(), options_.search);
  if (options_.alignment && options_.search.preceding > 0) {
    fail("{}: was trained with data.preceding_sentences, so it cannot align words",
         runs_.front().folder.path);
  }
}

void LineTranslator::write(std::string& out, const FoundTranslations& found, size_t k,
                           int64_t number) const {
  const Hypothesis& hypothesis = found.best[k];
  const bool ranked = options_.search.n_best > 1;
  if (ranked) out += fmt::format("{} ||| ", number);
  out += runs_.front().tokenizers.target.decode(hypothesis.ids);
  if (ranked || options_.scores) {
    out += fmt::format(" ||| {:.4f} {:.4f}", hypothesis.score, hypothesis.log_probability);
  }
  if (options_.alignment) out += " ||| " + pharaoh(runs_.front(), found, k);
  if (options_.confidence) {
    out += " ||| " + confidence_text(runs_.front(), *options_.confidence, found, k);
  }
  out += '\n';
}

std::string LineTranslator::translate(std::span<const std::string> lines, int64_t first_number,
                                      std::span<const std::string> prefixes) {
  std::string out;
  int64_t number = first_number;
  std::vector<std::string> inputs;
  for (const std::string& line : lines) inputs.push_back(before_.with(line));
  for (const FoundTranslations& found : search_texts(models_, runs_.front().tokenizers, inputs,
                                                     options_.search, prefixes, first_number)) {
    for (size_t k = 0; k < found.best.size(); ++k) {
      write(out, found, k, number);
      if (!found.source.empty()) tokens_written_ += std::ssize(found.best[k].ids) + 1;
    }
    const std::string warning = long_source_warning(std::ssize(found.source), options_.search);
    if (!warning.empty()) warnings_.emplace_back(number, warning);
    ++number;
  }
  return out;
}

}  // namespace calque
