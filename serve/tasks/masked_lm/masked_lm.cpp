// The masked language models of a server. They only embed texts, for which the page has no section.
#include "serve/served_task.h"
#include "train/tasks/masked_lm/run.h"

namespace calque {
namespace {

void open_masked_lm(ServedRuns& runs, const RunPlace& place, const std::string& name) {
  runs.masked_models.push_back(name);
  runs.embedders.push_back({name, sentence_encoder(open_masked_lm_run(place))});
}

std::vector<DescribedRun> describe_masked_lms(const ServedRuns& runs) {
  std::vector<DescribedRun> all;
  for (const std::string& name : runs.masked_models) {
    all.push_back({{{"name", name}}, fmt::format("{}: masked language model", name)});
  }
  return all;
}

}  // namespace

extern const ServedTask served_masked_lm;
const ServedTask served_masked_lm = {
    .task = TaskKind::masked_lm,
    .list = "masked_models",
    .open = open_masked_lm,
    .describe = describe_masked_lms,
    .routes = {},
    .scripts = {},
};

}  // namespace calque
