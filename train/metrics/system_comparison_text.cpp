// A comparison of systems as text for people, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "train/metrics/system_comparison.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

size_t longest_name(std::span<const System> systems) {
  size_t longest = std::string_view("reference").size();
  for (const System& system : systems) longest = std::max(longest, system.name.size());
  return longest;
}

std::string interval(const std::optional<Confidence>& confidence, int decimals) {
  if (!confidence) return "";
  return fmt::format(" ({:.{}f} ± {:.{}f})", confidence->mean, decimals, confidence->half_width,
                     decimals);
}

// The baseline's score, and for each system the score, the difference and its p-value.
std::string table_of(const ComparedScores& scores, std::span<const System> systems, int decimals) {
  const size_t width = longest_name(systems);
  const auto score = [&](const std::string& name, double value, const auto& confidence) {
    return fmt::format("  {:<{}}  {:.{}f}{}", name, width, value, decimals,
                       interval(confidence, decimals));
  };
  const Comparison& first = scores.comparisons.front();
  std::string text = scores.head;
  if (scores.better == Better::lower) text += "; lower is better";
  text += '\n' + score(systems[0].name, first.baseline, first.baseline_confidence) + '\n';
  for (size_t i = 1; i < systems.size(); ++i) {
    const Comparison& found = scores.comparisons[i - 1];
    text += score(systems[i].name, found.system, found.system_confidence);
    text += fmt::format("; difference {:+.{}f}{}; p = {:.4f}{}\n", found.system - found.baseline,
                        decimals, interval(found.difference_confidence, decimals), found.p_value,
                        found.p_value < 0.05 ? "*" : "");
  }
  return text;
}

std::string example(const char* kind, const ComparedSentence& sentence, const System& baseline,
                    const System& system, const TestSet& test, const std::string& metric) {
  const size_t i = sentence.number;
  const size_t width = longest_name(std::array{baseline, system});
  std::string text = fmt::format("\n{}: {}, {} {:.1f}, was {:.1f}\n", kind, test.places[i], metric,
                                 sentence.system, sentence.baseline);
  const auto add = [&](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<{}}  {}\n", name, width, value);
  };
  if (!test.sources.empty()) add("source", test.sources[i]);
  for (const std::vector<std::string>& reference : test.references) add("reference", reference[i]);
  add(baseline.name, baseline.outputs[i]);
  add(system.name, system.outputs[i]);
  return text;
}

Json json_of(const std::optional<Confidence>& confidence) {
  if (!confidence) return nullptr;
  return {{"mean", confidence->mean}, {"half_width", confidence->half_width}};
}

Json json_of(const ComparedScores& scores, std::span<const System> systems) {
  const Comparison& first = scores.comparisons.front();
  Json list = Json::array();
  list.push_back({{"system", systems[0].name},
                  {"score", first.baseline},
                  {"confidence", json_of(first.baseline_confidence)}});
  for (size_t i = 1; i < systems.size(); ++i) {
    const Comparison& found = scores.comparisons[i - 1];
    list.push_back({{"system", systems[i].name},
                    {"score", found.system},
                    {"confidence", json_of(found.system_confidence)},
                    {"difference", found.system - found.baseline},
                    {"difference_confidence", json_of(found.difference_confidence)},
                    {"p", found.p_value}});
  }
  return {{"name", Metric::name_of(scores.head)},
          {"signature", scores.head},
          {"higher_is_better", scores.better == Better::higher},
          {"systems", std::move(list)}};
}

Json json_of(const std::vector<ComparedSentence>& sentences, const System& baseline,
             const System& system, const TestSet& test) {
  Json list = Json::array();
  for (const ComparedSentence& sentence : sentences) {
    const size_t i = sentence.number;
    Json item{{"sentence", i + 1}, {"place", test.places[i]}};
    if (!test.sources.empty()) item["source"] = test.sources[i];
    for (const auto& reference : test.references) item["references"].push_back(reference[i]);
    item["outputs"] = {baseline.outputs[i], system.outputs[i]};
    item["scores"] = {sentence.baseline, sentence.system};
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace

std::string to_text(const SystemComparison& comparison, std::span<const System> systems,
                    const TestSet& test, const SystemComparisonOptions& options) {
  const std::string& metric = comparison.sentence_metric;
  std::string text;
  for (const ComparedScores& scores : comparison.metrics) {
    text += table_of(scores, systems, options.decimals);
  }
  for (size_t i = 1; i < systems.size(); ++i) {
    const ComparedSentences& found = comparison.sentences[i - 1];
    text += fmt::format(
        "\n{}: the {} of {} sentences is better than that of {}, of {} worse, of {} equal\n",
        systems[i].name, metric, found.better, systems[0].name, found.worse, found.equal);
    for (const ComparedSentence& sentence : found.most_better) {
      text += example("better", sentence, systems[0], systems[i], test, metric);
    }
    for (const ComparedSentence& sentence : found.most_worse) {
      text += example("worse", sentence, systems[0], systems[i], test, metric);
    }
  }
  return text;
}

std::string to_json(const SystemComparison& comparison, std::span<const System> systems,
                    const TestSet& test, const SystemComparisonOptions& options) {
  Json json{{"sentences", systems[0].outputs.size()},
            {"references", test.references.size()},
            {"test", options.test == PairedTest::bootstrap ? "bootstrap" : "randomization"},
            {"samples", options.resampling.samples},
            {"seed", options.resampling.seed},
            {"metrics", Json::array()},
            {"comparisons", Json::array()}};
  for (const ComparedScores& scores : comparison.metrics) {
    json["metrics"].push_back(json_of(scores, systems));
  }
  for (size_t i = 1; i < systems.size(); ++i) {
    const ComparedSentences& found = comparison.sentences[i - 1];
    json["comparisons"].push_back(
        {{"baseline", systems[0].name},
         {"system", systems[i].name},
         {"metric", comparison.sentence_metric},
         {"better", found.better},
         {"worse", found.worse},
         {"equal", found.equal},
         {"most_better", json_of(found.most_better, systems[0], systems[i], test)},
         {"most_worse", json_of(found.most_worse, systems[0], systems[i], test)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace calque
