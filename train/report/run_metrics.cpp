// One pass over metrics.jsonl adds each line to the table of its kind; then gaps in the clocks
// (epoch, tokens, seconds) are filled by interpolation over the steps.
#include "train/report/run_metrics.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/error.h"

namespace calque {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
constexpr size_t most_columns = 64;  // limits rows x columns for a hostile file

double number_or_absent(const Json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number()) return absent;
  const double value = found->get<double>();
  return std::isfinite(value) ? value : absent;
}

std::string text_or_empty(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void truncate(MetricsTable& table, size_t rows) {
  for (auto* clock : {&table.step, &table.epoch, &table.tokens, &table.seconds}) {
    clock->resize(rows);
  }
  for (auto& [name, values] : table.columns) values.resize(std::min(values.size(), rows));
}

void put(MetricsTable& table, const std::string& name, double value) {
  if (!std::isfinite(value)) return;
  if (table.columns.size() >= most_columns && !table.columns.count(name)) return;
  std::vector<double>& column = table.columns[name];
  column.resize(table.rows(), absent);
  column.back() = value;
}

bool is_clock(const std::string& name) {
  return name == "step" || name == "epoch" || name == "tokens" || name == "seconds";
}

void append_record(MetricsTable& table, double step, const Json& record) {
  // A resumed run may repeat steps; a record replaces those of its own and later steps.
  const auto repeated = std::lower_bound(table.step.begin(), table.step.end(), step);
  truncate(table, static_cast<size_t>(repeated - table.step.begin()));
  const Json timing = record.value("timing", Json::object());
  table.step.push_back(step);
  table.epoch.push_back(number_or_absent(record, "epoch"));
  table.tokens.push_back(number_or_absent(record, "tokens"));
  table.seconds.push_back(timing.is_object() ? number_or_absent(timing, "seconds") : absent);
  for (const Json* part : {&record, &timing}) {
    if (!part->is_object()) continue;
    for (const auto& [name, value] : part->items()) {
      if (value.is_number() && !is_clock(name)) put(table, name, value.get<double>());
    }
  }
}

void append_samples(ReportRun& run, double step, const Json& record) {
  const auto found = record.find("samples");
  if (found == record.end() || !found->is_array()) return;
  std::erase_if(run.samples, [&](const SamplesAtStep& earlier) { return earlier.step >= step; });
  SamplesAtStep here{step, {}};
  for (const Json& sample : *found) {
    if (!sample.is_object()) continue;
    here.samples.push_back({text_or_empty(sample, "source"), text_or_empty(sample, "reference"),
                            text_or_empty(sample, "output")});
  }
  if (!here.samples.empty()) run.samples.push_back(std::move(here));
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& text : list) texts.push_back(text.is_string() ? text.get<std::string>() : "");
  return texts;
}

void replace_tables(ReportRun& run, const Json& record) {
  const auto found = record.find("tables");
  if (found == record.end() || !found->is_array()) return;
  run.tables.clear();
  for (const Json& table : *found) {
    if (!table.is_object()) continue;
    ResultTable& read = run.tables.emplace_back();
    read.title = text_or_empty(table, "title");
    read.columns = texts_of(table.value("columns", Json::array()));
    for (const Json& row : table.value("rows", Json::array())) read.rows.push_back(texts_of(row));
  }
}

void replace_predictions(ReportRun& run, const Json& record) {
  run.predictions.clear();
  const Json ends = record.value("end", Json::object());
  if (!ends.is_object() || ends.size() > most_columns) return;
  for (const auto& [column, end] : ends.items()) {
    const bool three = end.is_array() && end.size() == 3;
    if (!three || !std::ranges::all_of(end, [](const Json& x) { return x.is_number(); })) continue;
    run.predictions.push_back({column, end[0], end[1], end[2]});
  }
}

// Returns false if the line is not a record.
bool read_line(ReportRun& run, std::string_view line) {
  const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object()) return false;
  const double step = number_or_absent(record, "step");
  if (!std::isfinite(step)) return false;
  const std::string kind = text_or_empty(record, "kind");
  if (kind == "train") append_record(run.train, step, record);
  if (kind == "valid") {
    append_record(run.valid, step, record);
    append_samples(run, step, record);
    replace_tables(run, record);
    run.predictions.clear();
  }
  if (kind == "prediction") replace_predictions(run, record);
  if (kind == "event" || kind == "finding") {
    run.events.push_back({step, text_or_empty(record, "text"), text_or_empty(record, "fault")});
  }
  return true;
}

void read_lines(ReportRun& run, const fs::path& file, std::string_view text) {
  int64_t line_number = 0, skipped = 0, first_skipped = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(whole ? end + 1 : text.size());
    ++line_number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (read_line(run, line) || !whole) continue;  // an unfinished last line
    if (skipped++ == 0) first_skipped = line_number;
  }
  if (skipped > 0) {
    run.remarks.push_back(fmt::format("{}:{}: not a metrics record; {} such line{} skipped",
                                      file.string(), first_skipped, skipped,
                                      skipped == 1 ? "" : "s"));
  }
}

// If a clock restarted when the run was resumed, continues it from its last value.
void make_continuous(std::vector<double>& clock) {
  double offset = 0, last = 0, last_read = 0;
  for (double& value : clock) {
    if (!std::isfinite(value)) continue;
    if (value < last_read) offset = last;
    last_read = value;
    last = value += offset;
  }
}

