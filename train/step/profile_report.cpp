#include "train/step/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "train/step/machine_speed.h"

namespace calque {
namespace {

using Kind = Profile::Kind;

const char* text_of(Kind kind) {
  switch (kind) {
    case Kind::forward:
      return "forward";
    case Kind::backward:
      return "backward";
    case Kind::phase:
      break;
  }
  return "";
}

struct Scale {
  double steps, step_seconds;  // the number of steps, and their total time
  MachineLimits limits;
};

std::string row(const std::string& name, const char* pass, const Profile::Sum& sum,
                const Scale& scale) {
  const auto rate = [&](double work) {
    return work > 0 ? fmt::format("{:.1f}", work / sum.seconds / 1e9) : std::string("-");
  };
  const double least =
      std::max(sum.work.flops / scale.limits.flops, sum.work.bytes / scale.limits.bytes);
  const double share = least / sum.seconds;
  const bool known = least > 0 && share < 10;  // 10 or more: the op only passed its gradient on
  return fmt::format("{:<26}{:<9}{:>9.1f}{:>11.3f}{:>8.1f}%{:>10}{:>9}{:>10}\n", name, pass,
                     static_cast<double>(sum.calls) / scale.steps, 1e3 * sum.seconds / scale.steps,
                     100 * sum.seconds / scale.step_seconds, rate(sum.work.flops),
                     rate(sum.work.bytes), known ? fmt::format("{:.0f}%", 100 * share) : "-");
}

// The time of a phase outside its ops: the tape, memory management and calls.
Profile::Sum remainder(const Profile& profile, const char* phase, std::initializer_list<Kind> ops) {
  Profile::Sum rest = profile.sum_of(phase, Kind::phase);
  for (const Profile::Sum& sum : profile.sums()) {
    if (std::ranges::find(ops, sum.kind) != ops.end()) rest.seconds -= sum.seconds;
  }
  rest.seconds = std::max(0.0, rest.seconds);
  return rest;
}

}  // namespace

MachineLimits machine_limits(Precision precision) {
  return {best_product_rate(precision), best_memory_rate()};
}

std::string profile_table(const Profile& profile, const MachineLimits& limits) {
  const Profile::Sum steps = profile.sum_of("step", Kind::phase);
  if (steps.calls == 0) return "";
  const Scale scale{static_cast<double>(steps.calls), steps.seconds, limits};
  std::string text = fmt::format("{:<26}{:<9}{:>9}{:>11}{:>9}{:>10}{:>9}{:>10}\n", "op", "pass",
                                 "per step", "ms/step", "share", "GFLOP/s", "GB/s", "of limit");
  std::vector<Profile::Sum> sums = profile.sums();
  std::ranges::sort(sums, std::greater<>(), &Profile::Sum::seconds);
  for (const Profile::Sum& sum : sums) {
    if (sum.kind != Kind::phase) text += row(sum.name, text_of(sum.kind), sum, scale);
  }
  text += row("between ops", "forward", remainder(profile, "forward", {Kind::forward}), scale);
  text += row("between ops", "backward", remainder(profile, "backward", {Kind::backward}), scale);
  text += row("update", "", profile.sum_of("update", Kind::phase), scale);
  text += row("a step", "", steps, scale);
  for (const Profile::Sum& sum : sums) {
    const bool part = sum.name == "step" || sum.name == "forward" || sum.name == "backward" ||
                      sum.name == "update";
    if (sum.kind == Kind::phase && !part) text += row("besides: " + sum.name, "", sum, scale);
  }
  text += fmt::format(
      "{} steps. Limits, measured on this machine: {:.0f} GFLOP/s for matrix products, {:.1f} GB/s "
      "for memory. FLOPs count\nonly matrix products; bytes count each input and output tensor "
      "once. An op whose data is in the cache can exceed 100%.\n",
      steps.calls, limits.flops / 1e9, limits.bytes / 1e9);
  return text;
}

std::string chrome_trace(const Profile& profile) {
  using Json = nlohmann::ordered_json;
  const auto named = [](int row, const char* name) {
    return Json{
        {"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", row}, {"args", {{"name", name}}}};
  };
  Json events = {named(1, "phases"), named(2, "ops")};
  for (const Profile::Event& event : profile.events()) {
    const bool phase = event.kind == Kind::phase;
    Json json = {{"name", event.name},
                 {"cat", phase ? "phase" : text_of(event.kind)},
                 {"ph", "X"},
                 {"ts", 1e6 * event.start},
                 {"dur", 1e6 * event.seconds},
                 {"pid", 1},
                 {"tid", phase ? 1 : 2}};
    if (event.work.flops > 0) json["args"]["GFLOP"] = event.work.flops / 1e9;
    if (event.work.bytes > 0) json["args"]["MB"] = event.work.bytes / 1e6;
    events.push_back(std::move(json));
  }
  return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump() + "\n";
}

}  // namespace calque
