#include "train/ranks/agreement.h"

#include <fmt/ranges.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <algorithm>

#include "core/error.h"
#include "core/instruction_set.h"
#include "core/products/blas.h"
#include "ranks/collectives.h"
#include "train/config/load.h"
#include "train/config/show.h"
#include "train/settings.h"

namespace calque {
namespace {

struct Property {
  std::string_view name;
  std::string value;
};

std::string c_library() {
#ifdef __GLIBC__
  return gnu_get_libc_version();
#else
  return "of this system";
#endif
}

// The properties besides config and data that decide the bits of a step. The C library provides
// exp() and log().
std::vector<Property> properties(const Config& config) {
  return {{"version of calque", CALQUE_VERSION},
          {"compiler", __VERSION__},
          {"instruction set",
           fmt::format("{}, with numbers of {} bytes", instruction_set(), sizeof(real))},
          {"BLAS", blas_description(product_precision(config.training))},
          {"C library", c_library()}};
}

// Describes the first property that differs from that of rank 0; empty if none does.
std::string difference(const std::vector<Property>& mine, const std::vector<std::string>& first) {
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i].value == first[i]) continue;
    return fmt::format("its {} is {}, that of rank 0 is {}", mine[i].name, mine[i].value, first[i]);
  }
  return "";
}

std::string difference(const Config& mine, const Config& first) {
  std::vector<std::string> changes;
  for (const ConfigDifference& d : config_differences(first, mine)) {
    if (d.key == "training.threads") continue;
    changes.push_back(fmt::format("{}: {} instead of {}", d.key, d.now, d.before));
  }
  return changes.empty() ? "" : fmt::format("its config has {}", fmt::join(changes, ", "));
}

// Throws the first problem that is not empty, on all ranks.
void require_none(Communicator& ranks, const std::string& problem) {
  const std::vector<std::string> hosts = all_gather_texts(ranks, ranks.host());
  const std::vector<std::string> all = all_gather_texts(ranks, problem);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    fail("rank {} on {} cannot train with the others: {}", rank, hosts[rank], all[rank]);
  }
}

// Whether no lower rank runs on the machine of this one.
bool is_first_on_its_host(Communicator& ranks) {
  const std::vector<std::string> hosts = all_gather_texts(ranks, ranks.host());
  const auto first = std::ranges::find(hosts, ranks.host());
  return first - hosts.begin() == ranks.rank();
}

}  // namespace

void require_same_program(Communicator& ranks, const Config& config) {
  if (ranks.ranks() == 1) return;
  const std::vector<Property> mine = properties(config);
  std::vector<std::string> first;
  for (const Property& property : mine) first.push_back(broadcast_text(ranks, property.value));
  std::string problem = difference(mine, first);
  const std::string text = broadcast_text(ranks, show_config(config));
  if (problem.empty()) {
    problem = difference(config, parse_complete_config(text, "the config of rank 0").config);
  }
  require_none(ranks, problem);
}

std::unique_ptr<Task> make_tasks(Communicator& ranks,
                                 const std::function<std::unique_ptr<Task>()>& make,
                                 const Config& config, const RunFolder& run,
                                 const MakeTask& make_task) {
  if (ranks.ranks() == 1) return make();
  std::unique_ptr<Task> task;
  if (ranks.is_rank_zero()) task = make();
  TaskStart start{TaskStart::Purpose::resume};
  start.tokenizer_hash = broadcast_text(ranks, task ? task->tokenizer_hash() : "");
  start.data_hash = broadcast_text(ranks, task ? task->data_hash() : "");
  const bool early = is_first_on_its_host(ranks);
  for (const bool now : {true, false}) {
    if (!task && early == now) task = make_task(config, run, start);
    wait_for_all(ranks);
  }
  require_none(ranks, task->tokenizer_hash() != start.tokenizer_hash
                          ? "its tokenizer is not that of rank 0; remove the tokenizer files from "
                            "its run folder"
                      : task->data_hash() != start.data_hash
                          ? "its training data is not that of rank 0; copy the data of rank 0"
                          : "");
  return task;
}

void share_state(Communicator& ranks, TrainingState& state) {
  if (ranks.ranks() == 1) return;
  const std::string text = broadcast_text(ranks, format_state(state));
  if (!ranks.is_rank_zero()) state = parse_state(text, "the state of rank 0");
}

}  // namespace calque
