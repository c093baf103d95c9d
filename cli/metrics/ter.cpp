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

void print_ter(const TerArguments& arguments) {
  const TerOptions options = arguments.options;
  print_scores(metric_of(
                   [options](Hypotheses hypotheses, References references) {
                     return ter_statistics(hypotheses, references, options);
                   },
                   [](auto sums) { return ter_of_sums(sums); },
                   [options](size_t references, auto resampling) {
                     return ter_signature(references, options, resampling);
                   },
                   arguments.files.decimals),
               arguments.files);
}

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
  command->callback([arguments] { print_ter(*arguments); });
}

}  // namespace calque
