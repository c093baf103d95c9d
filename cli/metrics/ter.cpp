// calque ter: TER of a file of translations, as Tercom and sacreBLEU compute it.
#include "train/metrics/translation/ter.h"

#include "cli/commands.h"
#include "cli/metrics/metric.h"

namespace calque {
namespace {

struct TerArguments {
  MetricArguments files;
  TerOptions options;
};

}  // namespace

void add_ter_command(CLI::App& calque) {
  const auto arguments = std::make_shared<TerArguments>();
  TerOptions& options = arguments->options;
  CLI::App* command = calque.add_subcommand("ter", "Compute TER of a file of translations");
  add_metric_options(command, arguments->files);
  command->add_flag("--normalized", options.normalized, "Tokenize translations and references");
  command->add_flag("--no-punct", options.no_punctuation, "Ignore punctuation");
  command->add_flag(
      "--asian-support", options.asian_support,
      "With --normalized, also split ideographs; with --no-punct, also remove Asian punctuation");
  command->add_flag("--case-sensitive", options.case_sensitive, "Distinguish upper and lower case");
  command->footer("Example: calque ter --reference test.de translations.de");
  command->callback([arguments] {
    print_scores(ter_metric(arguments->options, arguments->files.decimals), arguments->files);
  });
}

}  // namespace calque
