#include "train/tasks/translation/confidence/confidence.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "decode/score.h"
#include "train/storage/durable_files.h"
#include "train/tasks/translation/token_words.h"

namespace calque {
namespace {

std::vector<WordOfText> words_of(const TokenWords& words, const SequenceScore& score) {
  std::vector<WordOfText> all;
  const double mean = score.log_probability / static_cast<double>(score.tokens);
  for (const std::string& text : words.texts) all.push_back({text, {.sentence = mean}});
  for (size_t t = 0; t < words.word_of.size(); ++t) {
    WordEvidence& evidence = all[static_cast<size_t>(words.word_of[t])].evidence;
    evidence.word += double(score.of_tokens[t]);
    evidence.weakest = std::min(evidence.weakest, double(score.of_tokens[t]));
  }
  return all;
}

}  // namespace

std::vector<std::vector<WordOfText>> judge_words(const TranslationRun& run,
                                                 const std::vector<std::vector<int32_t>>& sources,
                                                 const std::vector<std::vector<int32_t>>& targets) {
  std::vector<std::vector<int32_t>> read;
  for (const std::vector<int32_t>& source : sources) read.push_back(run.tokenizers.read(source));
  const std::vector<SequenceScore> scores = score_pairs(run.model(), read, targets);
  std::vector<std::vector<WordOfText>> all;
  for (size_t i = 0; i < targets.size(); ++i) {
    all.push_back(words_of(token_words(run.tokenizers.target, targets[i]), scores[i]));
  }
  return all;
}

std::vector<TextConfidence> confidences(const TranslationRun& run, const Calibration& calibration,
                                        const std::vector<std::vector<int32_t>>& sources,
                                        const std::vector<std::vector<int32_t>>& targets) {
  std::vector<TextConfidence> all;
  for (const std::vector<WordOfText>& words : judge_words(run, sources, targets)) {
    TextConfidence& text = all.emplace_back();
    for (const WordOfText& word : words) {
      text.words.push_back({word.text, calibration.confidence(word.evidence)});
      text.confidence += text.words.back().confidence / static_cast<double>(words.size());
    }
  }
  return all;
}

void save_calibration(const TranslationRun& run, const Calibration& calibration) {
  const nlohmann::json json = {{"step", run.step}, {"weights", calibration.weights()}};
  replace_text(real_files(), run.folder.confidence(), json.dump() + "\n");
}

std::optional<Calibration> stored_calibration(const TranslationRun& run) {
  constexpr uint64_t most_bytes = 1 << 16;
  const std::string path = run.folder.confidence();
  if (!exists(real_files(), path)) return {};
  const auto json =
      nlohmann::json::parse(read_text(real_files(), path, most_bytes), nullptr, false);
  const auto is_number = [](const nlohmann::json& each) { return each.is_number(); };
  if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer() ||
      !json.contains("weights") || !json["weights"].is_array() ||
      json["weights"].size() != Calibration::features ||
      !std::ranges::all_of(json["weights"], is_number)) {
    fail("{}: is damaged; run 'calque calibrate {}' again", path, run.folder.path);
  }
  if (json["step"].get<int64_t>() != run.step) return {};
  return Calibration(json["weights"].get<Calibration::Weights>());
}

Calibration calibration_of(const TranslationRun& run) {
  const std::optional<Calibration> stored = stored_calibration(run);
  if (!stored) {
    fail("{}: has no confidence for the weights of step {}; run 'calque calibrate {}' first",
         run.folder.path, run.step, run.folder.path);
  }
  return *stored;
}

}  // namespace calque
