// Sources of the defaults: "Attention Is All You Need" for translation, small models in the style
// of GPT-2 for the other tasks. Muon is the optimizer where it learns more (docs/optimisers.md).
#include "train/config/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace calque {
namespace {

bool is_text(const CorpusConfig& corpus) {
  using enum Toy;
  return !corpus.text.empty() || corpus.toy == toy_text || corpus.toy == toy_analogies;
}

bool is_text_or_json_lines(const CorpusConfig& corpus) {
  return is_text(corpus) || !corpus.conversations.empty() || !corpus.preferences.empty();
}

bool is_labelled(const CorpusConfig& corpus) {
  using enum Toy;
  return !corpus.labelled.empty() || corpus.toy == toy_en_de || corpus.toy == toy_en_fr ||
         corpus.toy == listops;
}

bool is_tagged(const CorpusConfig& corpus) {
  return !corpus.tagged.empty() || corpus.toy == CorpusConfig::Toy::toy_en_de ||
         corpus.toy == CorpusConfig::Toy::toy_en_fr;
}

bool is_of_images(const CorpusConfig& corpus) {
  return !corpus.images.empty() || corpus.toy == CorpusConfig::Toy::shapes;
}

bool is_pairs(const CorpusConfig& corpus) {
  return !is_text_or_json_lines(corpus) && corpus.labelled.empty() && corpus.tagged.empty() &&
         !is_of_images(corpus);
}

void set_paper(Config& config) {
  const Config paper;
  config.model.norm_placement = paper.model.norm_placement;
  config.model.activation = paper.model.activation;
  config.model.positions = paper.model.positions;
  config.model.scale_embeddings = paper.model.scale_embeddings;
  config.training.label_smoothing = paper.training.label_smoothing;
  config.training.optimizer = paper.training.optimizer;
  config.training.betas = paper.training.betas;
  config.training.epsilon = paper.training.epsilon;
  config.training.weight_decay = paper.training.weight_decay;
  config.training.clip_norm = paper.training.clip_norm;
}

void set_one_stack(Config& config) {
  config.model.norm_placement = NormPlacement::pre;
  config.model.scale_embeddings = true;
  config.model.activation = Activation::gelu;
  config.model.positions = PositionKind::rotary;
  config.training.label_smoothing = 0;
  config.training.optimizer = TrainingConfig::Optimizer::adamw;
  config.training.betas = {0.9, 0.99};
  config.training.epsilon = 1e-8;
  config.training.weight_decay = 0.1;
  config.training.clip_norm = 1;
}

void set_language_model(Config& config) {
  set_one_stack(config);
  config.model.scale_embeddings = false;
  config.training.optimizer = TrainingConfig::Optimizer::muon;
}

void set_images(Config& config) {
  set_one_stack(config);
  config.model.positions = PositionKind::learned;
}

void set_word2vec(Config& config) {
  set_one_stack(config);
  config.tokenizer.kind = TokenizerKind::words;
  config.tokenizer.vocabulary_size = 0;
  config.model.d_model = 100;
  config.training.weight_decay = 0;
}

std::span<const TaskInfo> all_tasks() {
  using enum Feature;
  static constexpr std::string_view text_example =
      "{text: FILE} or {toy: toy-text}; pairs are for task: translation";
  static constexpr TaskInfo tasks[] = {
      {.kind = TaskKind::translation,
       .meaning = "an encoder-decoder model on pairs of lines",
       .features = {pairs, text, network, decoder, tokens_out, token_files},
       .accepts = is_pairs,
       .corpus_example = "pairs, such as {source: train.en, target: train.de}; plain text is for "
                         "task: language-model",
       .set_defaults = set_paper},
      {.kind = TaskKind::language_model,
       .meaning = "a decoder-only Transformer on plain text",
       .features = {text, documents, cross_documents, context, network, one_stack, decoder,
                    tokens_out, token_files},
       .accepts = is_text_or_json_lines,
       .corpus_example =
           "{text: FILE}, {conversations: FILE}, {preferences: FILE} or {toy: toy-text}; "
           "pairs are for task: translation",
       .set_defaults = set_language_model},
      {.kind = TaskKind::masked_lm,
       .meaning = "an encoder-only Transformer on plain text",
       .features = {text, documents, cross_documents, context, masks, network, one_stack,
                    tokens_out, token_files},
       .accepts = is_text,
       .corpus_example = text_example,
       .set_defaults = set_one_stack},
      {.kind = TaskKind::classification,
       .meaning = "an encoder-only Transformer on labelled texts",
       .features = {text, context, classes, pooling, two_texts, encoder_tokenizer, network,
                    one_stack},
       .accepts = is_labelled,
       .corpus_example = "{labelled: FILE} or {toy: toy-en-de}",
       .set_defaults = set_one_stack},
      {.kind = TaskKind::images,
       .meaning = "a Vision Transformer on labelled images",
       .features = {pixels, classes, pooling, network, one_stack},
       .accepts = is_of_images,
       .corpus_example = "{images: FOLDER_OR_IDX_FILE} or {toy: shapes}",
       .set_defaults = set_images},
      {.kind = TaskKind::word2vec,
       .meaning = "vectors of words from plain text",
       .features = {text, documents, context, word_contexts, token_files},
       .accepts = is_text,
       .corpus_example = text_example,
       .set_defaults = set_word2vec},
      {.kind = TaskKind::tagging,
       .meaning = "an encoder-only Transformer that labels each word",
       .features = {text, context, classes, encoder_tokenizer, network, one_stack},
       .accepts = is_tagged,
       .corpus_example = "{tagged: FILE} or {toy: toy-en-de}",
       .set_defaults = set_one_stack},
  };
  static_assert(std::size(tasks) == std::size(task_kinds));
  return tasks;
}

template <class Condition>
std::vector<TaskKind> tasks_where(Condition condition) {
  std::vector<TaskKind> found;
  for (const TaskInfo& task : all_tasks()) {
    if (condition(task)) found.push_back(task.kind);
  }
  return found;
}

}  // namespace

