#include "train/report/explain_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/error.h"
#include "core/threads/largest_first.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

constexpr size_t alternatives_in_page = 40;
constexpr size_t rest_bins = 48;
constexpr int64_t most_positions = 128;

void require_matrix(const ExplainedMatrix& matrix, int64_t rows, int64_t columns,
                    const char* what) {
  require(matrix.rows == rows && matrix.columns == columns,
          "explanation: {} is [{}, {}], not [{}, {}]", what, matrix.rows, matrix.columns, rows,
          columns);
  require(static_cast<int64_t>(matrix.values.size()) == rows * columns,
          "explanation: {} holds {} values for [{}, {}]", what, matrix.values.size(), rows,
          columns);
}

void require_tokens(const std::vector<int32_t>& tokens, size_t vocabulary) {
  for (const int32_t token : tokens) {
    require(token >= 0 && static_cast<size_t>(token) < vocabulary,
            "explanation: token {} of a vocabulary of {}", token, vocabulary);
  }
}

// Bins of equal width over the remaining logits, without the empty bins.
void add_rest(StepSummary& summary, const std::vector<double>& rest) {
  if (rest.empty()) return;
  const auto [low, high] = std::minmax_element(rest.begin(), rest.end());
  const double width = (*high - *low) / static_cast<double>(rest_bins);
  std::vector<double> sums(rest_bins), counts(rest_bins);
  for (const double logit : rest) {
    const size_t bin =
        width > 0 ? std::min(rest_bins - 1, static_cast<size_t>((logit - *low) / width)) : 0;
    sums[bin] += logit;
    counts[bin] += 1;
  }
  for (size_t bin = 0; bin < rest_bins; ++bin) {
    if (counts[bin] == 0) continue;
    summary.rest_logits.push_back(sums[bin] / counts[bin]);
    summary.rest_counts.push_back(counts[bin]);
  }
}

std::string step_json(const Explanation& explanation, size_t step) {
  const int32_t chosen = explanation.target_tokens[step];
  const StepSummary summary =
      summarise_step(explanation.logits[step], chosen, alternatives_in_page);
  size_t place = 0;
  while (summary.best[place].token != chosen) ++place;
  const auto best = json_list(summary.best, [&](const StepSummary::Alternative& alternative) {
    return fmt::format("[{},{}]", token_json(explanation, alternative.token),
                       json_number(alternative.logit, 6));
  });
  return fmt::format("\n{{\"chosen\":{},\"best\":{},\"restLogits\":{},\"restCounts\":{}}}", place,
                     best, json_numbers(summary.rest_logits, 6),
                     json_numbers(summary.rest_counts, 9));
}

// Weights in thousandths, which take few bytes and are precise enough for display.
std::string heads_json(const std::vector<ExplainedHead>& heads) {
  return json_list(heads, [](const ExplainedHead& head) {
    const auto thousandths = json_list(head.weights.values, [](float weight) {
      return std::to_string(std::lround(std::isfinite(weight) ? weight * 1000 : 0));
    });
    return fmt::format(
        "\n{{\"layer\":{},\"head\":{},\"rows\":{},\"columns\":{},\"thousandths\":{}}}", head.layer,
        head.head, head.weights.rows, head.weights.columns, thousandths);
  });
}

std::string beam_json(const Explanation& explanation) {
  return json_list(explanation.beam, [&](const BeamNode& node) {
    return fmt::format(
        "\n{{\"parent\":{},\"token\":{},\"logProbability\":{},\"score\":{},\"fate\":\"{}\"}}",
        node.parent, token_json(explanation, node.token), json_number(node.log_probability, 6),
        json_number(node.score, 6), name_of(beam_fates, node.fate));
  });
}

std::string positions_json(const ExplainedMatrix& positions) {
  const int64_t rows = std::min(positions.rows, most_positions);
  const std::span shown(positions.values.data(), static_cast<size_t>(rows * positions.columns));
  return fmt::format("{{\"rows\":{},\"columns\":{},\"values\":{}}}", rows, positions.columns,
                     json_numbers(shown, 4));
}

std::string neighbours_json(const Explanation& explanation) {
  return json_list(explanation.neighbours, [&](const NearTokens& near) {
    const auto nearest = json_list(near.nearest, [&](const NearRow& other) {
      return fmt::format("{{\"token\":{},\"cosine\":{}}}", token_json(explanation, other.row),
                         json_number(other.cosine, 4));
    });
    return fmt::format("\n{{\"token\":{},\"nearest\":{}}}", token_json(explanation, near.token),
                       nearest);
  });
}

}  // namespace

