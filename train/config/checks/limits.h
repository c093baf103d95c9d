#pragma once
// Amounts with a unit: how long to train (8000u, 20e, 100Mt, 45min), intervals (500u, 1e) and sizes
// of memory (2GB). The locale affects neither reading nor writing.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// A value of a validation metric to reach: exact>=97%, loss<=1.9.
struct Goal {
  std::string metric;  // empty: no goal
  bool at_least = true;
  double value = 0;

  bool reached_by(double found) const { return at_least ? found >= value : found <= value; }
  bool operator==(const Goal&) const = default;
};

// When training ends: at the first of these limits that is reached. 0: no such limit.
struct Until {
  int64_t updates = 0;
  double epochs = 0;
  int64_t tokens = 0;
  double seconds = 0;  // of training, summed over all starts of the run
  Goal goal = {};      // of a validation

  // Whether there is a limit besides a goal.
  bool has_limit() const { return updates > 0 || epochs > 0 || tokens > 0 || seconds > 0; }

  bool operator==(const Until&) const = default;
};

// How often something happens: an interval in updates or in epochs. Both 0: never.
struct Interval {
  int64_t updates = 0;
  int64_t epochs = 0;

  bool operator==(const Interval&) const = default;
};

// A size in bytes. 0: no limit.
struct Bytes {
  int64_t count = 0;

  bool operator==(const Bytes&) const = default;
};

// These functions throw an Error with the allowed forms; the caller adds the place and the key. A
// text of parse_until may contain several limits, separated by commas or |.
Until parse_until(const std::vector<std::string>& limits);
Interval parse_interval(std::string_view text);
Bytes parse_bytes(std::string_view text);

// A short text that the functions above read as the same value.
std::string to_text(const Until& until);
std::string to_text(const Goal& goal);
std::string to_text(const Interval& interval);
std::string to_text(const Bytes& bytes);

}  // namespace calque
