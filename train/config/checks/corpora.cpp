#include "train/config/checks/corpora.h"

#include <algorithm>

#include "train/config/tasks.h"

namespace calque {
namespace {

void check_keys(const Corpora& corpora, const std::string& key, Contradictions& all) {
  for (const CorpusConfig& corpus : corpora) {
    if ((!corpus.prefix.empty() || !corpus.file.empty()) && corpus.languages.empty()) {
      blame(all, key, "the {} '{}' needs languages; set data.languages, such as [en, de]",
            corpus.file.empty() ? "prefix" : "file", corpus.prefix + corpus.file);
    }
    if (corpus.weight != 1 && key != "data.train") {
      blame(all, key, "weight has no effect outside data.train");
    }
    if (corpus.epochs != 0 && key != "data.train") {
      blame(all, key, "epochs has no effect outside data.train");
    }
    if (!corpus.teacher && key != "data.train") {
      blame(all, key, "teacher has no effect outside data.train");
    }
  }
}

void check_kind(const Config& config, const Corpora& corpora, const std::string& key,
                Contradictions& all) {
  const TaskInfo& task = task_info(config.task);
  if (std::ranges::all_of(corpora, task.accepts)) return;
  blame(all, key, "task: {} needs {}", name_of(task_kinds, config.task), task.corpus_example);
}

using Files = std::vector<std::string> CorpusConfig::*;

std::ptrdiff_t count_of(const Corpora& corpora, Files files) {
  return std::ranges::count_if(
      corpora, [&](const CorpusConfig& corpus) { return !(corpus.*files).empty(); });
}

// A dataset is of one kind.
void check_json_lines(const Corpora& corpora, const std::string& key, Contradictions& all) {
  const auto conversations = count_of(corpora, &CorpusConfig::conversations);
  const auto preferences = count_of(corpora, &CorpusConfig::preferences);
  if (preferences > 0 && preferences < std::ssize(corpora)) {
    blame(all, key, "has preferences beside other texts; name corpora of one kind");
  } else if (conversations > 0 && conversations < std::ssize(corpora)) {
    blame(all, key, "has conversations beside plain text; name corpora of one kind");
  }
}

void check_preferences(const Config& config, Contradictions& all) {
  const DataConfig& data = config.data;
  const bool pairs = has_preferences(config);
  const auto of_validation = count_of(data.validation, &CorpusConfig::preferences);
  if (!data.validation.empty() && pairs != (of_validation > 0)) {
    blame(all, "data.validation", "must have preferences if data.train has them, and only then");
  }
  if (!pairs) return;
  if (config.model.init_from.empty()) {
    blame(all, "model.init_from", "missing; preferences train a model further, the run named here");
  }
  if (config.tokenizer.files.empty() && config.tokenizer.kind != TokenizerKind::bytes) {
    blame(
        all, "tokenizer.files",
        "missing; preferences need the tokenizer of model.init_from, such as RUN/tokenizer.model");
  }
  if (config.training.r_drop > 0) {
    blame(all, "training.r_drop", "cannot be combined with preferences; set it to 0");
  }
}

void check_teacher(const Config& config, Contradictions& all) {
  const TrainingConfig& training = config.training;
  if (!training.teacher.empty() && training.r_drop > 0) {
    blame(all, "training.r_drop", "cannot be combined with training.teacher; set one of them");
  }
  const auto without = [](const CorpusConfig& corpus) { return !corpus.teacher; };
  if (std::ranges::none_of(config.data.train, without)) return;
  if (!has(config, Feature::documents) || training.teacher.empty()) {
    blame(all, "data.train", "`teacher: false` needs training.teacher, and texts rather than pairs");
  } else if (std::ranges::all_of(config.data.train, without)) {
    blame(all, "data.train", "no corpus has a teacher; remove training.teacher");
  }
}

void check_windows(const Config& config, Contradictions& all) {
  const TrainingConfig& training = config.training;
  if (training.batch_tokens > 0 && training.batch_tokens < largest_example(config)) {
    blame(all, "training.batch_tokens", "{} is less than {} of data.context {}",
          training.batch_tokens, has_preferences(config) ? "two conversations" : "one window",
          config.data.context);
  }
}

}  // namespace

void check_corpora(const Config& config, Contradictions& all) {
  const DataConfig& data = config.data;
  check_kind(config, data.train, "data.train", all);
  check_kind(config, data.validation, "data.validation", all);
  check_kind(config, data.test, "data.test", all);
  if (has(config, Feature::documents)) check_windows(config, all);
  check_json_lines(data.train, "data.train", all);
  check_json_lines(data.validation, "data.validation", all);
  check_preferences(config, all);
  check_teacher(config, all);
  if (!data.languages.empty() && data.languages.size() != 2) {
    blame(all, "data.languages", "must be two, [source, target], not {}", data.languages.size());
  }
  if (data.train.empty()) {
    blame(all, "data.train",
          "missing; name a training corpus, such as {{toy: toy-en-de}} or "
          "{{source: train.en, target: train.de}}");
  }
  check_keys(data.train, "data.train", all);
  if (!data.train.empty() &&
      std::ranges::all_of(data.train, [](const CorpusConfig& c) { return c.epochs > 0; })) {
    blame(all, "data.train",
          "every corpus ends after its epochs; remove `epochs` from one corpus, so that it is used "
          "in all later epochs");
  }
  check_keys(data.validation, "data.validation", all);
  check_keys(data.test, "data.test", all);
}

}  // namespace calque
