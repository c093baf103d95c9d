#pragma once
// The runs that a server offers. A request selects a run by the name of its folder, or a translator
// by its languages.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/conversations/turn_tokens.h"
#include "data/sentences/splitter.h"
#include "decode/constraints/output_format.h"
#include "serve/language_detector.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/tasks/translation/confidence/calibration.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/text_search.h"

namespace calque {

struct ServedTranslator {
  std::string name;            // of the folder
  std::string source, target;  // the codes of the languages
  TranslationRun run;
  TextSearch options;  // the section `decoding` of the run's config, and the server's glossary
  bool forces_terms = true;
  SentenceSplitter splitter = SentenceSplitter();  // of the source language
  std::optional<Calibration> calibration = {};     // of a run that `calque calibrate` has read
};

struct ServedLanguageModel {
  std::string name;
  LanguageModelRun run;
  std::optional<TurnTokens> turns;  // of a run with a turn format
  OutputConstraints constraints{run.tokenizer};
};

struct ServedClassifier {
  std::string name;
  TextClassifierRun run;
};

struct ServedEmbedder {
  std::string name;
  SentenceEncoder encoder;  // shares the ownership of the model
};

struct ServedRuns {
  std::vector<ServedTranslator> translators;
  std::vector<ServedLanguageModel> language_models;
  std::map<TaskKind, std::vector<ServedClassifier>> classifiers;
  std::vector<std::string> masked_models;  // their names
  std::vector<ServedEmbedder> embedders;   // language models, and encoders
  // Trained on the beginning of each corpus of the translators' data.validation, or of data.train
  // without validation data. A corpus that cannot be read is skipped with the run's later ones.
  LanguageDetector detector;

  // Returns the first translator from `source` to `target`, or null.
  const ServedTranslator* translator(const std::string& source, const std::string& target) const;
};

// Opens the runs in these folders. Throws an Error for a folder that is not a run, for a run of any
// other task, and for two runs of the same name.
ServedRuns open_served_runs(const std::vector<RunPlace>& places);

// The glossary of a translator: "FILE", or "NAME=FILE" with the name of its run. Throws an Error
// for a file that is no glossary, for a name that none has, and for a file alone if there are
// several.
void set_glossary(ServedRuns& runs, const std::string& given);

// Returns the `count` best translations of each sentence, best first. A sentence is a list of
// tokens. The beam has at least `count` hypotheses.
std::vector<std::vector<std::string>> translations(const ServedTranslator& by, TextSearch search,
                                                   int64_t count,
                                                   std::span<const std::vector<int32_t>> sentences);

}  // namespace calque
