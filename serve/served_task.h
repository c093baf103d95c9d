#pragma once
// What a server does with the runs of one task. A new task adds a folder to serve/tasks/ and an
// entry in serve/tasks/served_tasks.cpp.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/error.h"
#include "serve/service.h"

namespace calque {

struct DescribedRun {
  nlohmann::json entry;  // of the list in the answer of /runs
  std::string line;      // that `calque serve` prints
};

struct ServedTask {
  TaskKind task;
  const char* list;  // in the answer of /runs
  void (*open)(ServedRuns& runs, const RunPlace& place, const std::string& name);
  std::vector<DescribedRun> (*describe)(const ServedRuns& runs);
  std::span<const KnownRoute> routes;
  // Of the page; each pushes its section to `sections`.
  std::vector<const std::string_view*> scripts;
};

std::span<const ServedTask* const> served_tasks();

// Returns the run that the field `model` names, or the first one of its kind.
template <class Runs>
auto chosen(const Runs& runs, const Fields& fields, const char* kind) -> const auto& {
  if (runs.empty()) refuse(404, "no {} is served", kind);
  if (!fields.has("model")) return runs.front();
  const std::string name = fields.text("model");
  const auto found =
      std::ranges::find_if(runs, [&](const auto& each) { return each.name == name; });
  if (found == runs.end()) refuse(404, "no {} is named {}", kind, name);
  return *found;
}

}  // namespace calque
