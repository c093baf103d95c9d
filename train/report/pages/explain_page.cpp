#include "train/report/pages/explain_page.h"

#include <fmt/ranges.h>

#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "train/report/explain_data.h"
#include "train/report/page_text.h"
#include "train/report/pages/inspection_json.h"

namespace calque {

extern const std::string_view explain_html, page_css, explain_css;
extern const std::string_view page_js, numbers_js, pictures_js, explain_steps_js,
    explain_attention_js, explain_positions_js, explain_neighbours_js, explain_beam_js,
    inspection_lens_js, inspection_heads_js, inspection_attribution_js, inspection_patching_js,
    inspection_edits_js, explain_js;

namespace {

constexpr size_t alternatives_in_json = 50;
constexpr int float_digits = 9;  // enough to parse to the same float
constexpr int page_digits = 4;

std::string exact(double value) { return json_number(value, float_digits); }

// Rows of numbers.
std::string raw_matrix(const ExplainedMatrix& matrix) {
  std::vector<std::string> rows;
  const float* row = matrix.values.data();
  for (int64_t i = 0; i < matrix.rows; ++i, row += matrix.columns) {
    rows.push_back(json_numbers(std::span(row, static_cast<size_t>(matrix.columns)), float_digits));
  }
  return fmt::format("[{}]", fmt::join(rows, ","));
}

std::string raw_heads(const std::vector<ExplainedHead>& heads) {
  return json_list(heads, [](const ExplainedHead& head) {
    return fmt::format("\n{{\"layer\":{},\"head\":{},\"weights\":{}}}", head.layer, head.head,
                       raw_matrix(head.weights));
  });
}

// The id and the text of a token, the first two keys of an object.
std::string id_and_text(const Explanation& explanation, int32_t token) {
  return fmt::format("\"id\":{},\"text\":{}", token, token_json(explanation, token));
}

std::string raw_tokens(const Explanation& explanation, const std::vector<int32_t>& tokens) {
  return json_list(tokens, [&](int32_t token) {
    return fmt::format("{{{}}}", id_and_text(explanation, token));
  });
}

std::string raw_step(const Explanation& explanation, size_t step) {
  const int32_t chosen = explanation.target_tokens[step];
  const StepSummary summary =
      summarise_step(explanation.logits[step], chosen, alternatives_in_json);
  const double logit = explanation.logits[step][static_cast<size_t>(chosen)];
  const auto best = json_list(summary.best, [&](const StepSummary::Alternative& alternative) {
    return fmt::format("{{{},\"logit\":{},\"probability\":{}}}",
                       id_and_text(explanation, alternative.token), exact(alternative.logit),
                       exact(std::exp(alternative.logit - summary.log_normaliser)));
  });
  return fmt::format("\n{{\"id\":{},\"log_probability\":{},\"best\":{}}}", chosen,
                     exact(logit - summary.log_normaliser), best);
}

std::string raw_neighbours(const Explanation& explanation) {
  return json_list(explanation.neighbours, [&](const NearTokens& near) {
    const auto nearest = json_list(near.nearest, [&](const NearRow& other) {
      return fmt::format("{{{},\"cosine\":{}}}", id_and_text(explanation, other.row),
                         exact(other.cosine));
    });
    return fmt::format("\n{{\"id\":{},\"nearest\":{}}}", near.token, nearest);
  });
}

std::string raw_beam(const std::vector<BeamNode>& beam) {
  return json_list(beam, [](const BeamNode& node) {
    return fmt::format(
        "\n{{\"parent\":{},\"id\":{},\"log_probability\":{},\"score\":{},\"fate\":\"{}\"}}",
        node.parent, node.token, exact(node.log_probability), exact(node.score),
        name_of(beam_fates, node.fate));
  });
}

}  // namespace

std::string explain_page(const Explanation& explanation, const Inspection* inspection) {
  require_consistent(explanation);
  std::string style, script;
  for (const std::string_view part : {page_css, explain_css}) style += part;
  for (const std::string_view part :
       {page_js, numbers_js, pictures_js, explain_steps_js, explain_attention_js,
        explain_positions_js, explain_neighbours_js, explain_beam_js, inspection_lens_js,
        inspection_heads_js, inspection_attribution_js, inspection_patching_js, inspection_edits_js,
        explain_js}) {
    script += part;
  }
  const std::string inspected =
      inspection == nullptr ? "null" : inspection_json(explanation, *inspection, page_digits);
  return filled(explain_html, {{"title", html_escaped(explanation.source)},
                               {"style", style},
                               {"data", explanation_page_data(explanation, inspected)},
                               {"script", script}});
}

std::string explanation_json(const Explanation& explanation, const Inspection* inspection) {
  require_consistent(explanation);
  std::vector<size_t> steps(explanation.target_tokens.size());
  std::iota(steps.begin(), steps.end(), size_t{0});
  return fmt::format(
      "{{\"source\":{},\n\"translation\":{},\n\"model\":{},\n\"source_tokens\":{},\n"
      "\"target_tokens\":{},\n\"given\":{},\n\"steps\":{},\n\"encoder_self\":{},\n"
      "\"decoder_self\":{},\n\"cross\":{},\n\"positions\":{},\n\"neighbours\":{},\n\"beam\":{}{}}}"
      "\n",
      json_quoted(explanation.source), json_quoted(explanation.translation),
      json_quoted(explanation.model), raw_tokens(explanation, explanation.source_tokens),
      raw_tokens(explanation, explanation.target_tokens), explanation.given,
      json_list(steps, [&](size_t step) { return raw_step(explanation, step); }),
      raw_heads(explanation.encoder_self), raw_heads(explanation.decoder_self),
      raw_heads(explanation.cross), raw_matrix(explanation.positions), raw_neighbours(explanation),
      raw_beam(explanation.beam),
      inspection == nullptr
          ? ""
          : ",\n\"inspection\":" + inspection_json(explanation, *inspection, float_digits));
}

}  // namespace calque
