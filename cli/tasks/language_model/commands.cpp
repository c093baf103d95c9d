// What evaluate, score and explain do with runs of task: language-model, and what data check does
// for all tasks of plain text.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/result_file.h"
#include "cli/tasks/language_model/inspection_arguments.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "data/conversations/dataset.h"
#include "data/conversations/preference_dataset.h"
#include "data/files/text_lines.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/language_model/answers.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/language_model/prompt_explanation.h"
#include "train/tasks/language_model/prompt_inspection.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/language_model/samples.h"
#include "train/tasks/language_model/scoring.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/task_data.h"
#include "train/tasks/text/corpora.h"

namespace calque {

void add_chat_command(CLI::App& calque);      // chat.cpp
void add_generate_command(CLI::App& calque);  // generate.cpp
namespace {

constexpr int64_t texts_at_once = 2000;

}  // namespace

void check_texts(const Config& config) {
  const DataConfig& data = config.data;
  const Tokenizer tokenizer = open_text_tokenizer(config, {}, {TaskStart::Purpose::plan});
  const auto print = [&](const char* name, const Dataset& texts) {
    TextSize size;  // of columns as in tokens_in()
    for (size_t column = 0; column < texts.sizes.size(); column += 2) {
      size.characters += texts.sizes[column].characters;
      size.bytes += texts.sizes[column].bytes;
    }
    fmt::print("{}: {} {}s, {} tokens, {} characters, {} bytes; dropped: {}\n", name,
               texts.examples(), texts.noun, tokens_in(texts), size.characters, size.bytes,
               dropped_text(texts));
  };
  print("train", load_training_texts(data, tokenizer));
  if (!data.validation.empty()) {
    print("validation",
          load_texts(data, data.validation, CorpusConfig::Split::validation, tokenizer));
  }
  if (!data.test.empty()) {
    print("test", load_texts(data, data.test, CorpusConfig::Split::test, tokenizer));
  }
  fmt::print("vocabulary: {}\n", tokenizer.size());
}

namespace {

// Returns the output of `calque score`: one line per document. A document is ids from <s> to </s>.
std::string score_lines(const LanguageModelRun& run,
                        const std::vector<std::vector<int32_t>>& documents) {
  std::string lines;
  for (const std::vector<real>& tokens : score_documents(run, documents)) {
    lines += score_line(std::accumulate(tokens.begin(), tokens.end(), 0.0), std::ssize(tokens));
  }
  return lines;
}

void score_language_model(const ScoreArguments& arguments) {
  const LanguageModelRun run = open_language_model_run(arguments.run);
  const TextLines text(arguments.text);
  for (int64_t first = 0; first < text.count(); first += texts_at_once) {
    std::vector<std::vector<int32_t>> documents;
    for (int64_t i = first; i < std::min(text.count(), first + texts_at_once); ++i) {
      const std::string line = text.line(i);
      const std::string problem = utf8_problem(line);
      if (!problem.empty()) fail("{}: {}", text.where(i), problem);
      documents.push_back(document_ids(run, line));
    }
    fmt::print("{}", score_lines(run, documents));
  }
}

std::string document_scores(const LanguageModelRun& run, const Dataset& texts) {
  std::string lines;
  Example document;
  for (int64_t first = 0; first < texts.examples(); first += texts_at_once) {
    std::vector<std::vector<int32_t>> documents;
    for (int64_t i = first; i < std::min(texts.examples(), first + texts_at_once); ++i) {
      texts.tokens->read(i, document);
      std::vector<int32_t>& ids = documents.emplace_back(std::move(document[0]));
      ids.insert(ids.begin(), begin_id);
      ids.push_back(end_id);
    }
    lines += score_lines(run, documents);
  }
  return lines;
}

// Answers all conversations, prints how well, and returns a line of JSON for each.
std::string answer_lines(const EvaluateArguments& arguments, const LanguageModelRun& run,
                         const Dataset& conversations) {
  std::vector<int64_t> all(static_cast<size_t>(conversations.examples()));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<KnownAnswer> answers = answer_conversations(
      run.model(), run.tokenizer, run.config, conversations, all, arguments.stop);
  fmt::print("{}", answers_text(answers));
  std::string lines;
  for (const KnownAnswer& each : answers) {
    const nlohmann::ordered_json line = {
        {"prompt", each.prompt}, {"reference", each.reference}, {"answer", each.answer}};
    lines += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return lines;
}

void require_of_conversations(bool are_conversations, const EvaluateArguments& arguments,
                              const std::string& name) {
  if (arguments.answers && !are_conversations) fail("{}: --answers is for conversations", name);
  if (are_conversations && !arguments.answers && !arguments.output.empty()) {
    fail("{}: --output is for documents, or for conversations with --answers", name);
  }
}

void print_samples(const EvaluateArguments& arguments, const LanguageModelRun& run,
                   const Dataset& texts) {
  for (const Sample& sample :
       sample_continuations(run.model(), run.tokenizer, texts, run.config, arguments.samples)) {
    fmt::print("  {}\n", sample.input);
    if (!sample.reference.empty()) fmt::print("  = {}\n", sample.reference);
    fmt::print("  > {}\n\n", sample.output);
  }
}

void evaluate_language_model(const EvaluateArguments& arguments,
                             const std::vector<CorpusOfSplit>& corpora) {
  const LanguageModelRun run = open_language_model_run(arguments.run());
  const Config& config = run.config;
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::string lines;
  for (const auto& [corpus, split] : corpora) {
    const std::string name = corpus_name(corpus);
    const Dataset texts = load_texts(config.data, {corpus}, split, run.tokenizer);
    if (is_of_preferences(texts)) {
      fail("{}: preferences are measured in training; evaluate takes texts and conversations",
           name);
    }
    require_of_conversations(is_of_conversations(texts), arguments, name);
    print_samples(arguments, run, texts);
    const TextEvaluation found =
        evaluate_text(run.model(), texts, window_options(config, WindowUse::evaluation),
                      config.training.label_smoothing, tokens_at_once(config));
    fmt::print("{}", evaluation_text(name, texts, found));
    if (arguments.answers) {
      lines += answer_lines(arguments, run, texts);
    } else if (!arguments.output.empty()) {
      lines += document_scores(run, texts);
    }
  }
  if (!arguments.output.empty()) write_result(arguments.output, lines);
}

std::string explain_continuation(const ExplainArguments& arguments) {
  const InspectionChoice choice = inspection_choice(arguments);
  const LanguageModelRun run = open_language_model_run(arguments.run);
  const Explanation explanation = explain_prompt(run, arguments.text);
  const Inspection inspection = inspect_prompt(run, explanation, choice);
  return explanation_text(explanation, arguments.form, &inspection);
}

}  // namespace

extern const TaskCommands language_model_commands;
const TaskCommands language_model_commands = {
    .task = TaskKind::language_model,
    .files_to_evaluate = "--text or --conversations",
    .check_data = check_texts,
    .evaluate = evaluate_language_model,
    .score = score_language_model,
    .explain = explain_continuation,
    .add_commands =
        [](CLI::App& calque) {
          add_generate_command(calque);
          add_chat_command(calque);
        },
};

}  // namespace calque
