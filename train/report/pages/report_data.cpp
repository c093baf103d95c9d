// Writes JSON directly: most of it is numbers with few digits, which would be three times as long
// from a general JSON writer.
#include "train/report/pages/report_data.h"

#include <fmt/format.h>

#include <map>

#include "core/named.h"
#include "train/report/figures/panels.h"
#include "train/report/figures/thinning.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

constexpr int clock_digits = 12;
constexpr int value_digits = 6;

std::string table_json(const MetricsTable& table, size_t most_rows) {
  std::vector<const std::vector<double>*> columns;
  for (const auto& [name, values] : table.columns) columns.push_back(&values);
  const std::vector<size_t> rows = rows_with_extremes(table.rows(), columns, most_rows);
  const auto column = [&](const std::vector<double>& values, int digits) {
    return json_list(rows, [&](size_t row) { return json_number(values[row], digits); });
  };
  std::string others;
  for (const auto& [name, values] : table.columns) {
    others += (others.empty() ? "" : ",") + json_quoted(name) + ':' + column(values, value_digits);
  }
  return fmt::format(
      "{{\"recorded\":{},\"step\":{},\"epoch\":{},\"tokens\":{},\"seconds\":{},\"columns\":{{{}}}}"
      "}",
      table.rows(), column(table.step, clock_digits), column(table.epoch, clock_digits),
      column(table.tokens, clock_digits), column(table.seconds, clock_digits), others);
}

// Writes each sentence once, with its outputs at all validations.
std::string samples_json(const std::vector<SamplesAtStep>& all) {
  std::map<std::pair<std::string, std::string>, size_t> place;
  std::vector<std::pair<std::string, std::string>> sentences;
  const std::string steps = json_list(all, [&](const SamplesAtStep& here) {
    const auto outputs = json_list(here.samples, [&](const Sample& sample) {
      const auto [found, is_new] =
          place.try_emplace({sample.input, sample.reference}, sentences.size());
      if (is_new) sentences.emplace_back(sample.input, sample.reference);
      return fmt::format("[{},{}]", found->second, json_quoted(sample.output));
    });
    return fmt::format("{{\"step\":{},\"outputs\":{}}}", json_number(here.step, clock_digits),
                       outputs);
  });
  const auto both = json_list(sentences, [](const auto& sentence) {
    return fmt::format("[{},{}]", json_quoted(sentence.first), json_quoted(sentence.second));
  });
  return fmt::format("{{\"sentences\":{},\"steps\":{}}}", both, steps);
}

std::string result_json(const ResultTable& table) {
  return fmt::format("{{\"title\":{},\"columns\":{},\"rows\":{}}}", json_quoted(table.title),
                     json_texts(table.columns), json_list(table.rows, json_texts));
}

std::string run_json(const ReportRun& run, size_t most_rows) {
  const auto events = json_list(run.events, [](const RunEvent& event) {
    return fmt::format("[{},{}]", json_number(event.step, clock_digits), json_quoted(event.text));
  });
  std::string ends;
  for (const auto& [column, value, low, high] : run.predictions) {
    ends += fmt::format("{}{}:[{},{},{}]", ends.empty() ? "" : ",", json_quoted(column),
                        json_number(value, value_digits), json_number(low, value_digits),
                        json_number(high, value_digits));
  }
  return fmt::format(
      "{{\"name\":{},\"path\":{},\"remarks\":{},\n\"train\":{},\n\"valid\":{},\n\"ends\":{{{}}},\n"
      "\"events\":{},\n\"samples\":{},\n\"tables\":{}}}",
      json_quoted(run.name), json_quoted(run.path.string()), json_texts(run.remarks),
      table_json(run.train, most_rows), table_json(run.valid, most_rows), ends, events,
      samples_json(run.samples), json_list(run.tables, result_json));
}

constexpr Named<ValueFormat> format_names[] = {{"number", ValueFormat::number},
                                               {"percent", ValueFormat::percent},
                                               {"short", ValueFormat::short_scale}};
constexpr Named<Better> better_names[] = {
    {"lower", Better::lower}, {"higher", Better::higher}, {"", Better::neither}};

std::string panel_json(const Panel& panel) {
  return fmt::format(
      "{{\"column\":{},\"title\":{},\"unit\":{},\"meaning\":{},\"format\":\"{}\",\"better\":\"{}\"{"
      "}{}}}",
      json_quoted(panel.column), json_quoted(panel.title), json_quoted(panel.unit),
      json_quoted(panel.meaning), name_of(format_names, panel.format),
      name_of(better_names, panel.better), panel.logarithmic ? ",\"log\":true" : "",
      panel.noisy ? ",\"noisy\":true" : "");
}

std::string config_json(std::span<const ReportRun> runs) {
  std::vector<const FlatConfig*> configs;
  for (const ReportRun& run : runs) configs.push_back(&run.config);
  return json_list(compare_configs(configs), [](const ConfigRow& row) {
    return fmt::format("{{\"key\":{},\"values\":{}{}}}", json_quoted(row.key),
                       json_texts(row.values), row.differs ? ",\"differs\":true" : "");
  });
}

}  // namespace

std::string report_data(std::span<const ReportRun> runs, size_t most_rows) {
  return fmt::format(
      "{{\"panels\":{},\n\"config\":{},\n\"runs\":{}}}\n", json_list(panels_of(runs), panel_json),
      config_json(runs),
      json_list(runs, [&](const ReportRun& run) { return run_json(run, most_rows); }));
}

}  // namespace calque
