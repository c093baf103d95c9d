// calque explain: one sentence's translation, or a text's continuation, to look at: as a page, a
// picture or numbers.
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
#include "data/vocabulary.h"
#include "decode/language_decoding.h"
#include "decode/sampling.h"
#include "train/report/attention_figure.h"
#include "train/report/explain_page.h"
#include "train/tasks/language_model/language_model_run.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/translation_run.h"

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

Explanation explanation_of(const TranslationRun& run, const Arguments& arguments) {
  const std::string problem = utf8_problem(arguments.sentence);
  if (!problem.empty()) fail("the sentence: {}", problem);
  const std::vector<int32_t> source = run.tokenizers.source.encode(arguments.sentence);
  if (source.empty()) fail("there is nothing to explain in an empty sentence");
  const TranslationOptions options = translation_options(decoding_of(run, arguments.decoding));
  Explanation explanation = explain(run.model->transformer, source, options);
  explanation.source = arguments.sentence;
  explanation.translation = run.tokenizers.target.decode(explanation.target_tokens);
  explanation.model =
      fmt::format("{}, {} parameters", run.checkpoint, run.model->parameters.count());
  add_vocabulary(explanation, run.tokenizers);
  return explanation;
}

// A prompt and its most probable continuation.
Explanation explanation_of_text(const LanguageModelRun& run, const Arguments& arguments) {
  constexpr int64_t most_tokens = 24;
  const std::string problem = utf8_problem(arguments.sentence);
  if (!problem.empty()) fail("the prompt: {}", problem);
  std::vector<int32_t> prompt = {begin_id};
  run.tokenizer.encode_document(arguments.sentence, prompt);
  const int64_t room = run.config.data.context - std::ssize(prompt);
  if (room < 1) {
    fail("the prompt has {} tokens, but the model sees {} at once", prompt.size(),
         run.config.data.context);
  }
  const std::vector<std::vector<int32_t>> prompts = {prompt};
  SamplingOptions greedy;
  greedy.sampling.temperature = 0;
  greedy.close_at_longest = false;
  const DecodingModel model = language_decoding_model(run.model(), prompts);
  const Hypothesis found =
      sample({&model, 1}, language_items(prompts, std::min(room, most_tokens)), greedy)
          .front()
          .front();
  std::vector<int32_t> continuation = found.ids;
  if (found.finished) continuation.push_back(end_id);
  Explanation explanation = explain_text(run.model(), prompt, continuation);
  explanation.source = arguments.sentence;
  explanation.translation = run.tokenizer.decode_document(found.ids);
  explanation.model =
      fmt::format("{}, {} parameters", run.checkpoint, run.network->parameters.count());
  for (int32_t id = 0; id < run.tokenizer.size(); ++id) {
    explanation.vocabulary.push_back(run.tokenizer.symbol(id));
  }
  return explanation;
}

Explanation explanation_for(const Arguments& arguments) {
  if (find_run(arguments.run).config.task == TaskKind::language_model) {
    if (arguments.svg)
      fail("--svg draws the cross-attention, which a language model does not have");
    return explanation_of_text(open_language_model_run(arguments.run), arguments);
  }
  return explanation_of(open_translation_run(arguments.run), arguments);
}

void explain_command(const Arguments& arguments) {
  if (arguments.svg && arguments.json) wrong_command_line("--svg and --json: choose one");
  const Explanation explanation = explanation_for(arguments);
  const std::string text = arguments.svg    ? cross_attention_svg(explanation, {})
                           : arguments.json ? explanation_json(explanation)
                                            : explain_page(explanation);
  const std::string usual = arguments.svg || arguments.json ? "-" : "explain.html";
  write_result(arguments.out.empty() ? usual : arguments.out, text);
}

}  // namespace

void add_explain_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = calque.add_subcommand(
      "explain", "Show how a model translates a sentence or continues a text, step by step");
  command->add_option("RUN", arguments->run, "A run's folder, or one of its checkpoints")
      ->required()
      ->type_name("");
  command->add_option("SENTENCE", arguments->sentence, "What to translate or to continue")
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
