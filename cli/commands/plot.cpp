// calque plot: writes the curves of runs as a page, a figure, a table or a plot in the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "train/report/exports/curves_csv.h"
#include "train/report/figures/figure.h"
#include "train/report/figures/terminal_plot.h"
#include "train/report/pages/report_page.h"
#include "train/tasks/registry.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

struct PlotArguments {
  std::vector<fs::path> runs;
  std::string page, svg, csv;
  std::string over = "step";
  bool terminal = false;
  PlotOptions options = {};
};

std::vector<std::string> names_of_axes() {
  std::vector<std::string> names;
  for (const Named<CurveAxis>& axis : curve_axes) names.emplace_back(axis.name);
  return names;
}

std::string check_smoothing(const std::string& text) {
  double weight = 0;
  const bool sound = CLI::detail::lexical_cast(text, weight) && weight >= 0 && weight <= 0.99;
  return sound ? "" : "must be a number from 0 to 0.99";
}

// The report of one run goes into its folder.
std::string default_page(const std::vector<fs::path>& runs) {
  const bool one_folder = runs.size() == 1 && fs::is_directory(runs.front());
  return one_folder ? (runs.front() / "report.html").string() : "report.html";
}

void plot(PlotArguments& arguments) {
  arguments.options.axis = *choice_named(curve_axes, arguments.over);
  std::vector<ReportRun> runs = read_runs(arguments.runs, {});
  for (ReportRun& run : runs) {
    const auto metrics = metrics_of(run.config);
    run.metrics.assign(metrics.begin(), metrics.end());
  }
  for (const ReportRun& run : runs) {
    for (const std::string& remark : run.remarks) {
      note("calque: {}\n", one_line(remark));
    }
  }
  if (!arguments.svg.empty()) write_result(arguments.svg, figure_svg(runs, arguments.options));
  if (!arguments.csv.empty()) write_result(arguments.csv, curves_csv(runs));
  if (arguments.terminal) {
    write_result("-", terminal_plot(runs, arguments.options, terminal_style()));
  }
  const bool only_others = !arguments.svg.empty() || !arguments.csv.empty() || arguments.terminal;
  if (!arguments.page.empty()) {
    write_result(arguments.page, report_page(runs));
  } else if (!only_others) {
    write_result(default_page(arguments.runs), report_page(runs));
  }
}

}  // namespace

void add_plot_command(CLI::App& calque) {
  auto arguments = std::make_shared<PlotArguments>();
  CLI::App* command = calque.add_subcommand("plot", "Draw the curves of one or several runs");
  command->add_option("RUN", arguments->runs, "Folders of runs, or metrics.jsonl files")
      ->required()
      ->type_name("");
  command
      ->add_option("--out", arguments->page,
                   "The file for the interactive page, - for standard output (default: "
                   "RUN/report.html, or ./report.html for several runs)")
      ->type_name("FILE");
  command->add_option("--svg", arguments->svg, "Write a figure for a paper")->type_name("FILE");
  command->add_option("--csv", arguments->csv, "Write all records as a table")->type_name("FILE");
  command->add_flag("--terminal", arguments->terminal, "Draw in the terminal");
  const std::vector<CLI::Option*> figure_options = {
      command
          ->add_option("--metric", arguments->options.columns,
                       "The curves that --svg and --terminal draw, such as loss,bleu")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("NAMES"),
      command->add_option("--over", arguments->over, "The x axis (default: step)")
          ->check(CLI::IsMember(names_of_axes()))
          ->type_name("AXIS"),
      command
          ->add_option("--smooth", arguments->options.smoothing,
                       "Weight of the past in a moving average of the training curves, 0 to 0.99")
          ->check(CLI::Validator(check_smoothing, "", "smoothing"))
          ->type_name("X"),
      command->add_flag("--log", arguments->options.logarithmic, "Logarithmic y axes")};
  command->footer(
      "Example: calque plot runs/toy\n"
      "         calque plot runs/a runs/b --out compare.html\n"
      "         calque plot runs/toy --terminal --metric loss,bleu --over time");
  command->callback([arguments, figure_options] {
    for (const CLI::Option* option : figure_options) {
      if (option->empty() || arguments->terminal || !arguments->svg.empty()) continue;
      wrong_command_line(option->get_name() +
                         " needs --svg or --terminal; the page shows all curves");
    }
    plot(*arguments);
  });
}

}  // namespace calque
