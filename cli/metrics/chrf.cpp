// calque chrf: chrF or chrF++ of a file of translations, as sacreBLEU computes it.
#include "train/metrics/translation/chrf.h"

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/metrics/metric.h"

namespace calque {
namespace {

struct ChrfArguments {
  MetricArguments files;
  ChrfOptions options;
};

}  // namespace

void add_chrf_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ChrfArguments>();
  ChrfOptions& options = arguments->options;
  CLI::App* command = calque.add_subcommand("chrf", "Compute chrF of a file of translations");
  add_metric_options(command, arguments->files);
  command
      ->add_option("--char-order", options.character_order, "Maximum length of character n-grams")
      ->capture_default_str()
      ->check(whole_number(0, 100))
      ->type_name("N");
  command
      ->add_option("--word-order", options.word_order,
                   "Maximum length of word n-grams; 2 is chrF++")
      ->capture_default_str()
      ->check(whole_number(0, 100))
      ->type_name("N");
  command->add_option("--beta", options.beta, "The weight of recall relative to precision")
      ->capture_default_str()
      ->check(whole_number(1, 100))
      ->type_name("N");
  command->add_flag("--lowercase", options.lowercase, "Ignore case");
  command->add_flag("--whitespace", options.whitespace, "Count white space too");
  command->add_flag("--eps-smoothing", options.eps_smoothing,
                    "Smooth as chrF++.py does, for very short texts");
  command->footer("Example: calque chrf --reference test.de --word-order 2 translations.de");
  command->callback([arguments] {
    print_scores(chrf_metric(arguments->options, arguments->files.decimals), arguments->files);
  });
}

}  // namespace calque
