// Linear ticks are multiples of 1, 2 or 5 times a power of ten or, for time, of a clock division.
#include "train/report/figures/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace calque {
namespace {

double round_step(double span, int count) {
  const double rough = span / std::max(1, count);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) return factor * power;
  }
  return 10 * power;
}

Ticks multiples(double low, double high, double step) {
  Ticks found{{}, step};
  if (!(step > 0) || !std::isfinite(step)) return found;
  constexpr int most = 1000;  // a limit, because rounding may make i + 1 equal i
  const double first = std::ceil(low / step - 1e-9);
  for (int k = 0; k < most; ++k) {
    const double i = first + k;
    if (!(i * step <= high + step * 1e-9) || (k > 0 && i == first)) break;
    found.values.push_back(i == 0 ? 0 : i * step);  // never -0
  }
  return found;
}

Ticks logarithmic_ticks(double low, double high, int count) {
  const double decades = std::log10(high / low);
  if (decades < 0.7) return multiples(low, high, round_step(high - low, count));
  std::vector<double> within = {1, 2, 5};
  if (decades > count / 2.5) within = {1, 3};
  if (decades > count) within = {1};
  const int every = std::max(1, static_cast<int>(std::ceil(decades / count)));
  Ticks found;
  const int last = static_cast<int>(std::floor(std::log10(high)));
  for (int power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power) {
    if (power % every != 0) continue;
    for (const double factor : within) {
      const double value = factor * std::pow(10.0, power);
      if (value >= low * 0.9999 && value <= high * 1.0001) found.values.push_back(value);
    }
  }
  return found;
}

int decimals(double step) {
  return std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 15);
}

}  // namespace

double Scale::at(double value) const {
  const auto warped = [&](double v) { return logarithmic ? std::log(v) : v; };
  const double span = warped(high) - warped(low);
  return from + (warped(value) - warped(low)) / (span != 0 ? span : 1) * (to - from);
}

Ticks ticks(double low, double high, int count, bool logarithmic) {
  if (!(high > low)) return {{low}, 0};
  if (logarithmic) return logarithmic_ticks(low, high, count);
  return multiples(low, high, round_step(high - low, count));
}

Ticks clock_ticks(CurveAxis axis, double low, double high, int count) {
  constexpr std::array<double, 17> durations = {1,   2,   5,    10,   15,   30,    60,    120,  300,
                                                600, 900, 1800, 3600, 7200, 14400, 21600, 43200};
  if (!(high > low)) return {{low}, 0};
  const double rough = (high - low) / count;
  if (axis == CurveAxis::seconds && rough >= 1) {
    const auto found = std::lower_bound(durations.begin(), durations.end(), rough);
    const double day = 86400;
    return multiples(low, high, found != durations.end() ? *found : day * std::ceil(rough / day));
  }
  const double step = round_step(high - low, count);
  return multiples(low, high, axis == CurveAxis::step ? std::max(1.0, step) : step);
}

std::string short_number(double value, int digits) {
  if (value == 0) return "0";  // -0 too
  for (const auto& [unit, sign] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (std::abs(value) >= unit * 0.9995)
      return fmt::format("{:.{}g}{}", value / unit, digits, sign);
  }
  return fmt::format("{:.{}g}", value, digits);
}

std::string value_label(double value, double step, ValueFormat format) {
  if (format == ValueFormat::percent) {
    if (step <= 0) return fmt::format("{:.3g}%", 100 * value);
    return fmt::format("{:.{}f}%", 100 * value, decimals(100 * step));
  }
  if (value == 0) return "0";
  if (format == ValueFormat::short_scale || std::abs(value) >= 10000) return short_number(value, 4);
  if (step > 0 && step >= 1e-3) return fmt::format("{:.{}f}", value, decimals(step));
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  if (exponent >= 3) return fmt::format("{:.0f}", value);
  if (exponent >= -3 && step <= 0) return fmt::format("{:.3g}", value);
  return fmt::format("{:.3g}e{}", value / std::pow(10.0, exponent), exponent);
}

std::string clock_label(CurveAxis axis, double value) {
  if (axis != CurveAxis::seconds || value == 0) return short_number(value, 4);
  if (value < 60) return fmt::format("{:.3g} s", value);
  if (value < 3600) return fmt::format("{:.3g} min", value / 60);
  return fmt::format("{:.3g} h", value / 3600);
}

}  // namespace calque
