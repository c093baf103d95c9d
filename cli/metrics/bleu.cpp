// calque bleu: BLEU of a file of translations, as sacreBLEU computes it.
#include "train/metrics/translation/bleu.h"

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/metrics/metric.h"
#include "cli/output.h"

namespace calque {
namespace {

struct BleuArguments {
  MetricArguments files;
  std::string tokenization = "13a", smoothing = "exp";
  std::optional<double> smoothing_value;
  bool lowercase = false;
};

BleuOptions options_of(const BleuArguments& arguments) {
  const BleuOptions options{.tokenization = parse_tokenization(arguments.tokenization),
                            .lowercase = arguments.lowercase,
                            .smoothing = parse_smoothing(arguments.smoothing),
                            .smoothing_value = arguments.smoothing_value,
                            .effective_order = arguments.files.each_line};
  const bool takes_value =
      options.smoothing == Smoothing::floor || options.smoothing == Smoothing::add_k;
  if (options.smoothing_value && !takes_value) {
    wrong_command_line("--smooth-value needs --smooth floor or add-k, not " + arguments.smoothing);
  }
  return options;
}

void print_bleu(const BleuArguments& arguments) {
  const BleuOptions options = options_of(arguments);
  Metric bleu = bleu_metric(options, arguments.files.decimals);
  bleu.statistics = [options](Hypotheses hypotheses, References references) {
    const std::string warning = tokenized_warning(hypotheses, options);
    if (!warning.empty()) note("calque: {}\n", warning);
    return bleu_statistics(hypotheses, references, options);
  };
  print_scores(bleu, arguments.files);
}

}  // namespace

void add_bleu_command(CLI::App& calque) {
  const auto arguments = std::make_shared<BleuArguments>();
  CLI::App* command = calque.add_subcommand("bleu", "Compute BLEU of a file of translations");
  add_metric_options(command, arguments->files);
  command->add_option("--tokenize", arguments->tokenization, "13a, intl, char or none")
      ->capture_default_str()
      ->check(CLI::IsMember({"13a", "intl", "char", "none"}))
      ->type_name("HOW");
  command->add_flag("--lowercase", arguments->lowercase, "Ignore case");
  command->add_option("--smooth", arguments->smoothing, "exp, floor, add-k or none")
      ->capture_default_str()
      ->check(CLI::IsMember({"exp", "floor", "add-k", "none"}))
      ->type_name("HOW");
  command
      ->add_option("--smooth-value", arguments->smoothing_value,
                   "The value for --smooth floor (default 0.1) or add-k (default 1)")
      ->check(number(1e-12, 1e12))
      ->type_name("X");
  command->footer("Example: calque bleu --reference test.de --confidence translations.de");
  command->callback([arguments] { print_bleu(*arguments); });
}

}  // namespace calque
