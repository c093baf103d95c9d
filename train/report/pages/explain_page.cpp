#include "train/report/pages/explain_page.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "train/report/explain_data.h"
#include "train/report/page_text.h"

namespace calque {

extern const std::string_view explain_html, page_css, explain_css;
extern const std::string_view page_js, numbers_js, pictures_js, explain_steps_js,
    explain_attention_js, explain_positions_js, explain_neighbours_js, explain_beam_js, explain_js;

namespace {

constexpr size_t alternatives_in_json = 50;
constexpr int float_digits = 9;  // enough to parse to the same float

void append_matrix(std::string& out, const ExplainedMatrix& matrix) {
  out += '[';
  for (int64_t row = 0; row < matrix.rows; ++row) {
    if (row > 0) out += ',';
    const auto begin = matrix.values.begin() + row * matrix.columns;
    const std::vector<float> values(begin, begin + matrix.columns);
    append_list(out, values, [&](float value) { append_json_number(out, value, float_digits); });
  }
  out += ']';
}

void append_heads(std::string& out, const char* name, const std::vector<ExplainedHead>& heads) {
  out += fmt::format(",\n\"{}\":", name);
  append_list(out, heads, [&](const ExplainedHead& head) {
    out += fmt::format("\n{{\"layer\":{},\"head\":{},\"weights\":", head.layer, head.head);
    append_matrix(out, head.weights);
    out += '}';
  });
}

void append_tokens(std::string& out, const char* name, const Explanation& explanation,
                   const std::vector<int32_t>& tokens) {
  out += fmt::format(",\n\"{}\":", name);
  append_list(out, tokens, [&](int32_t token) {
    out += fmt::format("{{\"id\":{},\"text\":{}}}", token,
                       json_quoted(explanation.vocabulary[static_cast<size_t>(token)]));
  });
}

void append_json_step(std::string& out, const Explanation& explanation, size_t step) {
  const int32_t chosen = explanation.target_tokens[step];
  const StepSummary summary =
      summarise_step(explanation.logits[step], chosen, alternatives_in_json);
  out += fmt::format("\n{{\"id\":{},\"log_probability\":", chosen);
  const double logit = explanation.logits[step][static_cast<size_t>(chosen)];
  append_json_number(out, logit - summary.log_normaliser, float_digits);
  out += ",\"best\":";
  append_list(out, summary.best, [&](const StepSummary::Alternative& alternative) {
    out += fmt::format("{{\"id\":{},\"text\":{},\"logit\":", alternative.token,
                       json_quoted(explanation.vocabulary[static_cast<size_t>(alternative.token)]));
    append_json_number(out, alternative.logit, float_digits);
    out += ",\"probability\":";
    append_json_number(out, std::exp(alternative.logit - summary.log_normaliser), float_digits);
    out += '}';
  });
  out += '}';
}

void append_json_neighbours(std::string& out, const Explanation& explanation) {
  out += ",\n\"neighbours\":";
  append_list(out, explanation.neighbours, [&](const NearTokens& near) {
    out += fmt::format("\n{{\"id\":{},\"nearest\":", near.token);
    append_list(out, near.nearest, [&](const NearRow& other) {
      out += fmt::format("{{\"id\":{},\"text\":{},\"cosine\":", other.row,
                         json_quoted(explanation.vocabulary[static_cast<size_t>(other.row)]));
      append_json_number(out, other.cosine, float_digits);
      out += '}';
    });
    out += '}';
  });
}

void append_json_beam(std::string& out, const Explanation& explanation) {
  out += ",\n\"beam\":";
  append_list(out, explanation.beam, [&](const BeamNode& node) {
    out += fmt::format("\n{{\"parent\":{},\"id\":{},\"log_probability\":", node.parent, node.token);
    append_json_number(out, node.log_probability, float_digits);
    out += ",\"score\":";
    append_json_number(out, node.score, float_digits);
    out += fmt::format(",\"fate\":\"{}\"}}", name_of(node.fate));
  });
}

}  // namespace

std::string explain_page(const Explanation& explanation) {
  require_consistent(explanation);
  std::string style, script;
  for (const std::string_view part : {page_css, explain_css}) style += part;
  for (const std::string_view part :
       {page_js, numbers_js, pictures_js, explain_steps_js, explain_attention_js,
        explain_positions_js, explain_neighbours_js, explain_beam_js, explain_js}) {
    script += part;
  }
  return filled(explain_html, {{"title", html_escaped(explanation.source)},
                               {"style", style},
                               {"data", explanation_page_data(explanation)},
                               {"script", script}});
}

std::string explanation_json(const Explanation& explanation) {
  require_consistent(explanation);
  std::string out = fmt::format(
      "{{\"source\":{},\n\"translation\":{},\n\"model\":{}", json_quoted(explanation.source),
      json_quoted(explanation.translation), json_quoted(explanation.model));
  append_tokens(out, "source_tokens", explanation, explanation.source_tokens);
  append_tokens(out, "target_tokens", explanation, explanation.target_tokens);
  out += fmt::format(",\n\"given\":{}", explanation.given);
  out += ",\n\"steps\":[";
  for (size_t step = 0; step < explanation.target_tokens.size(); ++step) {
    if (step > 0) out += ',';
    append_json_step(out, explanation, step);
  }
  out += ']';
  append_heads(out, "encoder_self", explanation.encoder_self);
  append_heads(out, "decoder_self", explanation.decoder_self);
  append_heads(out, "cross", explanation.cross);
  out += ",\n\"positions\":";
  append_matrix(out, explanation.positions);
  append_json_neighbours(out, explanation);
  append_json_beam(out, explanation);
  return out + "}\n";
}

}  // namespace calque