const TaskInfo& task_info(TaskKind task) {
  return *std::ranges::find(all_tasks(), task, &TaskInfo::kind);
}

bool has_preferences(const Config& config) {
  const Corpora& corpora = config.data.train;
  return !corpora.empty() && !corpora.front().preferences.empty();
}

int64_t largest_example(const Config& config) {
  return config.data.context * (has_preferences(config) ? 2 : 1);
}

std::vector<TaskKind> tasks_with(Feature feature) {
  return tasks_where([=](const TaskInfo& task) { return task.features.has(feature); });
}

std::vector<TaskKind> tasks_that_accept(const CorpusConfig& corpus) {
  return tasks_where([&](const TaskInfo& task) { return task.accepts(corpus); });
}

std::string names_of(const std::vector<TaskKind>& kinds) {
  std::string names;
  for (const TaskKind kind : kinds) {
    if (!names.empty()) names += kind == kinds.back() ? " or " : ", ";
    names += name_of(task_kinds, kind);
  }
  return names;
}

std::string missing_feature(TaskKind task, Feature feature) {
  if (task_info(task).features.has(feature)) return "";
  const std::vector<TaskKind> with = tasks_with(feature);
  if (2 * with.size() > all_tasks().size()) {
    return fmt::format("is not used by task: {}", name_of(task_kinds, task));
  }
  return fmt::format("needs task: {}", names_of(with));
}

std::string meaning_of_tasks() {
  std::string list;
  for (const TaskInfo& task : all_tasks()) {
    if (!list.empty()) list += &task == &all_tasks().back() ? "; or " : "; ";
    list += fmt::format("{}, {}", name_of(task_kinds, task.kind), task.meaning);
  }
  return fmt::format(
      "What is trained: {}. It sets defaults for the task, which other keys override.", list);
}

}  // namespace calque