void require_consistent(const Explanation& explanation) {
  const size_t vocabulary = explanation.vocabulary.size();
  require_tokens(explanation.source_tokens, vocabulary);
  require_tokens(explanation.target_tokens, vocabulary);
  const auto source = static_cast<int64_t>(explanation.source_tokens.size());
  const auto target = static_cast<int64_t>(explanation.target_tokens.size());
  require(explanation.logits.size() == explanation.target_tokens.size(),
          "explanation: logits of {} steps for {} target tokens", explanation.logits.size(),
          target);
  for (const auto& logits : explanation.logits) {
    require(logits.size() == vocabulary, "explanation: {} logits for a vocabulary of {}",
            logits.size(), vocabulary);
  }
  for (const auto& head : explanation.encoder_self)
    require_matrix(head.weights, source, source, "encoder_self");
  for (const auto& head : explanation.decoder_self)
    require_matrix(head.weights, target, target, "decoder_self");
  for (const auto& head : explanation.cross) require_matrix(head.weights, target, source, "cross");
  require(explanation.given >= 0 && explanation.given <= target,
          "explanation: {} tokens given of {}", explanation.given, target);
  const ExplainedMatrix& positions = explanation.positions;
  require_matrix(positions, positions.rows, positions.columns, "positions");
  for (const NearTokens& near : explanation.neighbours) {
    require_tokens({near.token}, vocabulary);
    for (const NearRow& other : near.nearest) require_tokens({other.row}, vocabulary);
  }
  for (size_t i = 0; i < explanation.beam.size(); ++i) {
    const BeamNode& node = explanation.beam[i];
    require(node.parent >= -1 && node.parent < static_cast<int>(i),
            "explanation: beam node {} comes before its parent {}", i, node.parent);
    require_tokens({node.token}, vocabulary);
  }
}

StepSummary summarise_step(const std::vector<float>& logits, int32_t chosen, size_t best_count) {
  StepSummary summary;
  const std::vector<size_t> order = largest_first(logits);
  const double highest = logits[order.front()];
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - highest);
  summary.log_normaliser = highest + std::log(sum);
  std::vector<double> rest;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto token = static_cast<int32_t>(order[rank]);
    const float logit = logits[order[rank]];
    if (rank < best_count || token == chosen) {
      summary.best.push_back({token, logit});
    } else if (std::isfinite(logit)) {  // forbidden tokens have minus infinity
      rest.push_back(logit);
    }
  }
  add_rest(summary, rest);
  return summary;
}

ExplainedMatrix mean_weights(const std::vector<ExplainedHead>& heads, std::optional<int> layer) {
  ExplainedMatrix mean;
  float count = 0;
  for (const ExplainedHead& head : heads) {
    if (layer && head.layer != *layer) continue;
    if (count == 0)
      mean = {head.weights.rows, head.weights.columns,
              std::vector<float>(head.weights.values.size())};
    for (size_t i = 0; i < mean.values.size(); ++i) mean.values[i] += head.weights.values[i];
    ++count;
  }
  for (float& value : mean.values) value /= count;
  return mean;
}

std::string token_json(const Explanation& explanation, int32_t token) {
  return json_quoted(explanation.vocabulary[static_cast<size_t>(token)]);
}

std::string explanation_page_data(const Explanation& explanation, const std::string& inspection) {
  const auto tokens = [&](const std::vector<int32_t>& ids) {
    return json_list(ids, [&](int32_t id) { return token_json(explanation, id); });
  };
  std::vector<size_t> steps(explanation.target_tokens.size());
  std::iota(steps.begin(), steps.end(), size_t{0});
  return fmt::format(
      "{{\"source\":{},\"translation\":{},\"model\":{},\"vocabularySize\":{},\"given\":{},\n"
      "\"sourceTokens\":{},\n\"targetTokens\":{},\n\"steps\":{},\n\"attention\":{{\"encoder\":{},\n"
      "\"decoder\":{},\n\"cross\":{}}},\n\"positions\":{},\n\"neighbours\":{},\n\"beam\":{},\n"
      "\"inspection\":{}}}\n",
      json_quoted(explanation.source), json_quoted(explanation.translation),
      json_quoted(explanation.model), explanation.vocabulary.size(), explanation.given,
      tokens(explanation.source_tokens), tokens(explanation.target_tokens),
      json_list(steps, [&](size_t step) { return step_json(explanation, step); }),
      heads_json(explanation.encoder_self), heads_json(explanation.decoder_self),
      heads_json(explanation.cross), positions_json(explanation.positions),
      neighbours_json(explanation), beam_json(explanation), inspection);
}

}  // namespace calque
