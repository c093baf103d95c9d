// One table for all runs, with numbers in the shortest form that parses to the same double.
#include "train/report/exports/curves_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>

#include "train/report/figures/panels.h"

namespace calque {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

void append_value(std::string& out, double value) {
  out += ',';
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(out), "{}", value);
}

void append_rows(std::string& out, const ReportRun& run, CurveSource source,
                 const std::set<std::string>& names) {
  const MetricsTable& table = table_of(run, source);
  const std::string start = quoted(run.name) + (source == CurveSource::train ? ",train" : ",valid");
  std::vector<const std::vector<double>*> columns = {&table.step, &table.epoch, &table.tokens,
                                                     &table.seconds};
  for (const std::string& name : names) columns.push_back(table.find(name));
  for (size_t row = 0; row < table.rows(); ++row) {
    out += start;
    for (const auto* column : columns) append_value(out, column ? (*column)[row] : NAN);
    out += "\r\n";
  }
}

}  // namespace

std::string curves_csv(std::span<const ReportRun> runs) {
  std::set<std::string> names;
  for (const ReportRun& run : runs) {
    for (const MetricsTable* table : {&run.train, &run.valid}) {
      for (const auto& [name, values] : table->columns) names.insert(name);
    }
  }
  std::string out = "run,kind,step,epoch,tokens,seconds";
  for (const std::string& name : names) out += ',' + quoted(name);
  out += "\r\n";
  for (const ReportRun& run : runs) {
    append_rows(out, run, CurveSource::train, names);
    append_rows(out, run, CurveSource::valid, names);
  }
  return out;
}

}  // namespace calque
