#include "serve/served_runs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "serve/served_task.h"
#include "train/config/tasks.h"

namespace calque {
namespace {

std::string name_of_run(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace

const ServedTranslator* ServedRuns::translator(const std::string& source,
                                               const std::string& target) const {
  const auto found = std::ranges::find_if(translators, [&](const ServedTranslator& each) {
    return each.source == source && each.target == target;
  });
  return found == translators.end() ? nullptr : &*found;
}

ServedRuns open_served_runs(const std::vector<RunPlace>& places) {
  ServedRuns runs;
  std::set<std::string> names;
  for (const RunPlace& place : places) {
    const std::string& folder = place.path;
    const std::string name = name_of_run(folder);
    if (!names.insert(name).second) fail("{}: two runs are named {}", folder, name);
    const TaskKind task = find_run(folder).config.task;
    const auto tasks = served_tasks();
    const auto served = std::ranges::find(tasks, task, &ServedTask::task);
    if (served == tasks.end()) {
      std::vector<TaskKind> kinds;
      for (const ServedTask* each : tasks) kinds.push_back(each->task);
      fail("calque serve needs a run of task: {}; {} is of task: {}", names_of(kinds), folder,
           name_of(task_kinds, task));
    }
    (*served)->open(runs, place, name);
  }
  return runs;
}

}  // namespace calque
