#include "train/run/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "core/error.h"

namespace calque {
namespace {

std::string line_of(const TrainRecord& r, const std::string& remaining) {
  return fmt::format(
      "step {:>6}  epoch {:>6.2f}  loss {:.4f}  ppl {:>8.2f}  acc {:>5.1f}%  lr {:.2e}  norm "
      "{:.2f}  "
      "{:>6.0f} tokens/s  {:>4.0f} GFLOP/s{}{}",
      r.step, r.epoch, r.mean.loss, r.mean.perplexity, 100 * r.mean.accuracy, r.learning_rate,
      r.gradient_norm, r.tokens_per_second, r.gflop_per_second, remaining.empty() ? "" : "  ",
      remaining);
}

std::string value_text(double value, const MetricInfo& metric) {
  const bool percent = metric.format == ValueFormat::percent;
  return fmt::format("{:.{}f}{}", percent ? 100 * value : value, metric.decimals,
                     percent ? "%" : "");
}

// One validation example: its input, its reference if there is one, and the output.
std::string lines_of(const Sample& sample) {
  if (sample.reference.empty()) return fmt::format("    {}\n    > {}", sample.input, sample.output);
  return fmt::format("    {}\n    = {}\n    {} {}", sample.input, sample.reference,
                     sample.output == sample.reference ? ">" : "!", sample.output);
}

// Returns whether the text was written; if not, errno has the reason.
bool print(std::FILE* stream, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

}  // namespace

std::string duration_text(double seconds) {
  const int64_t whole = std::llround(seconds);
  const int64_t h = whole / 3600, m = whole / 60 % 60, s = whole % 60;
  if (h > 0) return fmt::format("{}h {}min", h, m);
  if (m > 0) return fmt::format("{}min {}s", m, s);
  return fmt::format("{}s", s);
}

RunLog::RunLog(FileSystem& files, const RunFolder& run, const LoggingConfig& logging,
               std::span<const MetricInfo> metrics, int64_t first_step, Loudness loudness,
               std::function<void(const std::string&)> lines)
    : known_(metrics.begin(), metrics.end()),
      loudness_(loudness),
      lines_(std::move(lines)),
      bar_allowed_(loudness == Loudness::normal && !lines_ && isatty(STDERR_FILENO) == 1) {
  if (loudness == Loudness::silent) return;
  metrics_.emplace(files, run.metrics());
  log_.emplace(files, run.log());
  if (logging.tensorboard) tensorboard_.emplace(run.tensorboard(), first_step);
}

RunLog::~RunLog() { clear_bar(); }

void RunLog::write(const TrainRecord& r, const std::string& remaining) {
  metrics(json_line(r));
  say(calque::line_of(r, remaining));
}

std::string RunLog::line_of(const ValidRecord& r) const {
  std::string line = fmt::format("valid {:>5}  epoch {:>6.2f}", r.step, r.epoch);
  for (const MetricInfo& metric : known_) {
    if (metric.label.empty()) continue;
    for (const auto& [column, value] : r.values) {
      if (column != metric.column) continue;
      line += fmt::format("  {} {}", metric.label, value_text(value, metric));
    }
  }
  return line;
}

void RunLog::write(const ValidRecord& r) {
  metrics(json_line(r));
  say(line_of(r));
  for (const Sample& sample : r.samples) say(lines_of(sample));
}

void RunLog::event(int64_t step, const std::string& text) {
  metrics(event_json(step, text));
  say(fmt::format("step {:>6}  {}", step, text));
}

void RunLog::prediction(int64_t step, std::span<const Prediction> predictions) {
  metrics(prediction_json(step, predictions));
  std::string line;
  for (const Prediction& p : predictions) {
    const auto known = std::ranges::find(known_, p.column, &MetricInfo::column);
    if (known == known_.end() || known->label.empty()) continue;
    MetricInfo metric = *known;
    metric.decimals = std::min(metric.decimals, 2);
    line += fmt::format("{} {} {} to {}", line.empty() ? "" : ",", metric.label,
                        value_text(p.low, metric), value_text(p.high, metric));
  }
  if (!line.empty()) say("      expected at the end:" + line);
}

void RunLog::finding(int64_t step, const std::string& fault, const std::string& text) {
  metrics(finding_json(step, fault, text));
  say(fmt::format("step {:>6}  warning: {}", step, text));
}

// Failures to write the log are ignored, because the caller reports `error`.
void RunLog::ended(int64_t step, const std::string& error, bool has_checkpoint) {
  if (!log_) return;
  clear_bar();
  const std::string text = "ended by an error: " + error;
  if (has_checkpoint) metrics_->append(event_json(step, text));
  log_->append(fmt::format("step {:>6}  {}", step, text));
}

void RunLog::metrics(const std::string& json) {
  if (!metrics_) return;
  complain(metrics_->append(json));
  if (!tensorboard_) return;
  try {
    tensorboard_->record(json);
  } catch (const Error& error) {
    tensorboard_.reset();  // the last event may be incomplete, so none can follow it
    problem(fmt::format("{}; the run writes no more TensorBoard events", error.what()));
  }
}

void RunLog::say(const std::string& line) {
  if (!log_) return;
  complain(log_->append(line));
  if (loudness_ == Loudness::quiet) return;
  if (lines_) return lines_(line);
  clear_bar();
  if (print(stdout, line + "\n")) return;
  loudness_ = Loudness::quiet;
  problem(fmt::format("standard output: {}; further lines go to train.log alone",
                      std::generic_category().message(errno)));
}

void RunLog::complain(const std::optional<std::string>& text) {
  if (text) problem(*text);
}

void RunLog::problem(const std::string& text) {
  if (!log_) return;
  complain(log_->append("problem: " + text));
  if (lines_) return lines_("problem: " + text);
  clear_bar();
  print(stderr, fmt::format("calque: {} (training continues)\n", text));
}

void RunLog::progress(double share, const std::string& text) {
  if (!bar_allowed_) return;
  constexpr int width = 30;
  const int full = static_cast<int>(width * std::min(1.0, std::max(0.0, share)));
  bar_shown_ = print(stderr, fmt::format("\r\033[K[{:=<{}}{:<{}}] {:.0f}%  {}", "", full, "",
                                         width - full, 100 * share, text));
}

void RunLog::clear_bar() {
  if (bar_shown_) print(stderr, "\r\033[K");
  bar_shown_ = false;
}

void RunLog::sync() {
  if (!log_) return;
  complain(metrics_->sync());
  complain(log_->sync());
}

void RunLog::close() {
  if (!log_) return;
  clear_bar();
  if (const auto text = metrics_->close()) {
    log_->append("problem: " + *text);
    print(stderr, fmt::format("calque: {} (training is not affected)\n", *text));
  }
  if (const auto text = log_->close()) {
    print(stderr, fmt::format("calque: {} (training is not affected)\n", *text));
  }
}

}  // namespace calque
