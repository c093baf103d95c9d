#include "train/report/explain_data.h"

#include <algorithm>
#include <cmath>

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

void append_numbers(std::string& out, const auto& values, int digits) {
  append_list(out, values, [&](double value) { append_json_number(out, value, digits); });
}

void append_tokens(std::string& out, const Explanation& explanation,
                   const std::vector<int32_t>& tokens) {
  append_list(out, tokens, [&](int32_t token) {
    out += json_quoted(explanation.vocabulary[static_cast<size_t>(token)]);
  });
}

void append_step(std::string& out, const Explanation& explanation, size_t step) {
  const int32_t chosen = explanation.target_tokens[step];
  const StepSummary summary =
      summarise_step(explanation.logits[step], chosen, alternatives_in_page);
  size_t place = 0;
  while (summary.best[place].token != chosen) ++place;
  out += "\n{\"chosen\":" + std::to_string(place) + ",\"best\":";
  append_list(out, summary.best, [&](const StepSummary::Alternative& alternative) {
    out += '[' + json_quoted(explanation.vocabulary[static_cast<size_t>(alternative.token)]) + ',';
    append_json_number(out, alternative.logit, 6);
    out += ']';
  });
  out += ",\"restLogits\":";
  append_numbers(out, summary.rest_logits, 6);
  out += ",\"restCounts\":";
  append_numbers(out, summary.rest_counts, 9);
  out += '}';
}

// Weights in thousandths, which take few bytes and are precise enough for display.
void append_heads(std::string& out, const std::vector<ExplainedHead>& heads) {
  append_list(out, heads, [&](const ExplainedHead& head) {
    out += "\n{\"layer\":" + std::to_string(head.layer) + ",\"head\":" + std::to_string(head.head) +
           ",\"rows\":" + std::to_string(head.weights.rows) +
           ",\"columns\":" + std::to_string(head.weights.columns) + ",\"thousandths\":";
    append_list(out, head.weights.values, [&](float weight) {
      out += std::to_string(std::lround(std::isfinite(weight) ? weight * 1000 : 0));
    });
    out += '}';
  });
}

void append_beam(std::string& out, const Explanation& explanation) {
  append_list(out, explanation.beam, [&](const BeamNode& node) {
    out += "\n{\"parent\":" + std::to_string(node.parent) +
           ",\"token\":" + json_quoted(explanation.vocabulary[static_cast<size_t>(node.token)]) +
           ",\"logProbability\":";
    append_json_number(out, node.log_probability, 6);
    out += ",\"score\":";
    append_json_number(out, node.score, 6);
    out += ",\"fate\":\"" + std::string(name_of(node.fate)) + "\"}";
  });
}

void append_positions(std::string& out, const ExplainedMatrix& positions) {
  const int64_t rows = std::min(positions.rows, most_positions);
  const auto begin = positions.values.begin();
  const std::vector<float> shown(begin, begin + rows * positions.columns);
  out += "{\"rows\":" + std::to_string(rows) + ",\"columns\":" + std::to_string(positions.columns) +
         ",\"values\":";
  append_numbers(out, shown, 4);
  out += '}';
}

void append_neighbours(std::string& out, const Explanation& explanation) {
  const auto word = [&](int32_t token) {
    return json_quoted(explanation.vocabulary[static_cast<size_t>(token)]);
  };
  append_list(out, explanation.neighbours, [&](const NearTokens& near) {
    out += "\n{\"token\":" + word(near.token) + ",\"nearest\":";
    append_list(out, near.nearest, [&](const NearRow& other) {
      out += "{\"token\":" + word(other.row) + ",\"cosine\":";
      append_json_number(out, other.cosine, 4);
      out += '}';
    });
    out += '}';
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

const char* name_of(BeamFate fate) {
  switch (fate) {
    case BeamFate::kept:
      return "kept";
    case BeamFate::finished:
      return "finished";
    case BeamFate::best:
      return "best";
    case BeamFate::pruned:
      break;
  }
  return "pruned";
}

std::string explanation_page_data(const Explanation& explanation) {
  std::string out = "{\"source\":" + json_quoted(explanation.source) +
                    ",\"translation\":" + json_quoted(explanation.translation) +
                    ",\"model\":" + json_quoted(explanation.model) +
                    ",\"vocabularySize\":" + std::to_string(explanation.vocabulary.size()) +
                    ",\"given\":" + std::to_string(explanation.given) + ",\n\"sourceTokens\":";
  append_tokens(out, explanation, explanation.source_tokens);
  out += ",\n\"targetTokens\":";
  append_tokens(out, explanation, explanation.target_tokens);
  out += ",\n\"steps\":[";
  for (size_t step = 0; step < explanation.target_tokens.size(); ++step) {
    if (step > 0) out += ',';
    append_step(out, explanation, step);
  }
  out += "],\n\"attention\":{\"encoder\":";
  append_heads(out, explanation.encoder_self);
  out += ",\n\"decoder\":";
  append_heads(out, explanation.decoder_self);
  out += ",\n\"cross\":";
  append_heads(out, explanation.cross);
  out += "},\n\"positions\":";
  append_positions(out, explanation.positions);
  out += ",\n\"neighbours\":";
  append_neighbours(out, explanation);
  out += ",\n\"beam\":";
  append_beam(out, explanation);
  out += "}\n";
  return out;
}

}  // namespace calque
