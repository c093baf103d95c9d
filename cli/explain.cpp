// calque explain: one sentence's translation to look at, as a page, a picture or numbers.
#include "decode/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/decoding_arguments.h"
#include "cli/result_file.h"
#include "core/error.h"
#include "data/utf8.h"
#include "train/report/attention_figure.h"
#include "train/report/explain_page.h"
#include "train/tasks/translation/settings.h"
#include "train/trained_run.h"

namespace calque {
namespace {

struct Arguments {
  std::string run, sentence, out;
  DecodingArguments decoding;
  bool svg = false, json = false;
};

// The explanation has one vocabulary; source tokens of another get places behind the target's, with
// logits too low to matter.
void add_vocabulary(Explanation& explanation, const Tokenizers& tokenizers) {
  for (int32_t id = 0; id < tokenizers.target.size(); ++id) {
    explanation.vocabulary.push_back(tokenizers.target.symbol(id));
  }
  if (tokenizers.source.hash() == tokenizers.target.hash()) return;
  for (int32_t& id : explanation.source_tokens) {
    explanation.vocabulary.push_back(tokenizers.source.symbol(id));
    id = static_cast<int32_t>(explanation.vocabulary.size()) - 1;
  }
  for (std::vector<float>& logits : explanation.logits) {
    const float low = *std::ranges::min_element(logits) - 100;
    logits.resize(explanation.vocabulary.size(), low);
  }
}

Explanation explanation_of(const TrainedRun& run, const Arguments& arguments) {
  const std::string problem = utf8_problem(arguments.sentence);
  if (!problem.empty()) fail("the sentence: {}", problem);
  const std::vector<int32_t> source = run.tokenizers.source.encode(arguments.sentence);
  if (source.empty()) fail("there is nothing to explain in an empty sentence");
  const SearchOptions options = search_options(decoding_of(run, arguments.decoding));
  Explanation explanation = explain(run.model->transformer, source, options);
  explanation.source = arguments.sentence;
  explanation.translation = run.tokenizers.target.decode(explanation.target_tokens);
  explanation.model =
      fmt::format("{}, {} parameters", run.checkpoint, run.model->parameters.count());
  add_vocabulary(explanation, run.tokenizers);
  return explanation;
}

void explain_command(const Arguments& arguments) {
  if (arguments.svg && arguments.json) wrong_command_line("--svg and --json: choose one");
  const Explanation explanation = explanation_of(open_run(arguments.run), arguments);
  const std::string text = arguments.svg    ? cross_attention_svg(explanation, {})
                           : arguments.json ? explanation_json(explanation)
                                            : explain_page(explanation);
  const std::string usual = arguments.svg || arguments.json ? "-" : "explain.html";
  write_result(arguments.out.empty() ? usual : arguments.out, text);
}

}  // namespace

void add_explain_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      calque.add_subcommand("explain", "Show how a model translates a sentence, step by step");
  command->add_option("RUN", arguments->run, "A run's folder, or one of its checkpoints")
      ->required()
      ->type_name("");
  command->add_option("SENTENCE", arguments->sentence, "What to translate")
      ->required()
      ->type_name("");
  command
      ->add_option("--out", arguments->out,
                   "The file to write, - for standard output (default: explain.html; standard "
                   "output for --svg and --json)")
      ->type_name("FILE");
  command->add_flag("--svg", arguments->svg, "Only the picture of the cross-attention");
  command->add_flag("--json", arguments->json, "The numbers instead of a page");
  arguments->decoding.n_best = 1;
  add_beam(command, arguments->decoding.beam);
  add_threads(command);
  command->footer("Example: calque explain runs/toy 'ein Satz' --out sentence.html");
  command->callback([arguments] { explain_command(*arguments); });
}

}  // namespace calque