// Interpolates a clock linearly between the known points and the origin.
class ClockLine {
 public:
  ClockLine(const std::vector<double>& step, const std::vector<double>& clock) {
    for (size_t row = 0; row < step.size(); ++row) {
      if (std::isfinite(clock[row])) known_.emplace_back(step[row], clock[row]);
    }
    if (!known_.empty() && known_.front().first > 0) known_.insert(known_.begin(), {0.0, 0.0});
  }

  double at(double step) const {
    if (known_.empty()) return absent;
    if (known_.size() == 1) return known_.front().second;
    auto right = std::lower_bound(known_.begin(), known_.end(), std::pair{step, -HUGE_VAL});
    right = std::clamp(right, known_.begin() + 1, known_.end() - 1);
    const auto left = right - 1;
    const double slope = (right->second - left->second) / (right->first - left->first);
    return std::max(0.0, left->second + slope * (step - left->first));
  }

 private:
  std::vector<std::pair<double, double>> known_;
};

void fill_clock(MetricsTable& table, std::vector<double> MetricsTable::*clock,
                const MetricsTable& train) {
  const MetricsTable& known = train.rows() > 0 ? train : table;
  const ClockLine line(known.step, known.*clock);
  std::vector<double>& values = table.*clock;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (!std::isfinite(values[row])) values[row] = line.at(table.step[row]);
  }
}

// Sorts by step and removes the events that a resumed run repeats.
void order_events(std::vector<RunEvent>& events) {
  std::set<std::pair<double, std::string>> seen;
  std::erase_if(events, [&](const RunEvent& e) { return !seen.emplace(e.step, e.text).second; });
  std::stable_sort(events.begin(), events.end(),
                   [](const RunEvent& a, const RunEvent& b) { return a.step < b.step; });
}

void finish(ReportRun& run) {
  order_events(run.events);
  make_continuous(run.train.seconds);
  // The seconds of a validation record are its duration, not the time since the start.
  if (run.train.rows() > 0) run.valid.seconds.assign(run.valid.rows(), absent);
  for (MetricsTable* table : {&run.train, &run.valid}) {
    for (auto clock : {&MetricsTable::epoch, &MetricsTable::tokens, &MetricsTable::seconds}) {
      fill_clock(*table, clock, run.train);
    }
    for (auto& [name, values] : table->columns) values.resize(table->rows(), absent);
    if (table->columns.size() >= most_columns) {
      run.remarks.push_back(
          fmt::format("{}: more than {} different values per record; the rest is ignored",
                      run.path.string(), most_columns));
    }
  }
}

fs::path metrics_file_of(const fs::path& run) {
  std::error_code ignored;
  if (fs::is_directory(run, ignored)) {
    if (!fs::exists(run / "metrics.jsonl", ignored)) {
      fail("{}: no metrics.jsonl in this folder; give the folder of a run, or a metrics.jsonl",
           run.string());
    }
    return run / "metrics.jsonl";
  }
  if (!fs::exists(run, ignored)) fail("{}: no such run folder or metrics.jsonl", run.string());
  return run;
}

// The last `parts` components of the path of the run's folder, or of a file with another name than
// metrics.jsonl.
std::string run_name(const fs::path& run, int parts) {
  std::error_code ignored;
  fs::path path = fs::weakly_canonical(run, ignored);
  if (path.empty()) path = run;
  if (path.filename().empty()) path = path.parent_path();
  if (path.filename() == "metrics.jsonl") path = path.parent_path();
  fs::path name = path.filename();
  for (path = path.parent_path(); parts > 1 && path.has_filename(); --parts) {
    name = path.filename() / name;
    path = path.parent_path();
  }
  return name.empty() ? "run" : name.string();
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in.is_open() && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in.is_open() || in.bad() || text.bad()) fail("{}: cannot be read", file.string());
  return std::move(text).str();
}

}  // namespace

const std::vector<double>* MetricsTable::find(const std::string& name) const {
  const auto found = columns.find(name);
  return found == columns.end() ? nullptr : &found->second;
}

ReportRun read_run(const fs::path& path, std::span<const MetricInfo> metrics) {
  ReportRun run;
  run.metrics.assign(metrics.begin(), metrics.end());
  run.path = path;
  run.name = run_name(path, 1);
  const fs::path file = metrics_file_of(path);
  read_lines(run, file, read_file(file));
  if (run.train.rows() == 0 && run.valid.rows() == 0) {
    fail("{}: has no training or validation record yet", file.string());
  }
  finish(run);
  const fs::path config = file.parent_path() / "config.yaml";
  std::error_code ignored;
  if (fs::exists(config, ignored)) {
    try {
      run.config = read_flat_config(config);
    } catch (const Error& error) {
      run.remarks.push_back(error.what());
    }
  }
  return run;
}

std::vector<ReportRun> read_runs(std::span<const fs::path> paths,
                                 std::span<const MetricInfo> metrics) {
  std::vector<ReportRun> runs;
  for (const fs::path& path : paths) runs.push_back(read_run(path, metrics));
  std::set<std::string> names;
  for (int parts = 1; parts < 6 && names.size() < runs.size(); ++parts) {
    names.clear();
    for (ReportRun& run : runs) names.insert(run.name = run_name(run.path, parts));
  }
  names.clear();
  for (ReportRun& run : runs) {
    const std::string name = run.name;
    for (int copy = 2; !names.insert(run.name).second; ++copy) {
      run.name = fmt::format("{} ({})", name, copy);
    }
  }
  return runs;
}

}  // namespace calque
