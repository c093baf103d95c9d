#pragma once
// What GET /metrics reports, in Prometheus' text format. Labels are routes, statuses and bounds of
// histograms: no addresses, keys or texts.

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace calque {

class Histogram {
 public:
  void add(double value);
  // Returns the lines of the metric `name`, without those of HELP and TYPE.
  std::string text(const std::string& name) const;

 private:
  static constexpr std::array bounds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0};
  std::array<int64_t, bounds.size() + 1> counts_ = {};
  double sum_ = 0;
};

class ServerMetrics {
 public:
  void answered(const std::string& route, int status, double seconds);
  void waited(double seconds);
  void batch(size_t sentences);

  struct Now {
    int64_t connections = 0, refused_connections = 0, queue_tokens = 0;
    // Prompts that were read, those that began with known tokens, the number of these tokens, and
    // the memory that keeps them.
    int64_t prompts = 0, prompts_known = 0, prompt_tokens_known = 0, prefix_bytes = 0;
  };
  std::string text(const Now& now) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;
  Histogram durations_, waits_;
  int64_t batches_ = 0, sentences_ = 0;
};

}  // namespace calque
