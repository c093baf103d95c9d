#include "serve/server_metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace calque {
namespace {

std::string family(const std::string& name, const char* type, const char* help) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

std::string single(const std::string& name, const char* type, const char* help, int64_t value) {
  return family(name, type, help) + fmt::format("{} {}\n", name, value);
}

}  // namespace

void Histogram::add(double value) {
  const auto bin = std::ranges::lower_bound(bounds, value) - bounds.begin();
  ++counts_[static_cast<size_t>(bin)];
  sum_ += value;
}

std::string Histogram::text(const std::string& name) const {
  std::string lines;
  int64_t total = 0;
  for (size_t i = 0; i < bounds.size(); ++i) {
    total += counts_[i];
    lines += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, bounds[i], total);
  }
  total += counts_.back();
  return lines + fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name,
                             total, sum_);
}

void ServerMetrics::answered(const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  durations_.add(seconds);
}

void ServerMetrics::waited(double seconds) {
  const std::lock_guard lock(mutex_);
  waits_.add(seconds);
}

void ServerMetrics::batch(size_t sentences) {
  const std::lock_guard lock(mutex_);
  ++batches_;
  sentences_ += static_cast<int64_t>(sentences);
}

std::string ServerMetrics::text(const Now& now) const {
  const std::lock_guard lock(mutex_);
  std::string text = family("calque_http_requests_total", "counter", "Answered requests.");
  for (const auto& [key, count] : requests_) {
    text += fmt::format("calque_http_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
  text += family("calque_http_request_duration_seconds", "histogram",
                 "Time from the request to its answer.") +
          durations_.text("calque_http_request_duration_seconds");
  text += family("calque_queue_wait_seconds", "histogram", "Time in the queue.") +
          waits_.text("calque_queue_wait_seconds");
  text += single("calque_queue_tokens", "gauge", "Tokens in the queue.", now.queue_tokens);
  text += single("calque_batches_total", "counter", "Translated batches.", batches_);
  text += single("calque_batch_sentences_total", "counter", "Sentences in translated batches.",
                 sentences_);
  text +=
      single("calque_prompts_total", "counter", "Prompts read by language models.", now.prompts);
  text += single("calque_prefix_cache_hits_total", "counter",
                 "Prompts whose beginning was in the prefix cache.", now.prompts_known);
  text += single("calque_prefix_cache_tokens_total", "counter",
                 "Tokens of prompts that were in the prefix cache.", now.prompt_tokens_known);
  text +=
      single("calque_prefix_cache_bytes", "gauge", "Memory of the prefix cache.", now.prefix_bytes);
  text += single("calque_connections", "gauge", "Open connections.", now.connections);
  return text + single("calque_connections_refused_total", "counter",
                       "Connections refused because of the limits.", now.refused_connections);
}

}  // namespace calque
