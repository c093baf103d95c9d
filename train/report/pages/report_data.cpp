// Writes JSON directly: most of it is numbers with few digits, which would be three times as long
// from a general JSON writer.
#include "train/report/pages/report_data.h"

#include <map>

#include "train/report/figures/panels.h"
#include "train/report/figures/thinning.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

constexpr int clock_digits = 12;
constexpr int value_digits = 6;

void append_column(std::string& out, const char* name, const std::vector<double>& values,
                   const std::vector<size_t>& rows, int digits) {
  out += json_quoted(name);
  out += ':';
  append_list(out, rows, [&](size_t row) { append_json_number(out, values[row], digits); });
}

void append_table(std::string& out, const MetricsTable& table, size_t most_rows) {
  std::vector<const std::vector<double>*> columns;
  for (const auto& [name, values] : table.columns) columns.push_back(&values);
  const std::vector<size_t> rows = rows_with_extremes(table.rows(), columns, most_rows);
  out += "{\"recorded\":" + std::to_string(table.rows()) + ',';
  append_column(out, "step", table.step, rows, clock_digits);
  out += ',';
  append_column(out, "epoch", table.epoch, rows, clock_digits);
  out += ',';
  append_column(out, "tokens", table.tokens, rows, clock_digits);
  out += ',';
  append_column(out, "seconds", table.seconds, rows, clock_digits);
  out += ",\"columns\":{";
  bool first = true;
  for (const auto& [name, values] : table.columns) {
    if (!first) out += ',';
    first = false;
    append_column(out, name.c_str(), values, rows, value_digits);
  }
  out += "}}";
}

// Writes each sentence once, with its outputs at all validations.
void append_samples(std::string& out, const std::vector<SamplesAtStep>& all) {
  std::map<std::pair<std::string, std::string>, size_t> place;
  std::vector<std::pair<std::string, std::string>> sentences;
  std::string steps;
  append_list(steps, all, [&](const SamplesAtStep& here) {
    steps += "{\"step\":";
    append_json_number(steps, here.step, clock_digits);
    steps += ",\"outputs\":";
    append_list(steps, here.samples, [&](const Sample& sample) {
      const auto [found, is_new] =
          place.try_emplace({sample.input, sample.reference}, sentences.size());
      if (is_new) sentences.emplace_back(sample.input, sample.reference);
      steps += '[' + std::to_string(found->second) + ',' + json_quoted(sample.output) + ']';
    });
    steps += '}';
  });
  out += "{\"sentences\":";
  append_list(out, sentences, [&](const auto& sentence) {
    out += '[' + json_quoted(sentence.first) + ',' + json_quoted(sentence.second) + ']';
  });
  out += ",\"steps\":" + steps + '}';
}

void append_texts(std::string& out, const std::vector<std::string>& texts) {
  append_list(out, texts, [&](const std::string& text) { out += json_quoted(text); });
}

void append_result(std::string& out, const ResultTable& table) {
  out += "{\"title\":" + json_quoted(table.title) + ",\"columns\":";
  append_texts(out, table.columns);
  out += ",\"rows\":";
  append_list(out, table.rows, [&](const auto& row) { append_texts(out, row); });
  out += '}';
}

void append_run(std::string& out, const ReportRun& run, size_t most_rows) {
  out += "{\"name\":" + json_quoted(run.name) + ",\"path\":" + json_quoted(run.path.string());
  out += ",\"remarks\":";
  append_texts(out, run.remarks);
  out += ",\n\"train\":";
  append_table(out, run.train, most_rows);
  out += ",\n\"valid\":";
  append_table(out, run.valid, most_rows);
  out += ",\n\"events\":";
  append_list(out, run.events, [&](const RunEvent& event) {
    out += '[';
    append_json_number(out, event.step, clock_digits);
    out += ',' + json_quoted(event.text) + ']';
  });
  out += ",\n\"samples\":";
  append_samples(out, run.samples);
  out += ",\n\"tables\":";
  append_list(out, run.tables, [&](const ResultTable& table) { append_result(out, table); });
  out += '}';
}

const char* name_of(ValueFormat format) {
  switch (format) {
    case ValueFormat::percent:
      return "percent";
    case ValueFormat::short_scale:
      return "short";
    case ValueFormat::number:
      break;
  }
  return "number";
}

const char* name_of(Better better) {
  switch (better) {
    case Better::lower:
      return "lower";
    case Better::higher:
      return "higher";
    case Better::neither:
      break;
  }
  return "";
}

void append_panel(std::string& out, const Panel& panel) {
  out += "{\"column\":" + json_quoted(panel.column) + ",\"title\":" + json_quoted(panel.title) +
         ",\"unit\":" + json_quoted(panel.unit) + ",\"meaning\":" + json_quoted(panel.meaning) +
         ",\"format\":" + json_quoted(name_of(panel.format)) +
         ",\"better\":" + json_quoted(name_of(panel.better)) +
         (panel.logarithmic ? ",\"log\":true" : "") + (panel.noisy ? ",\"noisy\":true}" : "}");
}

void append_config(std::string& out, std::span<const ReportRun> runs) {
  std::vector<const FlatConfig*> configs;
  for (const ReportRun& run : runs) configs.push_back(&run.config);
  append_list(out, compare_configs(configs), [&](const ConfigRow& row) {
    out += "{\"key\":" + json_quoted(row.key) + ",\"values\":";
    append_texts(out, row.values);
    out += row.differs ? ",\"differs\":true}" : "}";
  });
}

}  // namespace

std::string report_data(std::span<const ReportRun> runs, size_t most_rows) {
  std::string out = "{\"panels\":";
  append_list(out, panels_of(runs), [&](const Panel& panel) { append_panel(out, panel); });
  out += ",\n\"config\":";
  append_config(out, runs);
  out += ",\n\"runs\":";
  append_list(out, runs, [&](const ReportRun& run) { append_run(out, run, most_rows); });
  out += "}\n";
  return out;
}

}  // namespace calque
