#include "train/tasks/translation/confidence/judgement.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "core/error.h"
#include "train/metrics/translation/edit_distance.h"
#include "train/tasks/translation/confidence/confidence.h"

namespace calque {
namespace {

// Whether the edits keep each word.
std::vector<bool> kept_words(const std::vector<WordOfText>& words, const std::string& reference) {
  std::map<std::string, int32_t> numbers;
  const auto number = [&](const std::string& word) {
    return numbers.try_emplace(word, static_cast<int32_t>(numbers.size())).first->second;
  };
  std::vector<int32_t> own, other;
  for (const WordOfText& word : words) own.push_back(number(word.text));
  std::istringstream text(reference);
  for (std::string word; text >> word;) other.push_back(number(word));
  if (own.empty() || other.empty()) return std::vector<bool>(own.size());
  EditTable table(other, own.size());
  table.distance(own);
  std::vector<bool> kept;
  for (const Edit edit : table.edits()) {
    if (edit == Edit::keep || edit == Edit::replace || edit == Edit::remove) {
      kept.push_back(edit == Edit::keep);
    }
  }
  return kept;
}

// Outcomes of words, and of whole sentences.
struct Outcomes {
  std::vector<Outcome> words, sentences;

  void add(const Calibration& calibration, const std::vector<JudgedWord>& sentence) {
    if (sentence.empty()) return;
    Outcome whole{};
    for (const JudgedWord& word : sentence) {
      words.push_back({calibration.confidence(word.evidence), word.right ? 1.0 : 0.0});
      whole.confidence += words.back().confidence / static_cast<double>(sentence.size());
      whole.truth += words.back().truth / static_cast<double>(sentence.size());
    }
    sentences.push_back(whole);
  }

  CalibrationReport report() const {
    CalibrationReport report{.words = std::ssize(words), .sentences = std::ssize(sentences)};
    for (const Outcome& word : words)
      report.right += word.truth / static_cast<double>(words.size());
    report.error_of_words = calibration_error(words);
    report.error_of_sentences = calibration_error(sentences);
    return report;
  }
};

}  // namespace

std::vector<std::vector<JudgedWord>> judged_words(const TranslationRun& run,
                                                  const std::vector<std::string>& sources,
                                                  const std::vector<std::string>& translations,
                                                  const std::vector<std::string>& references) {
  std::vector<std::vector<int32_t>> from, to;
  for (const std::string& text : sources) from.push_back(run.tokenizers.source.encode(text));
  for (const std::string& text : translations) to.push_back(run.tokenizers.target.encode(text));
  const auto words = judge_words(run, from, to);
  std::vector<std::vector<JudgedWord>> all;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::vector<bool> kept = kept_words(words[i], references[i]);
    require(kept.size() == words[i].size(), "judged_words: {} edits of {} words", kept.size(),
            words[i].size());
    std::vector<JudgedWord>& judged = all.emplace_back();
    for (size_t w = 0; w < kept.size(); ++w) judged.push_back({words[i][w].evidence, kept[w]});
  }
  return all;
}

std::vector<JudgedWord> joined(std::span<const std::vector<JudgedWord>> sentences) {
  std::vector<JudgedWord> all;
  for (const std::vector<JudgedWord>& sentence : sentences) {
    all.insert(all.end(), sentence.begin(), sentence.end());
  }
  return all;
}

CalibrationReport report_on(const Calibration& calibration,
                            std::span<const std::vector<JudgedWord>> sentences) {
  Outcomes outcomes;
  for (const std::vector<JudgedWord>& sentence : sentences) outcomes.add(calibration, sentence);
  return outcomes.report();
}

CalibrationReport cross_validated(std::span<const std::vector<JudgedWord>> sentences) {
  const auto half = sentences.size() / 2;
  const std::span first = sentences.first(half), second = sentences.subspan(half);
  const std::vector<JudgedWord> words_of_first = joined(first), words_of_second = joined(second);
  if (words_of_first.empty() || words_of_second.empty()) return {};
  Outcomes outcomes;
  const Calibration by_first = Calibration::fit(words_of_first),
                    by_second = Calibration::fit(words_of_second);
  for (const auto& sentence : first) outcomes.add(by_second, sentence);
  for (const auto& sentence : second) outcomes.add(by_first, sentence);
  return outcomes.report();
}

std::string CalibrationReport::text() const {
  return fmt::format(
      "{} sentences, {} words, {:.1f}% of them right; expected calibration error: words {:.4f}, "
      "sentences {:.4f}",
      sentences, words, 100 * right, error_of_words, error_of_sentences);
}

}  // namespace calque
