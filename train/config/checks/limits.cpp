// Every amount consists of a number, a multiplier (k, M, G) if the unit allows one, and the unit.
#include "train/config/checks/limits.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "core/error.h"
#include "data/text/trimmed.h"

namespace calque {
namespace {

struct Unit {
  std::string_view name;
  double size;
};

struct Amount {
  double number;
  std::string_view unit;
};

constexpr std::string_view until_forms =
    "a number with its unit: 8000u (updates), 20e (epochs), 100Mt (tokens), 90s, 45min, 2h or 1d "
    "(time); a goal for a validation metric: exact>=97%; or several, separated by commas";
constexpr std::string_view interval_forms = "500u (updates), 1e (epochs) or never";
constexpr std::string_view bytes_forms =
    "a number with its unit: 500MB, 2GB, 1.5GiB; or 0 for no limit";

std::string_view trimmed(std::string_view text) { return calque::trimmed(text, " \t"); }

// The number at the beginning of `text`, and the rest.
std::optional<Amount> split(std::string_view text) {
  Amount amount{};
  const char* end = text.data() + text.size();
  // Fixed, because the e of "20e" is a unit, not an exponent.
  const auto [rest, error] =
      std::from_chars(text.data(), end, amount.number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(amount.number)) return std::nullopt;
  amount.unit = trimmed({rest, static_cast<size_t>(end - rest)});
  return amount;
}

// The size of `unit` among `units`, or 0.
double size_of(std::string_view unit, std::span<const Unit> units) {
  for (const Unit& known : units) {
    if (known.name == unit) return known.size;
  }
  return 0;
}

constexpr Unit counts[] = {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
constexpr Unit times[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
constexpr Unit byte_units[] = {{"B", 1},        {"KB", 1e3},    {"kB", 1e3},   {"MB", 1e6},
                               {"GB", 1e9},     {"TB", 1e12},   {"KiB", 1024}, {"MiB", 1048576},
                               {"GiB", 0x1p30}, {"TiB", 0x1p40}};

// Returns number * scale, rounded, if it is between 1 and 2^53, up to which a double holds every
// whole number. Otherwise returns 0, and also if scale is 1 and the number is not whole.
int64_t whole(double number, double scale = 1) {
  constexpr double largest = 0x1p53;
  const double product = std::round(number * scale);
  if (!(product >= 1 && product <= largest)) return 0;
  return scale == 1 && number != product ? 0 : static_cast<int64_t>(product);
}

// Reads "exact>=97%", "loss <= 1.9"; returns false for any other text.
bool read_goal(std::string_view text, Goal& goal) {
  const size_t sign = text.find_first_of("<>");
  if (sign == std::string_view::npos || text.substr(sign + 1, 1) != "=") return false;
  const std::optional<Amount> value = split(trimmed(text.substr(sign + 2)));
  goal.metric = std::string(trimmed(text.substr(0, sign)));
  if (!value || goal.metric.empty() || (!value->unit.empty() && value->unit != "%")) return false;
  goal.at_least = text[sign] == '>';
  goal.value = value->unit == "%" ? value->number / 100 : value->number;
  return true;
}

// Sets the member of `until` that the text limits; returns false if the text is not a limit.
bool read_limit(std::string_view text, Until& until) {
  if (read_goal(text, until.goal)) return true;
  constexpr double most = 1e12;
  const std::optional<Amount> amount = split(text);
  if (!amount || !(amount->number > 0) || amount->unit.empty()) return false;
  if (amount->unit == "e") {
    until.epochs = amount->number;
    return until.epochs <= most;
  }
  if (const double time = size_of(amount->unit, times); time > 0) {
    until.seconds = amount->number * time;
    return until.seconds <= most;
  }
  const char kind = amount->unit.back();
  if (kind != 'u' && kind != 't') return false;
  const double scale = size_of(amount->unit.substr(0, amount->unit.size() - 1), counts);
  int64_t& count = kind == 'u' ? until.updates : until.tokens;
  count = whole(amount->number, scale);
  return count > 0;
}

bool overlap(const Until& a, const Until& b) {
  return (a.updates > 0 && b.updates > 0) || (a.epochs > 0 && b.epochs > 0) ||
         (a.tokens > 0 && b.tokens > 0) || (a.seconds > 0 && b.seconds > 0) ||
         (!a.goal.metric.empty() && !b.goal.metric.empty());
}

// 3000000 with the unit t: "3Mt".
std::string count_text(int64_t count, std::string_view unit) {
  if (count % 1'000'000'000 == 0) return fmt::format("{}G{}", count / 1'000'000'000, unit);
  if (count % 1'000'000 == 0) return fmt::format("{}M{}", count / 1'000'000, unit);
  return fmt::format("{}{}", count, unit);
}

// Without an exponent, which the unit e would make ambiguous.
std::string number_text(double number) {
  std::string digits(400, '\0');
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  require(error == std::errc(), "number_text: {} has no short text", number);
  digits.resize(static_cast<size_t>(end - digits.data()));
  return digits;
}

std::string time_text(double seconds) {
  for (const Unit unit : {times[2], times[1]}) {
    const double number = seconds / unit.size;
    if (number == std::floor(number) && number * unit.size == seconds)
      return number_text(number) + std::string(unit.name);
  }
  return number_text(seconds) + "s";
}

}  // namespace

Until parse_until(const std::vector<std::string>& limits) {
  Until until;
  for (std::string_view rest : limits) {
    for (bool more = true; more;) {
      const auto end = rest.find_first_of(",|");
      const std::string_view text = trimmed(rest.substr(0, end));
      more = end != std::string_view::npos;
      if (more) rest.remove_prefix(end + 1);
      Until limit;
      if (!read_limit(text, limit)) fail("'{}' is not a limit; write {}", text, until_forms);
      if (overlap(until, limit)) fail("'{}' is the second limit of its kind", text);
      until.updates += limit.updates;
      until.epochs += limit.epochs;
      until.tokens += limit.tokens;
      until.seconds += limit.seconds;
      if (!limit.goal.metric.empty()) until.goal = limit.goal;
    }
  }
  if (until == Until()) fail("no limit; write {}", until_forms);
  return until;
}

Interval parse_interval(std::string_view text) {
  text = trimmed(text);
  if (text == "never" || text == "0") return {};
  const std::optional<Amount> amount = split(text);
  Interval interval;
  if (amount && amount->unit == "e") {
    interval.epochs = whole(amount->number);
  } else if (amount && (amount->unit.empty() || amount->unit.back() == 'u')) {
    const std::string_view unit = amount->unit;
    const double scale = size_of(unit.substr(0, unit.empty() ? 0 : unit.size() - 1), counts);
    interval.updates = whole(amount->number, scale);
  }
  if (interval == Interval()) fail("'{}' is not an interval; write {}", text, interval_forms);
  return interval;
}

Bytes parse_bytes(std::string_view text) {
  text = trimmed(text);
  if (text == "0") return {};
  const std::optional<Amount> amount = split(text);
  const double scale = amount ? size_of(amount->unit, byte_units) : 0;
  const int64_t count = scale > 0 ? whole(amount->number, scale) : 0;
  if (count == 0) fail("'{}' is not a size; write {}", text, bytes_forms);
  return {count};
}

std::string to_text(const Until& until) {
  std::vector<std::string> limits;
  if (until.updates > 0) limits.push_back(fmt::format("{}u", until.updates));
  if (until.epochs > 0) limits.push_back(number_text(until.epochs) + "e");
  if (until.tokens > 0) limits.push_back(count_text(until.tokens, "t"));
  if (until.seconds > 0) limits.push_back(time_text(until.seconds));
  if (!until.goal.metric.empty()) limits.push_back(to_text(until.goal));
  return fmt::format("{}", fmt::join(limits, ", "));
}

std::string to_text(const Goal& goal) {
  return fmt::format("{}{}{}", goal.metric, goal.at_least ? ">=" : "<=", number_text(goal.value));
}

std::string to_text(const Interval& interval) {
  if (interval.epochs > 0) return fmt::format("{}e", interval.epochs);
  if (interval.updates > 0) return fmt::format("{}u", interval.updates);
  return "never";
}

std::string to_text(const Bytes& bytes) {
  if (bytes.count == 0) return "0";
  for (const auto& [name, size] : {Unit{"GB", 1e9}, Unit{"GiB", 0x1p30}, Unit{"MB", 1e6},
                                   Unit{"MiB", 0x1p20}, Unit{"kB", 1e3}}) {
    const auto step = static_cast<int64_t>(size);
    if (bytes.count % step == 0) return fmt::format("{}{}", bytes.count / step, name);
  }
  return fmt::format("{}B", bytes.count);
}

}  // namespace calque
