#include "cli/metrics/metric.h"

#include <fmt/format.h>

#include "cli/command_line.h"
#include "core/error.h"
#include "train/metrics/test_set.h"
#include "train/metrics/translation/bleu.h"

namespace calque {
namespace {

using Lines = std::vector<std::string>;

Lines read_corresponding(const std::string& path, const std::string& other, size_t count) {
  Lines lines = read_segments(path);
  if (lines.size() != count) {
    fail("{} has {} lines, but {} has {}; they must correspond line by line", path, lines.size(),
         other, count);
  }
  return lines;
}

void check_standard_input(const MetricArguments& arguments) {
  int uses = arguments.hypotheses == "-" ? 1 : 0;
  uses += arguments.baseline == "-" ? 1 : 0;
  for (const std::string& path : arguments.references) uses += path == "-" ? 1 : 0;
  if (uses > 1) wrong_command_line("only one of the files can be standard input");
}

void check_resampling(const MetricArguments& arguments) {
  if (arguments.confidence || !arguments.baseline.empty()) return;
  if (arguments.samples > 0) wrong_command_line("--samples needs --confidence or --paired");
  if (arguments.seed) wrong_command_line("--seed needs --confidence or --paired");
}

void print_each_line(const Metric& metric, const MetricArguments& arguments,
                     const SegmentStatistics& statistics) {
  for (size_t i = 0; i < statistics.segments(); ++i) {
    if (arguments.score_only) {
      fmt::print("{:.{}f}\n", metric.score(statistics.row(i)), arguments.decimals);
    } else {
      fmt::print("{}\n", metric.line(statistics.row(i), arguments.references.size(), {}, {}));
    }
  }
}

void print_comparison(const Metric& metric, const MetricArguments& arguments,
                      const SegmentStatistics& statistics, const Lines& hypotheses,
                      std::span<const Lines> references, const Resampling& resampling) {
  const Lines other =
      read_corresponding(arguments.baseline, arguments.hypotheses, hypotheses.size());
  const SegmentStatistics baseline = metric.statistics(other, references);
  const Comparison found = compare(baseline, statistics, metric.score, arguments.test, resampling);
  const std::string head = metric.head(baseline.sums(), references.size(),
                                       resampling_fields(arguments.test, resampling));
  fmt::print("{}\n{}\n", head,
             comparison_text(found, Metric::name_of(head), arguments.baseline, arguments.hypotheses,
                             arguments.decimals));
}

}  // namespace

void add_metric_options(CLI::App* command, MetricArguments& arguments) {
  command
      ->add_option("HYP", arguments.hypotheses,
                   "The translations, one per line; - for standard input")
      ->required()
      ->type_name("");
  command
      ->add_option("-r,--reference", arguments.references,
                   "The reference translations, one per line; may be repeated")
      ->required()
      ->type_name("FILE")
      ->allow_extra_args(false);
  const auto sentence =
      command->add_flag("--sentence", arguments.each_line, "Score each line on its own");
  const auto confidence = command->add_flag("--confidence", arguments.confidence,
                                            "Add a confidence interval, by bootstrap resampling");
  const auto paired = command->add_option("--paired", arguments.baseline,
                                          "Compare HYP with another system's translations");
  paired->type_name("FILE")->excludes(confidence)->excludes(sentence);
  confidence->excludes(sentence);
  command
      ->add_option_function<std::string>(
          "--paired-test",
          [&arguments](const std::string& name) {
            arguments.test =
                name == "bootstrap" ? PairedTest::bootstrap : PairedTest::randomization;
          },
          "The significance test of --paired")
      ->check(CLI::IsMember({"bootstrap", "randomization"}))
      ->type_name("HOW")
      ->needs(paired);
  command
      ->add_option("--samples", arguments.samples,
                   "Number of random test sets (default: 1000; 10000 for randomization)")
      ->check(whole_number(2, 10000000))
      ->type_name("N");
  command->add_option("--seed", arguments.seed, "Seed of the random test sets (default: 12345)")
      ->check(whole_number(0))
      ->type_name("N");
  command->add_option("--width", arguments.decimals, "Number of decimals of the score")
      ->capture_default_str()
      ->check(whole_number(0, 15))
      ->type_name("N");
  command->add_flag("--score-only", arguments.score_only, "Print only the score")
      ->excludes(paired)
      ->excludes(confidence);
}

void print_scores(const Metric& metric, const MetricArguments& arguments) {
  check_standard_input(arguments);
  check_resampling(arguments);
  const Lines hypotheses = read_segments(arguments.hypotheses);
  std::vector<Lines> references;
  for (const std::string& path : arguments.references) {
    references.push_back(read_corresponding(path, arguments.hypotheses, hypotheses.size()));
  }
  const SegmentStatistics statistics = metric.statistics(hypotheses, references);
  const bool randomization =
      arguments.test == PairedTest::randomization && !arguments.baseline.empty();
  const Resampling resampling{.samples = arguments.samples > 0 ? arguments.samples
                                         : randomization       ? 10000
                                                               : 1000,
                              .seed = arguments.seed.value_or(12345)};

  if (arguments.each_line) {
    print_each_line(metric, arguments, statistics);
  } else if (!arguments.baseline.empty()) {
    print_comparison(metric, arguments, statistics, hypotheses, references, resampling);
  } else if (arguments.score_only) {
    fmt::print("{:.{}f}\n", metric.score(statistics.sums()), arguments.decimals);
  } else if (arguments.confidence) {
    const Confidence confidence = bootstrap(statistics, metric.score, resampling);
    fmt::print("{}\n", metric.line(statistics.sums(), references.size(), confidence,
                                   resampling_fields(PairedTest::bootstrap, resampling)));
  } else {
    fmt::print("{}\n", metric.line(statistics.sums(), references.size(), {}, {}));
  }
}

}  // namespace calque
